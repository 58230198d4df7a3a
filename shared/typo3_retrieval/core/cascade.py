"""Ask the backends in turn; the first that answers is believed."""

import logging
import math
import time
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit, urlunsplit

from typo3_retrieval.core.access import AccessContext, demand
from typo3_retrieval.core.backend import (
    Availability,
    Document,
    SearchAnswer,
    SearchBackend,
)
from typo3_retrieval.core.deadline import seconds_left, within
from typo3_retrieval.core.errors import BackendError, SourceNotFound
from typo3_retrieval.core.evidence import Attempt, Evidence, EvidenceSource, Outcome
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.core.turns import Turns

log = logging.getLogger(__name__)

NO_BACKEND_NOTE = "No search backend available."


class Cascade:
    """Backends in the order in which they are asked.

    Args:
        backends: the first one is asked first.
        notes: what every answer should say, such as a site that could not be read.
        seconds: for a whole search or fetch; when they are over, no further backend is asked.
            A backend may take half of what is left, the last one all of it.
        turns: gives the backends their turns; default: without a pause after a failure.
        clock: seconds, monotonic; measures the attempts.
    """

    def __init__(
        self,
        backends: Iterable[SearchBackend],
        *,
        notes: Sequence[str] = (),
        seconds: float = math.inf,
        turns: Turns | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backends = tuple(backends)
        self._notes = tuple(notes)
        self._seconds = seconds
        self._turns = turns or Turns(cool_down=0)
        self._clock = clock

    @property
    def backends(self) -> Sequence[SearchBackend]:
        """Those that take part, the first asked first."""
        return self._backends

    def search(self, query: RetrievalQuery, access: AccessContext) -> Evidence:
        """Return the first answer. An empty answer is an answer."""
        demand(access)
        attempts: list[Attempt] = []
        notes = [*self._notes, *query.notes]
        deadline = self._clock() + self._seconds
        for place, backend in enumerate(self._backends, start=1):
            left = min(deadline - self._clock(), seconds_left())
            if left <= 0:
                notes.append(f'Backend "{backend.name}" was not asked: the time was over.')
                continue
            is_last = place == len(self._backends)
            answer, attempt = self._ask(backend, query, access, left if is_last else left / 2)
            attempts.append(attempt)
            if answer is not None:
                return Evidence(
                    backend=backend.name,
                    sources=tuple(answer.sources),
                    notes=(*notes, *answer.notes),
                    attempts=tuple(attempts),
                )
            if attempt.outcome is Outcome.FAILED:
                notes.append(f'Backend "{backend.name}" failed and was skipped.')
        return Evidence(notes=(*notes, NO_BACKEND_NOTE), attempts=tuple(attempts))

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document:
        """Read one source in full from the backend that its id names.

        Raises:
            SourceNotFound: unknown, gone or not public; these are never told apart.
            BackendError: its backend did not answer.
        """
        demand(access)
        for backend in self._backends:
            if backend.name == source_id.backend:
                document = self._fetch(backend, source_id, access)
                if document is not None:
                    return document
        raise SourceNotFound("Source not found or not permitted.")

    def is_available(self) -> bool:
        """Whether a search now would find a backend to ask."""
        with within(self._seconds):
            return any(self._is_available(backend) for backend in self._backends)

    def _ask(
        self, backend: SearchBackend, query: RetrievalQuery, access: AccessContext, seconds: float
    ) -> tuple[SearchAnswer | None, Attempt]:
        """Give *backend* its turn. The one place that survives a stranger's bug."""

        def work() -> tuple[Availability, SearchAnswer | None]:
            availability = backend.availability()
            if not availability:
                return availability, None
            found = backend.search(query, access)
            # Read here, where an odd answer is survived as well as an exception.
            sources = _distinct(found.sources)[: query.limit]
            return availability, SearchAnswer(sources, tuple(found.notes))

        started = self._clock()
        answer, outcome, reason = None, Outcome.FAILED, ""
        try:
            availability, answer = self._turns.take(backend.name, work, seconds=seconds)
            if answer is None:
                outcome, reason = Outcome.UNAVAILABLE, availability.reason
            else:
                outcome = Outcome.ANSWERED
        except BackendError as error:
            log.warning("backend %s skipped: %s", backend.name, error)
            reason = error.reason
        except Exception:
            # The message may hold the question, so the log gets the trace only at DEBUG.
            log.error("backend %s raised an unexpected error", backend.name)
            log.debug("unexpected error", exc_info=True)
            reason = "internal error"
        milliseconds = round((self._clock() - started) * 1000)
        return answer, Attempt(
            backend=backend.name, outcome=outcome, reason=reason, milliseconds=milliseconds
        )

    def _fetch(
        self, backend: SearchBackend, source_id: SourceId, access: AccessContext
    ) -> Document | None:
        def work() -> Document | None:
            return backend.fetch(source_id, access) if backend.availability() else None

        try:
            return self._turns.take(backend.name, work, seconds=self._seconds)
        except BackendError:
            raise
        except Exception as error:
            log.debug("unexpected error", exc_info=True)
            raise BackendError(f"backend {backend.name} raised an unexpected error") from error

    def _is_available(self, backend: SearchBackend) -> bool:
        if self._turns.is_resting(backend.name):
            return False
        try:
            return bool(self._turns.take(backend.name, backend.availability))
        except Exception:
            log.warning("backend %s could not tell whether it is available", backend.name)
            log.debug("unexpected error", exc_info=True)
            return False


def _distinct(sources: Iterable[EvidenceSource]) -> tuple[EvidenceSource, ...]:
    """Keep the first hit of each address."""
    distinct: dict[str, EvidenceSource] = {}
    for source in sources:
        distinct.setdefault(_identity(source), source)
    return tuple(distinct.values())


def _identity(source: EvidenceSource) -> str:
    """What makes two hits the same: the normalised URL, else the source id.

    Scheme and host in lower case, no fragment, no trailing slash: `/a`, `/a/` and `/a#c12`
    are one page.
    """
    try:
        parts = urlsplit(source.url)
    except ValueError:  # such as an unclosed bracket in the host
        parts = None
    if parts is None or not parts.netloc:
        return str(source.source_id)
    return urlunsplit(
        (parts.scheme.lower(), parts.netloc.lower(), parts.path.rstrip("/"), parts.query, "")
    )
