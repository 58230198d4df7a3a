"""Who calls: what the authorizer found out, as API Gateway hands it on."""

from collections.abc import Mapping
from typing import Any

from typo3_retrieval.core.access import BackendUser

LEEWAY = 30  # seconds by which clocks may differ


class NotAuthenticated(Exception):
    """No authorizer vouches for the caller, or no longer."""


def caller_of(event: Mapping[str, Any], *, now: int) -> BackendUser:
    """The backend user for whom *event* was let in.

    API Gateway caches an authorizer's answer, so the token may have run out since; its
    expiry is checked again.

    Args:
        event: of a REST API's Lambda proxy integration.
        now: UNIX epoch, seconds.

    Raises:
        NotAuthenticated: the context is missing, incomplete or out of date.
    """
    request_context = event.get("requestContext")
    context = request_context.get("authorizer") if isinstance(request_context, Mapping) else None
    if not isinstance(context, Mapping):
        raise NotAuthenticated("no authorizer")
    subject, expires = str(context.get("sub") or ""), str(context.get("exp") or "")
    if not subject.isdecimal() or not expires.isdecimal():
        raise NotAuthenticated("incomplete authorizer context")
    if int(expires) + LEEWAY <= now:
        raise NotAuthenticated("expired")
    return BackendUser(subject)
