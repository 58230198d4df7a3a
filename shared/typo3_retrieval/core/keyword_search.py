"""Keyword search for callers that must never fail: it clamps, it degrades, it does not throw."""

from dataclasses import dataclass, field

from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.evidence import Evidence, EvidenceSource, Outcome
from typo3_retrieval.core.query import DEFAULT_SOURCES, RetrievalQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordAnswer:
    """Hits, best first, and whether they can be trusted to be all."""

    hits: tuple[EvidenceSource, ...] = ()
    available: bool = True  # a backend answered
    degraded: bool = False  # a backend failed or none was there: no hits may mean nothing
    evidence: Evidence = field(default_factory=Evidence)  # empty: nobody was asked


class KeywordSearch:
    """One facade over a cascade. Two are built: over all backends, and over the index-backed.

    Index-backed means priority > 0: a site that has no index answers nothing rather than
    scan its tables.
    """

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade

    def search(
        self,
        text: str,
        access: AccessContext,
        *,
        limit: int = DEFAULT_SOURCES,
        language_id: int | None = None,
        site: str | None = None,
    ) -> KeywordAnswer:
        """Search for *text*; out-of-range values are clamped, failures give no hits.

        Text that is empty or too short finds nothing, which is no failure.
        """
        try:
            query = RetrievalQuery.of(
                text, limit=limit, site=site, language_id=max(0, language_id or 0)
            )
        except InvalidInput:
            return KeywordAnswer(available=self.is_available())
        evidence = self._cascade.search(query, access)
        failed = any(attempt.outcome is Outcome.FAILED for attempt in evidence.attempts)
        return KeywordAnswer(
            hits=evidence.sources,
            available=not evidence.degraded,
            degraded=evidence.degraded or failed,
            evidence=evidence,
        )

    def is_available(self) -> bool:
        """Whether a search now would find a backend to ask."""
        return self._cascade.is_available()
