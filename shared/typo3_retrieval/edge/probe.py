"""Asks each backend by itself, as a user would: who answers, with the right page, how fresh."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.backend import IndexedBackend, IndexState, SearchBackend
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.errors import BackendError, ConfigurationError
from typo3_retrieval.core.evidence import Attempt, Evidence, Outcome
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.turns import Turns
from typo3_retrieval.edge.log import logger
from typo3_retrieval.edge.metrics import Unit, emit
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import CANARIES, Canary

PROBE = AccessContext.public_only(BackendUser("_probe_"))
ANY_QUESTION = "welcome"  # where no canary is set: only whether there is an answer counts


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryReport:
    """What became of a question whose answer is known."""

    site: str
    page: int  # that should be among the sources
    hit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendReport:
    """What was seen of one backend."""

    backend: str
    expected: bool  # to answer: named in RETRIEVAL_BACKENDS, or configured
    configured: bool
    reachable: bool
    reason: str = ""  # why it is not
    milliseconds: int | None = None  # of its slowest answer
    documents: int | None = None  # in its index; None: it has none, or does not tell
    index_age: int | None = None  # seconds since something was indexed
    canaries: tuple[CanaryReport, ...] = ()

    @property
    def is_up(self) -> bool:
        """Whether it answers out of an index that holds something."""
        return self.reachable and self.documents != 0

    @property
    def is_right(self) -> bool:
        """Whether it does what is expected of it."""
        return not self.expected or (self.is_up and all(each.hit for each in self.canaries))


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was seen of all."""

    backends: tuple[BackendReport, ...]

    @property
    def is_healthy(self) -> bool:
        """Whether everybody who should answer does, and somebody does at all."""
        return any(each.is_up for each in self.backends) and all(
            each.is_right for each in self.backends
        )

    def document(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "healthy": self.is_healthy,
            "backends": [
                {**asdict(each), "up": each.is_up, "right": each.is_right} for each in self.backends
            ],
        }


def probe(services: Services) -> Report:
    """Ask each backend by itself. None of their failures raises, none makes another's turn late.

    Raises:
        ConfigurationError: a canary names a site or a language that does not exist.
    """
    services = services.current()
    for canary in services.settings.canaries:
        site = next((each for each in services.sites if each.identifier == canary.site), None)
        if site is None or site.language(canary.language) is None:
            raise ConfigurationError(
                f"{CANARIES} asks site {canary.site!r} in language {canary.language}, "
                f"which does not exist."
            )
    return Report(backends=tuple(_report(services, each) for each in services.cascade.backends))


def probe_handler(services: Services) -> Callable[[object, object], dict[str, Any]]:
    """Make the Lambda handler of the schedule."""

    def lambda_handler(event: object, context: object) -> dict[str, Any]:
        del event, context
        report = probe(services)
        document = report.document()
        log = logger.info if report.is_healthy else logger.error
        log("probe", extra={"report": document})
        _emit(report)
        return document

    return lambda_handler


def _emit(report: Report) -> None:
    for each in report.backends:
        if each.expected:
            emit({"BackendUp": (each.is_up, "Count")}, backend=each.backend)
        if each.milliseconds is not None:
            emit({"BackendLatency": (each.milliseconds, "Milliseconds")}, backend=each.backend)
        if each.expected and each.canaries:
            hits = all(canary.hit for canary in each.canaries)
            emit({"CanaryHit": (hits, "Count")}, backend=each.backend)
        if each.index_age is not None:
            emit({"IndexAge": (each.index_age, "Seconds")}, backend=each.backend)
    ages = [each.index_age for each in report.backends if each.index_age is not None]
    canaries = [
        each for backend in report.backends if backend.expected for each in backend.canaries
    ]
    down = sum(each.expected and not each.is_up for each in report.backends)
    values: dict[str, tuple[float, Unit]] = {"BackendsDown": (down, "Count")}
    if canaries:
        values["CanariesMissed"] = (sum(not each.hit for each in canaries), "Count")
    if ages:
        values["OldestIndexHours"] = (max(ages) / 3600, "Count")
    emit(values)


def _report(services: Services, backend: SearchBackend) -> BackendReport:
    asked = list(_asked(services, backend))
    attempts = [attempt for _, evidence in asked for attempt in evidence.attempts]
    failed = _first(attempts, Outcome.FAILED)
    unavailable = _first(attempts, Outcome.UNAVAILABLE)
    wrong = failed or unavailable
    answered = [each.milliseconds for each in attempts if each.outcome is Outcome.ANSWERED]
    state, reason = (None, wrong.reason) if wrong else _index(services, backend)
    named = backend.name in (services.settings.backends or ())
    return BackendReport(
        backend=backend.name,
        expected=named or unavailable is None,
        configured=unavailable is None,
        reachable=not reason,
        reason=reason,
        milliseconds=max(answered, default=None),
        documents=state.documents if state else None,
        index_age=_age(services, state),
        canaries=tuple(
            CanaryReport(
                site=canary.site,
                page=canary.page,
                hit=any(source.page_uid == canary.page for source in evidence.sources),
            )
            for canary, evidence in asked
            if canary is not None
        ),
    )


def _asked(services: Services, backend: SearchBackend) -> Iterator[tuple[Canary | None, Evidence]]:
    """Ask the backend what it should know; the turns are the probe's own, without a pause."""
    seconds = services.settings.deadline_seconds
    cascade = Cascade([backend], seconds=seconds, turns=Turns(cool_down=0))
    canaries: Sequence[Canary | None] = services.settings.canaries or (None,)
    for canary in canaries:
        query = RetrievalQuery.of(ANY_QUESTION)
        if canary is not None:
            query = RetrievalQuery.of(
                canary.question, site=canary.site, language_id=canary.language
            )
        evidence = cascade.search(query, PROBE)
        yield canary, evidence
        if evidence.degraded:
            break  # the others would only wait as long for nothing


def _first(attempts: Sequence[Attempt], outcome: Outcome) -> Attempt | None:
    return next((each for each in attempts if each.outcome is outcome), None)


def _index(services: Services, backend: SearchBackend) -> tuple[IndexState | None, str]:
    """The state of its index, and why that cannot be had."""
    if not isinstance(backend, IndexedBackend):
        return None, ""
    turns = Turns(cool_down=0)
    try:
        seconds = services.settings.deadline_seconds
        return turns.take(backend.name, backend.index_state, seconds=seconds), ""
    except BackendError as error:
        return None, error.reason
    except Exception:  # noqa: BLE001  # a stranger's
        logger.error("backend %s raised an unexpected error", backend.name)
        return None, "internal error"


def _age(services: Services, state: IndexState | None) -> int | None:
    if state is None or state.newest is None:
        return None
    return max(0, services.now() - state.newest)  # clocks differ
