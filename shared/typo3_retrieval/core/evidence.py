"""What a retrieval returns."""

from dataclasses import dataclass
from enum import StrEnum

from typo3_retrieval.core.source_id import SourceId

NO_BACKEND = "none"  # the name in an answer that no backend gave


class Confidence(StrEnum):
    """How much of the question's meaning one hit covers."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSource:
    """One hit: a passage of one source, as an anonymous visitor could read it."""

    source_id: SourceId
    title: str
    url: str  # absolute; what an answer cites
    excerpt: str  # plain text, at most 320 characters and two ellipses
    language_id: int  # sys_language_uid that was asked for
    site: str | None = None  # site identifier
    page_uid: int | None = None  # uid of the default-language page
    score: float | None = None  # the engine's own scale; never compare two engines'
    confidence: Confidence | None = None
    last_modified: int | None = None  # UNIX epoch, seconds


class Outcome(StrEnum):
    """How one backend's turn in the cascade ended."""

    ANSWERED = "answered"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One backend's turn in the cascade."""

    backend: str
    outcome: Outcome
    reason: str = ""  # why it did not answer; for people, without hosts or secrets
    milliseconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The hits of the one backend that answered, best first."""

    backend: str = NO_BACKEND
    sources: tuple[EvidenceSource, ...] = ()
    notes: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    @property
    def degraded(self) -> bool:
        """Whether nobody could search, which is not the same as finding nothing."""
        return self.backend == NO_BACKEND
