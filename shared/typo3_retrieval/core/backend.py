"""The port that every search engine implements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.core.evidence import EvidenceSource
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a backend can be asked, and if not, why not (for people: no host, no secret)."""

    available: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.available


AVAILABLE = Availability(True)


def unavailable(reason: str) -> Availability:
    """Say that a backend cannot be asked: ``unavailable("no database configured")``."""
    return Availability(False, reason)


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """One engine's hits, best first, and what the reader should know about them.

    A backend may return more hits than the query's limit: the cascade removes duplicates
    first and cuts then.
    """

    sources: Sequence[EvidenceSource]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The whole public text of one source."""

    source_id: SourceId
    title: str
    url: str  # absolute
    text: str  # plain text with "#" headings, not cut
    last_modified: int | None = None  # UNIX epoch, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """How full an index is and how fresh."""

    documents: int
    newest: int | None  # UNIX epoch, seconds: when something was last indexed


@runtime_checkable
class IndexedBackend(Protocol):
    """A backend that can tell about its index. The probe asks; no search needs it."""

    def index_state(self) -> IndexState:
        """Look at the index.

        Raises:
            BackendError: the engine did not answer.
        """


class SearchBackend(Protocol):
    """One search engine behind the cascade."""

    @property
    def name(self) -> str:
        """First segment of every source id that this backend emits, e.g. ``solr``."""

    def availability(self) -> Availability:
        """Whether this backend is configured and its index is there. Asked once per search.

        Raises:
            BackendError: that could not be found out; the cascade skips the backend.
        """

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        """Search what *access* may read.

        No sources means that the engine searched and found nothing; the cascade takes that
        as final.

        Raises:
            BackendError: the engine did not answer.
        """

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        """Read one source in full; None when it is unknown, gone or not public.

        Raises:
            BackendError: the engine did not answer.
        """
