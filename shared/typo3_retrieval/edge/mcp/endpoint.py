"""POST /mcp: a proxy event through the protocol."""

import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus

from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.edge.connector import CONNECTOR_TOOLS
from typo3_retrieval.edge.http import (
    Event,
    LambdaHandler,
    Refused,
    Response,
    body_of,
    event_handler,
    header_of,
    response_of,
)
from typo3_retrieval.edge.mcp import messages, methods
from typo3_retrieval.edge.mcp.eras import Era, era_of
from typo3_retrieval.edge.mcp.messages import INVALID_PARAMS, RpcError
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.tools import SITE_TOOLS, Tool

# Some clients refuse a server that has other tools than these two.
PROFILES: Mapping[str, Sequence[Tool]] = {
    "all": (*SITE_TOOLS, *CONNECTOR_TOOLS),
    "connector": CONNECTOR_TOOLS,
}


def mcp_handler(services: Services, *, now: Callable[[], float] = time.time) -> LambdaHandler:
    """Make the Lambda handler of the route.

    Args:
        services: the built system.
        now: UNIX epoch, seconds.
    """
    settings = services.settings

    def respond(event: Event, access: AccessContext) -> Response:
        _check_transport(event, settings.mcp_origins)
        message_id = era = None
        try:
            message = messages.read(body_of(event))
            message_id = message.id
            tools = _profile(event)
            era = era_of(message, event)
            if message_id is None:
                return response_of(HTTPStatus.ACCEPTED, "application/json", "")
            result = methods.answer(services, tools, message, era, access)
            return _json(HTTPStatus.OK, messages.result(message_id, result))
        except RpcError as error:
            # Legacy clients take a 4xx for a broken connection once their version is agreed on.
            status = HTTPStatus.OK if era is Era.LEGACY else error.status
            return _json(status, messages.failure(message_id, error))

    metadata = settings.resource_metadata
    challenge = f'Bearer resource_metadata="{metadata}"' if metadata else "Bearer"
    return event_handler(respond, challenge=challenge, now=now)


def _check_transport(event: Event, origins: frozenset[str]) -> None:
    """Refuse what is no call of the protocol.

    Raises:
        Refused: a web page that may not call, or another method than POST.
    """
    origin = header_of(event, "origin")
    if origin and origin not in origins:
        raise Refused(HTTPStatus.FORBIDDEN, "This origin may not call.")
    if event.get("httpMethod") != "POST":
        # No stream to listen to and no session to end: nothing is kept between two requests.
        raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "Only POST.", headers={"Allow": "POST"})


def _profile(event: Event) -> Sequence[Tool]:
    """The tools that the address asks for: ``?profile=connector``."""
    name = (event.get("queryStringParameters") or {}).get("profile", "all")
    if name not in PROFILES:
        raise RpcError(INVALID_PARAMS, f"Unknown profile. Profiles: {', '.join(PROFILES)}.")
    return PROFILES[name]


def _json(status: HTTPStatus, body: str) -> Response:
    return response_of(status, "application/json", body)
