"""The results as a picture: how good, and how fast."""

from pathlib import Path

from typo3_retrieval_cli.evaluation.measures import NDCG
from typo3_retrieval_cli.evaluation.runs import Results

_FORMS = {"text": "#1f5fa8", "kw": "#9bbce0"}
_BAR = 0.38  # of a row


def write_plot(results: Results, path: Path) -> None:
    """Draw nDCG and latency of each backend."""
    import matplotlib

    matplotlib.use("Agg")  # no display is needed
    from matplotlib.figure import Figure

    labels = list(dict.fromkeys(way.label for way in results.of_sets))
    figure = Figure(figsize=(11, 0.55 * len(labels) + 2), layout="constrained")
    good, fast = figure.subplots(1, 2, sharey=True)
    for number, (form, colour) in enumerate(_FORMS.items()):
        ways = [way for way in results.of_sets if way.form == form]
        rows = [labels.index(way.label) + (number - 0.5) * _BAR for way in ways]
        means = [results.mean(way) for way in ways]
        good.barh(rows, [each.ranking[NDCG] for each in means], _BAR, color=colour, label=form)
        fast.barh(rows, [each.p95 for each in means], _BAR, color=colour)
        fast.plot([each.p50 for each in means], rows, "k|", markersize=9)
    good.set_yticks(range(len(labels)), labels)
    good.invert_yaxis()
    good.set_xlim(0, 1)
    good.set_xlabel(f"{NDCG}, mean over the sets")
    good.legend(title="form")
    fast.set_xlabel("p95 in milliseconds; the stroke is p50")
    figure.savefig(path, dpi=120)
