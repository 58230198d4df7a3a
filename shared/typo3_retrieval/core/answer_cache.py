"""Answers that are remembered for some seconds, where an operator wants that."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from typo3_retrieval.core.access import AccessContext, demand
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.evidence import Evidence, Outcome
from typo3_retrieval.core.query import RetrievalQuery

MAX_ANSWERS = 256  # of some ten kilobytes each

_Key = tuple[RetrievalQuery, tuple[int, ...]]  # and the groups for whom it was filtered


class RememberingCascade(Cascade):
    """A cascade that answers the same question the same way for some seconds.

    What it remembers was filtered for these groups, so the caller is no part of the key. Failures
    and answers of a fallback are not remembered. A page that is hidden meanwhile can still show
    for as long.

    Args:
        seconds_remembered: how long.
        now: epoch, seconds; one that goes back forgets.
        cascade: see `Cascade`.
    """

    def __init__(
        self,
        backends: Iterable[SearchBackend],
        *,
        seconds_remembered: float,
        now: Callable[[], float] = time.time,
        **cascade: Any,
    ) -> None:
        super().__init__(backends, **cascade)
        self._remembered = seconds_remembered
        self._now = now
        self._answers: OrderedDict[_Key, tuple[float, Evidence]] = OrderedDict()

    def search(self, query: RetrievalQuery, access: AccessContext) -> Evidence:
        """See `Cascade.search`."""
        demand(access)
        key = (query, access.frontend_groups)
        since, known = self._answers.get(key, (0.0, None))
        if known is not None and 0 <= self._now() - since < self._remembered:
            return known
        evidence = super().search(query, access)
        failed = any(each.outcome is Outcome.FAILED for each in evidence.attempts)
        if not evidence.degraded and not failed:
            self._answers[key] = (self._now(), evidence)
            self._answers.move_to_end(key)
            if len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
        return evidence
