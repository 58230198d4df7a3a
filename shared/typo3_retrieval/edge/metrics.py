"""What is measured of every request, for the log and for CloudWatch: who answered, and how well.

A metric is a line on standard output in CloudWatch's embedded format; no request waits for it.
Neither line ever holds a question, a source or a caller.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from typo3_retrieval.core.deadline import within
from typo3_retrieval.core.evidence import Attempt, Evidence, Outcome
from typo3_retrieval.edge.log import logger

SERVICE = "typo3_retrieval"
DEFAULT_NAMESPACE = "typo3-retrieval"  # POWERTOOLS_METRICS_NAMESPACE; the template's: the stack
SPARE_SECONDS = 0.5  # between our own end and Lambda's

Unit = Literal["Count", "Milliseconds", "Seconds"]
Values = Mapping[str, tuple[float, Unit]]


@dataclass(slots=True)
class Measured:
    """What one request turned out to be."""

    status: int = 500  # until it is known
    facts: dict[str, object] = field(default_factory=dict)  # for the log
    values: dict[str, tuple[float, Unit]] = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()


_current: ContextVar[Measured | None] = ContextVar("measured", default=None)


@contextmanager
def measured(request_id: str, route: str, context: object) -> Iterator[Measured]:
    """Measure what is done inside, give it what Lambda leaves of its time, and tell at the end.

    Args:
        request_id: by which the log knows the request; each line inside carries it.
        route: of the API, or the name of another entrance.
        context: Lambda's.
    """
    started = time.monotonic()
    request = Measured()
    token = _current.set(request)
    try:
        with logger.append_context_keys(request_id=request_id), within(_seconds(context)):
            yield request
            milliseconds = round((time.monotonic() - started) * 1000)
            facts = {"route": route, "status": request.status, "milliseconds": milliseconds}
            logger.info("answered", extra=facts | request.facts)
            _tell(request, milliseconds)
    finally:
        _current.reset(token)


def note_evidence(evidence: Evidence, language_id: int) -> None:
    """Note for the request that is being measured, if any, what a search brought."""
    request = _current.get()
    if request is None:
        return
    failed = any(attempt.outcome is Outcome.FAILED for attempt in evidence.attempts)
    best = next((source.confidence for source in evidence.sources), None)
    is_empty = not evidence.sources and not evidence.degraded
    request.attempts += evidence.attempts
    request.facts |= {
        "backend": evidence.backend,
        "degraded": evidence.degraded,
        "empty": is_empty,
        "hits": len(evidence.sources),
        "language": language_id,
        "confidence": best.value if best else "",
        "attempts": [
            {
                "backend": attempt.backend,
                "outcome": attempt.outcome.value,
                "reason": attempt.reason,
                "milliseconds": attempt.milliseconds,
            }
            for attempt in evidence.attempts
        ],
    }
    request.values |= {
        "Degraded": (evidence.degraded, "Count"),
        "Fallback": (failed and not evidence.degraded, "Count"),
        "Empty": (is_empty, "Count"),
        "Hits": (len(evidence.sources), "Count"),
        "Confident": (best == "high", "Count"),
    }


def emit(values: Values, **dimensions: str) -> None:
    """Write *values* as metrics of this service, with further *dimensions*."""
    from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

    namespace = os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or DEFAULT_NAMESPACE
    metrics = EphemeralMetrics(namespace=namespace, service=SERVICE)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    for name, (number, unit) in values.items():
        metrics.add_metric(name, unit=MetricUnit(unit), value=float(number))
    metrics.flush_metrics()


def _tell(request: Measured, milliseconds: int) -> None:
    failed = request.status >= 500
    emit(
        {
            "Requests": (1, "Count"),
            "Failures": (failed, "Count"),
            "Latency": (milliseconds, "Milliseconds"),
            **request.values,
        }
    )
    for attempt in request.attempts:
        if attempt.outcome is not Outcome.UNAVAILABLE:
            emit(
                {
                    "AttemptFailed": (attempt.outcome is Outcome.FAILED, "Count"),
                    "AttemptLatency": (attempt.milliseconds, "Milliseconds"),
                },
                backend=attempt.backend,
            )


def _seconds(context: object) -> float:
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    return float("inf") if remaining is None else remaining() / 1000 - SPARE_SECONDS
