"""BM25F over every document in memory: what lexical search can reach at best.

Written apart from the ranking that it is held against, with the published constants, so that a
fault in the one does not hide in the other. Only the analysis of words is shared.
"""

import math
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from typo3_retrieval.core.ranking.analysis import Term, analyzer, tokens
from typo3_retrieval_cli.evaluation.asking import ASKED, Answer, Ask, Found
from typo3_retrieval_cli.evaluation.data_sets import DataSet

_COMPOUND = 0.3
_COMPOUND_STEM, _COMPOUND_WORD = 5, 8  # characters

Postings = Mapping[int, tuple[float, float]]  # document -> occurrences in title and body


class Ceiling:
    """All documents of a set, by their words."""

    def __init__(self, data: DataSet) -> None:
        self._ids = [document.id for document in data.documents]
        self._analysis = analyzer(data.language)
        self._titles: list[int] = []
        self._bodies: list[int] = []
        self._postings: defaultdict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
        for place, document in enumerate(data.documents):
            title = Counter(match[0] for match in tokens(document.title))
            body = Counter(match[0] for match in tokens(document.body))
            self._titles.append(title.total())
            self._bodies.append(body.total())
            for word in title | body:
                self._postings[word][place] = (title[word], body[word])
        self._mean = sum(self._bodies) / max(1, len(self._bodies)) or 1.0
        self._by_stem: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._postings:
            self._by_stem[self._analysis.term(word)].append(word)
        self._long = [word for word in self._postings if len(word) >= _COMPOUND_WORD]

    def ask(self, text: str) -> Answer:
        """Rank all documents."""
        started = time.perf_counter()
        scores: defaultdict[int, float] = defaultdict(float)
        for term in self._analysis.question(text):
            weight = self._idf(term)
            for place, (title, body) in self._occurrences(term).items():
                x = 4 * title / (0.7 + 0.3 * self._titles[place] / 10)
                x += body / (0.4 + 0.6 * self._bodies[place] / self._mean)
                scores[place] += weight * 2.6 * x / (1.6 + x)
        best = sorted(scores, key=lambda place: -scores[place])[:ASKED]
        return Answer(
            question="",
            hits=[Found(document=self._ids[place]) for place in best],
            milliseconds=(time.perf_counter() - started) * 1000,
            statements=0,
        )

    def _idf(self, term: Term) -> float:
        having = len({place for word in self._by_stem[term.text] for place in self._postings[word]})
        return math.log(1 + (len(self._ids) - having + 0.5) / (having + 0.5))

    def _occurrences(self, term: Term) -> Postings:
        found: defaultdict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        for word, weight in self._words(term):
            for place, (title, body) in self._postings[word].items():
                before = found[place]
                found[place] = (before[0] + weight * title, before[1] + weight * body)
        return found

    def _words(self, term: Term) -> Sequence[tuple[str, float]]:
        own = self._by_stem.get(term.text, [])
        words = [(word, 1.0) for word in own]
        if len(term.text) >= _COMPOUND_STEM:
            same = set(own)
            words += [
                (word, _COMPOUND)
                for word in self._long
                if word not in same
                and (term.text in word or term.text in self._analysis.term(word))
            ]
        return words


def ceiling_of(data: DataSet) -> Ask:
    """Make what asks the ceiling."""
    return Ceiling(data).ask
