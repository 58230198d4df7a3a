"""Scoring of candidate pages by what they say: BM25F over title and body.

Source of the form: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009. The constants were fitted on question sets with relevance judgments.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.ranking.analysis import Analyzer, Term, tokens

_TITLE_WEIGHT = 4.0
_TITLE_LENGTH = 10  # words of a usual title
_K1 = 1.6  # saturation: how soon more occurrences stop counting
_COMPOUND = 0.3  # weight of a stem inside a longer word
_COMPOUND_STEM = 5  # characters; shorter stems occur in words by chance
_COMPOUND_WORD = 8  # characters

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


def scores(
    analyzer: Analyzer, terms: Sequence[Term], idf: Mapping[str, float], texts: Sequence[Text]
) -> list[Score]:
    """Score *texts*, which are the candidates of one question.

    Args:
        analyzer: of the texts' language.
        terms: the question's.
        idf: weight by `Term.text`.
        texts: the candidates; their mean length stands for that of the site.
    """
    counted = [
        (
            _Counts(analyzer, terms, text.title),
            _Counts(analyzer, terms, f"{text.body} {text.vocabulary}"),
        )
        for text in texts
    ]
    mean = sum(body.length for _, body in counted) / len(counted) if counted else 1.0
    total = sum(idf[term.text] for term in terms)
    return [_score(terms, idf, title, body, mean or 1.0, total) for title, body in counted]


def _score(
    terms: Sequence[Term],
    idf: Mapping[str, float],
    title: "_Counts",
    body: "_Counts",
    mean_length: float,
    total: float,
) -> Score:
    value = covered = 0.0
    for term in terms:
        weight = idf[term.text]
        occurrences = _TITLE_WEIGHT * title.of[term.text] / (
            0.7 + 0.3 * title.length / _TITLE_LENGTH
        ) + body.of[term.text] / (0.4 + 0.6 * body.length / mean_length)
        value += weight * (_K1 + 1) * occurrences / (_K1 + occurrences)
        if title.of[term.text] or body.of[term.text]:
            covered += weight
    return Score(value, covered / total if total else 0.0)


class _Counts:
    """How often each term of the question stands in a text."""

    def __init__(self, analyzer: Analyzer, terms: Sequence[Term], text: str) -> None:
        words = Counter(match[0] for match in tokens(text))
        self.length = sum(words.values())
        self.of: defaultdict[str, float] = defaultdict(float)
        for word, count in words.items():
            for term, weight in matches(analyzer, terms, word):
                self.of[term] += weight * count


def matches(analyzer: Analyzer, terms: Sequence[Term], word: str) -> list[tuple[str, float]]:
    """The terms that *word* (lower case) stands for, with weight 1, or .3 inside a compound."""
    found: list[tuple[str, float]] = []
    stem: str | None = None
    for term in terms:
        # Stemming is the costly part: a word that begins differently has another stem.
        if word[:1] == term.text[:1] or not word.isascii():
            stem = analyzer.term(word) if stem is None else stem
            if stem == term.text:
                found.append((term.text, 1.0))
                continue
        if len(term.text) >= _COMPOUND_STEM and len(word) >= _COMPOUND_WORD:
            whole = stem if stem is not None else word
            if term.text in whole or term.text in word:
                found.append((term.text, _COMPOUND))
    return found
