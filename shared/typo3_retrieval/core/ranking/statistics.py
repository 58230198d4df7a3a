"""How common words are in an index: counted once, believed for ten minutes."""

import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.bm25f import inverse_document_frequency

MAX_AGE = 600  # seconds; counting costs more than all the rest of a search
_MAX_REMEMBERED = 20_000  # entries
_BUDGET = 20_000  # documents that all candidate words together may have
_COMMON = 0.3  # of all documents; a word that more of them have finds none of them
_AT_LEAST = 2  # words that make candidates, however common

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


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
        known = [term for term in terms if self.having[term.text]]
        chosen: list[Term] = []
        spent = 0
        for term in sorted(known, key=lambda term: self.having[term.text]):
            having = self.having[term.text]
            too_many = spent + having > _BUDGET or having > _COMMON * self.total
            if too_many and len(chosen) >= _AT_LEAST:
                break
            chosen.append(term)
            spent += having
        return chosen


class Memory(Generic[K, V]):
    """Values that are believed for ten minutes. Safe to share between threads.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._values: dict[K, tuple[float, V]] = {}

    def known(self, keys: Iterable[K]) -> dict[K, V]:
        """The values that are remembered."""
        oldest = self._clock() - MAX_AGE
        with self._lock:
            found = ((key, self._values.get(key)) for key in keys)
            return {key: entry[1] for key, entry in found if entry and entry[0] > oldest}

    def remember(self, values: Mapping[K, V]) -> None:
        """Believe *values* from now on."""
        now = self._clock()
        with self._lock:
            if len(self._values) > _MAX_REMEMBERED:
                self._values.clear()
            self._values.update({key: (now, value) for key, value in values.items()})


class Statistics:
    """Remembers the counts of one index.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._having = Memory[str, int](clock)
        self._total = Memory[None, int](clock)

    def counts(self, terms: Sequence[Term], count: Callable[[Sequence[Term]], Counts]) -> Counts:
        """The counts of *terms*, of which *count* is asked those that are not remembered."""
        having = self._having.known(term.text for term in terms)
        total = self._total.known([None])
        unknown = [term for term in terms if term.text not in having]
        if not unknown and total:
            return Counts(total=total[None], having=having)
        fresh = count(unknown)
        self._having.remember(fresh.having)
        self._total.remember({None: fresh.total})
        return Counts(total=fresh.total, having={**having, **fresh.having})
