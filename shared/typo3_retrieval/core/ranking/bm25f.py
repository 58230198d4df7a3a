"""Scoring of candidate pages by what they say: BM25F over title and body.

Source of the form: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009. The constants were fitted on question sets with relevance judgments.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.ranking.analysis import tokens
from typo3_retrieval.core.ranking.confidence import confidence
from typo3_retrieval.core.ranking.likeness import likeness
from typo3_retrieval.core.ranking.question import Question

_TITLE_WEIGHT = 4.0
_TITLE_LENGTH = 10  # words of a usual title
# Words of a usual text. Not the mean of the candidates: they are longer than the site's pages,
# which would make length count too little; and the site's own mean would have to be counted.
_BODY_LENGTH = 140
_K1 = 1.6  # saturation: how soon more occurrences stop counting
_LIKENESS = 0.25  # of the question's whole weight, for a title that is the question


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
    words: int = 0  # terms of the question that it has
    confidence: Confidence = Confidence.LOW  # beside the others, see `judged`


def inverse_document_frequency(total: int, having: int) -> float:
    """BM25's weight of a term that *having* of *total* documents hold; never negative."""
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def scores(question: Question, texts: Sequence[Text]) -> list[Score]:
    """Score *texts*, which are the candidates of one question."""
    total = sum(question.idf[term.text] for term in question.terms)
    return judged([_score(question, text, total) for text in texts])


def judged(found: Sequence[Score]) -> list[Score]:
    """Give the hits of one answer, in any order, their confidence."""
    best, second = sorted([0.0, 0.0, *(score.value for score in found)], reverse=True)[:2]
    return [
        replace(
            score,
            confidence=confidence(
                coverage=score.coverage,
                words=score.words,
                score=score.value,
                best_other=second if score.value == best else best,
            ),
        )
        for score in found
    ]


def _score(question: Question, text: Text, total: float) -> Score:
    title = _Counts(question, text.title)
    body = _Counts(question, f"{text.body} {text.vocabulary}")
    value = _LIKENESS * total * likeness(question.trigrams, question.trigrams_of(text.title))
    covered, words = 0.0, 0
    in_title = _TITLE_WEIGHT / (0.7 + 0.3 * title.length / _TITLE_LENGTH)
    in_body = 1 / (0.4 + 0.6 * body.length / _BODY_LENGTH)
    for term in question.terms:
        occurrences = in_title * title.of[term.text] + in_body * body.of[term.text]
        if occurrences:
            weight = question.idf[term.text]
            value += weight * (_K1 + 1) * occurrences / (_K1 + occurrences)
            covered += weight
            words += 1
    if not words:
        return Score(0.0, 0.0)
    return Score(value, covered / total if total else 0.0, words)


class _Counts:
    """How often each term of the question stands in a text."""

    def __init__(self, question: Question, text: str) -> None:
        words = Counter(match[0] for match in tokens(text))
        self.length = sum(words.values())
        self.of: defaultdict[str, float] = defaultdict(float)
        for word, count in words.items():
            for term, weight in question.matches(word):
                self.of[term] += weight * count
