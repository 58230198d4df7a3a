"""From answers to figures."""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval_cli.evaluation.asking import HITS, MORE_HITS, Answer
from typo3_retrieval_cli.evaluation.data_sets import DataSet

NDCG, RECALL, SUCCESS, RECIPROCAL = (f"{name}@{HITS}" for name in ("nDCG", "R", "Success", "RR"))
NDCG_OF_MORE = f"nDCG@{MORE_HITS}"
OF_RANKING = (NDCG, NDCG_OF_MORE, RECALL, SUCCESS, RECIPROCAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """How often hits of each confidence were right: (right, all) by level."""

    counts: Mapping[Confidence, tuple[int, int]]

    def right(self, level: Confidence) -> float | None:
        """The share that was right; None when there was no such hit."""
        right, total = self.counts.get(level, (0, 0))
        return right / total if total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one way of asking reached on one set, or the mean over sets."""

    ranking: Mapping[str, float]  # by name of the measure
    empty: float  # share of questions without a hit
    p50: float  # milliseconds
    p95: float
    statements: int  # the most that one question took
    answered: float | None  # share whose answer's words stand in an excerpt; None: not known
    levels: Levels


def figures(data: DataSet, answers: Sequence[Answer]) -> Figures:
    """Measure *answers*, which are to the questions of *data*."""
    times = sorted(answer.milliseconds for answer in answers)
    return Figures(
        ranking=_ranking(data, answers),
        empty=statistics.fmean(not answer.hits for answer in answers) if answers else 0.0,
        p50=percentile(times, 50),
        p95=percentile(times, 95),
        statements=max((answer.statements for answer in answers), default=0),
        answered=_answered(data, answers),
        levels=_levels(data, answers),
    )


def mean(each: Sequence[Figures]) -> Figures:
    """The mean over sets; times and counts over all of their questions' sets alike."""
    answered = [one.answered for one in each if one.answered is not None]
    counts: Counter[tuple[Confidence, bool]] = Counter()
    for one in each:
        for level, (right, total) in one.levels.counts.items():
            counts[level, True] += right
            counts[level, False] += total - right
    return Figures(
        ranking={name: statistics.fmean(one.ranking[name] for one in each) for name in OF_RANKING},
        empty=statistics.fmean(one.empty for one in each),
        p50=statistics.fmean(one.p50 for one in each),
        p95=statistics.fmean(one.p95 for one in each),
        statements=max(one.statements for one in each),
        answered=statistics.fmean(answered) if answered else None,
        levels=_as_levels(counts),
    )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """The value below which *percent* of the *ordered* ones lie (nearest rank)."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def _ranking(data: DataSet, answers: Sequence[Answer]) -> Mapping[str, float]:
    import ir_measures

    asked = {answer.question for answer in answers}
    judged = [
        ir_measures.Qrel(question, document, 1)
        for question, documents in data.relevant.items()
        if question in asked
        for document in documents
    ]
    run = [
        ir_measures.ScoredDoc(answer.question, hit.document, float(-rank))
        for answer in answers
        for rank, hit in enumerate(answer.hits)
    ]
    measures = [
        each @ HITS
        for each in (ir_measures.nDCG, ir_measures.R, ir_measures.Success, ir_measures.RR)
    ]
    measures.append(ir_measures.nDCG @ MORE_HITS)
    found = ir_measures.calc_aggregate(measures, judged, run)
    return {str(measure): float(value) for measure, value in found.items()}


def _answered(data: DataSet, answers: Sequence[Answer]) -> float | None:
    known = [answer for answer in answers if data.answers.get(answer.question)]
    if not known:
        return None
    return statistics.fmean(
        any(
            _folded(words) in _folded(hit.excerpt)
            for words in data.answers[answer.question]
            for hit in answer.hits[:HITS]
        )
        for answer in known
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _levels(data: DataSet, answers: Iterable[Answer]) -> Levels:
    return _as_levels(
        Counter(
            (hit.confidence, hit.document in data.relevant.get(answer.question, ()))
            for answer in answers
            for hit in answer.hits[:HITS]
            if hit.confidence is not None
        )
    )


def _as_levels(counts: Mapping[tuple[Confidence, bool], int]) -> Levels:
    return Levels(
        counts={
            level: (
                counts.get((level, True), 0),
                counts.get((level, True), 0) + counts.get((level, False), 0),
            )
            for level in Confidence
        }
    )
