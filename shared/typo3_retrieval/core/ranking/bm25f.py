"""Scoring of candidate pages by what they say: BM25F over title and body.

Source of the form: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009. The constants were fitted on question sets with relevance judgments.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.ranking.analysis import tokens
from typo3_retrieval.core.ranking.question import Question

_TITLE_WEIGHT = 4.0
_TITLE_LENGTH = 10  # words of a usual title
_K1 = 1.6  # saturation: how soon more occurrences stop counting

# Shares of the question's weight that a hit covers, from which on it is called so.
_HIGH, _MEDIUM = 0.75, 0.45


@dataclass(frozen=True, slots=True)
class Text:
    """What is scored of one candidate: plain text."""

    title: str
    body: str
    vocabulary: str = ""  # words that count like the body's but are never shown


@dataclass(frozen=True, slots=True)
class Score:
    """A candidate's score, and how much of the question it covers (0..1)."""

    value: float
    coverage: float

    @property
    def confidence(self) -> Confidence:
        """Coverage in three steps."""
        if self.coverage >= _HIGH:
            return Confidence.HIGH
        return Confidence.MEDIUM if self.coverage >= _MEDIUM else Confidence.LOW


def inverse_document_frequency(total: int, having: int) -> float:
    """BM25's weight of a term that *having* of *total* documents hold; never negative."""
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def scores(question: Question, texts: Sequence[Text]) -> list[Score]:
    """Score *texts*, which are the candidates of one question.

    Their mean length stands for that of the site.
    """
    counted = [
        (_Counts(question, text.title), _Counts(question, f"{text.body} {text.vocabulary}"))
        for text in texts
    ]
    mean = sum(body.length for _, body in counted) / len(counted) if counted else 1.0
    total = sum(question.idf[term.text] for term in question.terms)
    return [_score(question, title, body, mean or 1.0, total) for title, body in counted]


def _score(
    question: Question, title: "_Counts", body: "_Counts", mean_length: float, total: float
) -> Score:
    value = covered = 0.0
    in_title = _TITLE_WEIGHT / (0.7 + 0.3 * title.length / _TITLE_LENGTH)
    in_body = 1 / (0.4 + 0.6 * body.length / mean_length)
    for term in question.terms:
        occurrences = in_title * title.of[term.text] + in_body * body.of[term.text]
        if occurrences:
            weight = question.idf[term.text]
            value += weight * (_K1 + 1) * occurrences / (_K1 + occurrences)
            covered += weight
    return Score(value, covered / total if total else 0.0)


class _Counts:
    """How often each term of the question stands in a text."""

    def __init__(self, question: Question, text: str) -> None:
        words = Counter(match[0] for match in tokens(text))
        self.length = sum(words.values())
        self.of: defaultdict[str, float] = defaultdict(float)
        for word, count in words.items():
            for term, weight in question.matches(word):
                self.of[term] += weight * count
