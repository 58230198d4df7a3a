"""Who calls: what the authorizer found out, as API Gateway hands it on."""

import re
from collections.abc import Mapping
from typing import Any

from typo3_retrieval.core.access import BackendUser

LEEWAY = 30  # seconds by which clocks may differ
SUBJECT = re.compile(r"[1-9][0-9]{0,9}")  # uid of a be_users row
_SECONDS = re.compile(r"[0-9]{1,12}")


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
        NotAuthenticated: the context is missing, incomplete or out of date, or the request
            carries two tokens.
    """
    if _authorization_headers(event) > 1:
        # The gateway had one of them checked; which one, a caller must not be able to choose.
        raise NotAuthenticated("more than one Authorization header")
    request_context = event.get("requestContext")
    context = request_context.get("authorizer") if isinstance(request_context, Mapping) else None
    if not isinstance(context, Mapping):
        raise NotAuthenticated("no authorizer")
    subject, expires = str(context.get("sub") or ""), str(context.get("exp") or "")
    if not SUBJECT.fullmatch(subject) or not _SECONDS.fullmatch(expires):
        raise NotAuthenticated("incomplete authorizer context")
    if int(expires) + LEEWAY <= now:
        raise NotAuthenticated("expired")
    return BackendUser(subject)


def _authorization_headers(event: Mapping[str, Any]) -> int:
    headers = event.get("multiValueHeaders")
    found = headers.items() if isinstance(headers, Mapping) else ()
    return sum(len(values or ()) for name, values in found if str(name).lower() == "authorization")
