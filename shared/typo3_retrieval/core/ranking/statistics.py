"""How common words are in an index: counted once, believed for ten minutes."""

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.bm25f import inverse_document_frequency

MAX_AGE = 600  # seconds; counting costs more than all the rest of a search
_MAX_REMEMBERED = 20_000  # words
_BUDGET = 20_000  # documents that all candidate words together may have
_COMMON = 0.3  # of all documents; a word that more of them have finds none of them
_AT_LEAST = 2  # words that make candidates, however common


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Document frequencies of one question's terms."""

    total: int  # documents
    having: Mapping[str, int] = field(default_factory=dict)  # by Term.text

    @property
    def known(self) -> bool:
        """Whether the index has any of the words."""
        return any(self.having.values())

    @property
    def idf(self) -> Mapping[str, float]:
        """The weight of each term."""
        return {
            term: inverse_document_frequency(max(self.total, having), having)
            for term, having in self.having.items()
        }

    def affordable(self, terms: Sequence[Term]) -> list[Term]:
        """The terms that are worth looking candidates up by, the rarest first.

        They bound the candidates only; scoring uses all terms.
        """
        chosen: list[Term] = []
        spent = 0
        rarest = sorted(
            (term for term in terms if self.having[term.text]),
            key=lambda term: self.having[term.text],
        )
        for term in rarest:
            having = self.having[term.text]
            too_many = spent + having > _BUDGET or having > _COMMON * self.total
            if too_many and len(chosen) >= _AT_LEAST:
                break
            chosen.append(term)
            spent += having
        return chosen


Count = Callable[[Sequence[Term]], Counts]


class Statistics:
    """Remembers counts by scope, such as a site and a language.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._having: dict[tuple[Hashable, str], tuple[float, int]] = {}
        self._total: dict[Hashable, tuple[float, int]] = {}

    def counts(self, scope: Hashable, terms: Sequence[Term], count: Count) -> Counts:
        """The counts of *terms*, of which *count* is asked those that are not remembered."""
        now = self._clock()
        with self._lock:
            having = {
                term.text: known[1]
                for term in terms
                if (known := self._having.get((scope, term.text))) and known[0] > now - MAX_AGE
            }
            total = self._total.get(scope)
        unknown = [term for term in terms if term.text not in having]
        if not unknown and total is not None:
            return Counts(total=total[1], having=having)
        fresh = count(unknown)
        with self._lock:
            if len(self._having) > _MAX_REMEMBERED:
                self._having.clear()
            self._total[scope] = (now, fresh.total)
            for term, number in fresh.having.items():
                self._having[scope, term] = (now, number)
        return Counts(total=fresh.total, having={**having, **fresh.having})
