"""Results as a table for people, as JSON for checks; progress on stderr."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval_cli.evaluation.measures import NDCG, OF_RANKING, Figures
from typo3_retrieval_cli.evaluation.runs import Results, Way
from typo3_retrieval_cli.output import show

_WIDTH = 130  # columns of a table whose reader is a file


@contextmanager
def progress() -> Iterator[Callable[[str], Callable[[int], None]]]:
    """Show on stderr which step is running, and how many questions were asked."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} questions"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("starting", total=None)

        def report(step: str) -> Callable[[int], None]:
            shown.reset(task, description=step, total=None)
            return lambda asked: shown.advance(task, asked)

        yield report


def as_documents(results: Results) -> list[dict[str, Any]]:
    """One object for each way of asking, the ceiling beside it."""
    ceilings = {way.form: results.mean(way) for way in results.of_sets if way.name == "ceiling"}
    return [
        {
            "backend": way.name,
            "database": way.database,
            "engine": way.engine,
            "form": way.form,
            "reference": way.reference,
            **_figures(results.mean(way)),
            "off_topic_low": results.low_when_off_topic(way),
            "ceiling": _figures(ceilings[way.form]),
            "sets": {name: _figures(each) for name, each in results.of_sets[way].items()},
            "off_topic": {
                pair: {"low": low, "questions": total}
                for pair, (low, total) in results.off_topic.get(way, {}).items()
            },
        }
        for way in results.of_sets
        if way.name != "ceiling"
    ]


def show_results(results: Results) -> None:
    """Print the tables."""
    from rich.console import Console
    from rich.table import Table

    names = list(dict.fromkeys(name for sets in results.of_sets.values() for name in sets))
    table = Table("backend", "form", title="Means over the sets")
    for head in (*OF_RANKING, "empty", "answer in excerpt", "p50 ms", "p95 ms", "statements"):
        table.add_column(head, justify="right")
    by_set = Table("backend", "form", *names, "mean", title=NDCG)
    levels = Table("backend", "form", title="Share of hits that are right (and how many hits)")
    for head in (*Confidence, "off topic: called low"):
        levels.add_column(head, justify="right")
    for way, sets in results.of_sets.items():
        all_sets = results.mean(way)
        table.add_row(way.label, way.form, *_cells(way, all_sets))
        own = [_share(sets[name].ranking[NDCG]) if name in sets else "" for name in names]
        by_set.add_row(way.label, way.form, *own, _share(all_sets.ranking[NDCG]))
        if any(total for _, total in all_sets.levels.counts.values()):
            levels.add_row(way.label, way.form, *_levels(results, way, all_sets))
    console = Console()
    if console.is_terminal:
        show(table, by_set, levels)
    else:  # a file has no width
        Console(width=_WIDTH).print(table, by_set, levels)


def _cells(way: Way, each: Figures) -> list[str]:
    return [
        *(_share(each.ranking[name]) for name in OF_RANKING),
        _share(each.empty),
        _share(each.answered) if each.answered is not None and way.excerpts else "",
        f"{each.p50:.0f}",
        f"{each.p95:.0f}",
        str(each.statements) if way.database else "",
    ]


def _levels(results: Results, way: Way, each: Figures) -> list[str]:
    off_topic = results.low_when_off_topic(way)
    return [
        *(
            f"{_share(each.levels.right(level))} ({each.levels.counts[level][1]})"
            for level in Confidence
        ),
        "" if off_topic is None else _share(off_topic),
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _figures(each: Figures) -> Mapping[str, Any]:
    return {
        **{name: round(value, 4) for name, value in each.ranking.items()},
        "empty": round(each.empty, 4),
        "p50": round(each.p50, 1),
        "p95": round(each.p95, 1),
        "statements": each.statements,
        "answer_in_excerpt": None if each.answered is None else round(each.answered, 4),
        "confidence": {
            str(level): {"right": right, "hits": total}
            for level, (right, total) in each.levels.counts.items()
        },
    }
