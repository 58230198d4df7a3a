"""All that the author of a backend imports: `Registration`, `Resources` and the port."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from typo3_retrieval.core.access import AccessContext as AccessContext
from typo3_retrieval.core.backend import AVAILABLE as AVAILABLE
from typo3_retrieval.core.backend import Availability as Availability
from typo3_retrieval.core.backend import Document as Document
from typo3_retrieval.core.backend import IndexState as IndexState
from typo3_retrieval.core.backend import SearchAnswer as SearchAnswer
from typo3_retrieval.core.backend import SearchBackend as SearchBackend
from typo3_retrieval.core.backend import unavailable as unavailable
from typo3_retrieval.core.deadline import seconds_left as seconds_left
from typo3_retrieval.core.errors import BackendError as BackendError
from typo3_retrieval.core.errors import BackendProtocolError as BackendProtocolError
from typo3_retrieval.core.errors import BackendUnavailable as BackendUnavailable
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.evidence import Confidence as Confidence
from typo3_retrieval.core.evidence import EvidenceSource as EvidenceSource
from typo3_retrieval.core.query import RetrievalQuery as RetrievalQuery
from typo3_retrieval.core.source_id import SourceId as SourceId
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.sites import Sites

if TYPE_CHECKING:
    import httpx  # 90 ms of a cold start: only a backend that speaks HTTP pays them

ENTRY_POINT_GROUP = "typo3_retrieval.backends"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What a backend may use; built once, at the composition root."""

    sites: Sites
    database: Database | None  # None: no database is configured
    public_pages: PublicPages | None  # None exactly when there is no database
    now: Callable[[], int]  # UNIX epoch, seconds: the unit of TYPO3's columns
    options: Mapping[str, str] = field(default_factory=dict)  # RETRIEVAL_<NAME>_<OPTION>, by
    # the option's name in lower case
    secret: Callable[[bool], Mapping[str, object]] | None = None  # reads the JSON object that
    # RETRIEVAL_<NAME>_SECRET names; True asks the store anew, after a server refused it.
    # None: no such setting
    http: "Callable[[], httpx.Client] | None" = None  # tests' door; None: make your own client


@dataclass(frozen=True, slots=True)
class Registration:
    """A backend's name, its place in the cascade, and how to build it."""

    name: str
    priority: int  # higher is asked first; above 0 means backed by an index
    build: Callable[[Resources], SearchBackend]


def in_order(registrations: Iterable[Registration]) -> tuple[Registration, ...]:
    """Sort by priority, highest first, then by name.

    Raises:
        ConfigurationError: two registrations share a name.
    """
    found: dict[str, Registration] = {}
    for registration in registrations:
        if registration.name in found:
            raise ConfigurationError(f'Backend "{registration.name}" is registered twice.')
        found[registration.name] = registration
    return tuple(sorted(found.values(), key=lambda r: (-r.priority, r.name)))
