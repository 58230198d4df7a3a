"""REST API proxy events in, answers or problems out: the same for every route."""

import base64
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from typo3_retrieval.core.access import AccessContext as AccessContext
from typo3_retrieval.core.errors import BackendError, InvalidInput, SourceNotFound
from typo3_retrieval.core.text import one_line
from typo3_retrieval.edge.caller import NotAuthenticated, caller_of
from typo3_retrieval.edge.log import log_unexpected, logger
from typo3_retrieval.edge.metrics import measured
from typo3_retrieval.edge.models import Problem

MAX_BODY = 64 * 1024  # bytes; a question of 200 characters needs 3
MAX_DEPTH = 16  # levels of arrays and objects; our requests have two
MAX_NAMED_FIELDS = 3  # in a problem's detail

Request = TypeVar("Request", bound=BaseModel)
Event = Mapping[str, Any]
Response = dict[str, Any]
LambdaHandler = Callable[[Event, object], Response]

_HEADER_TEXT = re.compile(r"[A-Za-z0-9._:/=+-]{1,128}")
# A string (closed or not, so that one pass does), or a bracket.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class Refused(Exception):
    """The request cannot be used; the message is for the caller."""

    def __init__(
        self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def http_handler(
    model: type[Request],
    *,
    as_text: Callable[[Any], str] | None = None,
    now: Callable[[], float] = time.time,
) -> Callable[[Callable[[Request, AccessContext], BaseModel]], LambdaHandler]:
    """Make a Lambda handler of a function from a checked request to an answer.

    Args:
        model: the request; read from the body of a POST, from the query string of a GET.
        as_text: turns the answer into text for callers who accept that and no JSON.
        now: UNIX epoch, seconds.
    """

    def decorate(answer: Callable[[Request, AccessContext], BaseModel]) -> LambdaHandler:
        def respond(event: Event, access: AccessContext) -> Response:
            return _answered(event, answer(_request(model, event), access), as_text)

        return event_handler(respond, now=now)

    return decorate


def event_handler(
    respond: Callable[[Event, AccessContext], Response],
    *,
    challenge: str = "Bearer",
    now: Callable[[], float] = time.time,
) -> LambdaHandler:
    """Make a Lambda handler of a function from an event and the right to read to a response.

    Args:
        respond: what it raises becomes a problem.
        challenge: how a 401 asks for a token, in its WWW-Authenticate header.
        now: UNIX epoch, seconds.
    """

    def lambda_handler(event: Event, context: object) -> Response:
        request_id = _request_id(event, context)
        with measured(request_id, str(event.get("resource", "")), context) as request:
            try:
                caller = caller_of(event, now=int(now()))
                response = respond(event, AccessContext.public_only(caller))
            except Exception as error:  # noqa: BLE001  # the border: nothing gets past it
                response = _problem(error, request_id, challenge)
            request.status = response["statusCode"]
            if _HEADER_TEXT.fullmatch(request_id):
                response["headers"]["X-Request-Id"] = request_id
        return response

    return lambda_handler


def _answered(event: Event, answer: BaseModel, as_text: Callable[[Any], str] | None) -> Response:
    if as_text is not None and prefers_text(header_of(event, "accept")):
        return response_of(HTTPStatus.OK, "text/plain; charset=utf-8", as_text(answer))
    return response_of(HTTPStatus.OK, "application/json", answer.model_dump_json())


def _problem(error: Exception, request_id: str, challenge: str) -> Response:
    """The problem+json for *error*; what is nobody else's business stays in the log."""
    status, detail = explained(error)
    problem = Problem(title=status.phrase, status=status, detail=detail, request_id=request_id)
    response = response_of(status, "application/problem+json", problem.model_dump_json())
    if status is HTTPStatus.UNAUTHORIZED:
        response["headers"]["WWW-Authenticate"] = challenge
    if isinstance(error, Refused):
        response["headers"] |= error.headers
    return response


def explained(error: Exception) -> tuple[HTTPStatus, str]:
    """The status of *error* and what its caller may know; an unexpected one is logged."""
    match error:
        case Refused():
            return error.status, error.detail
        case InvalidInput():
            return HTTPStatus.BAD_REQUEST, one_line(str(error))
        case NotAuthenticated():
            logger.warning("not authenticated", extra={"reason": str(error)})
            return HTTPStatus.UNAUTHORIZED, "A valid token is needed."
        case SourceNotFound():
            return HTTPStatus.NOT_FOUND, "Source not found or not permitted."
        case BackendError():
            logger.warning("backend failed", extra={"reason": str(error)})
            return HTTPStatus.SERVICE_UNAVAILABLE, "The source's backend does not answer."
    log_unexpected(error)
    return HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong here; the log tells what."


def _request(model: type[Request], event: Event) -> Request:
    """The checked request.

    Raises:
        Refused: a field is wrong; names it.
    """
    is_get = event.get("httpMethod") == "GET"
    fields = event.get("queryStringParameters") or {} if is_get else parse_json(body_of(event))
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, named_fields(error)) from None


def named_fields(error: ValidationError) -> str:
    """Name the fields that are wrong, and what they should be. Never their values."""
    wrong: dict[str, list[str]] = {}
    for each in error.errors(include_url=False, include_input=False, include_context=False):
        if not each["loc"]:
            return "The body must be a JSON object."
        # What follows the name are a union's branches and a list's positions.
        field = one_line(str(each["loc"][0]))[:64]
        message = "unknown field" if each["type"] == "extra_forbidden" else each["msg"]
        wrong.setdefault(field, []).append(message)
    named = [f"{field}: {' or '.join(dict.fromkeys(all_))}." for field, all_ in wrong.items()]
    return " ".join(named[:MAX_NAMED_FIELDS])


def body_of(event: Event) -> str:
    """The body as text, within its limit.

    Raises:
        Refused: it is larger, or no text.
    """
    body = event.get("body") or ""
    too_large = Refused(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is larger than {MAX_BODY} bytes."
    )
    if len(body) > MAX_BODY * 4 // 3 + 4:  # the length in Base64; no character is under a byte
        raise too_large
    try:
        if event.get("isBase64Encoded"):
            raw = base64.b64decode(body, validate=True)
        else:
            raw = body.encode("utf-8")
        if len(raw) > MAX_BODY:
            raise too_large
        return raw.decode("utf-8")
    except ValueError:  # no UTF-8, no Base64
        raise Refused(HTTPStatus.BAD_REQUEST, "The body is no UTF-8 text.") from None


def parse_json(text: str) -> object:
    """Parse a request's JSON, strictly: no duplicate names, no NaN, no deep nesting.

    Raises:
        Refused: the text is something else.
    """
    if not text.strip():
        raise Refused(HTTPStatus.BAD_REQUEST, "The body is empty; it must be a JSON object.")
    if _depth(text) > MAX_DEPTH:
        raise Refused(HTTPStatus.BAD_REQUEST, f"JSON is nested deeper than {MAX_DEPTH} levels.")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            f"Malformed JSON: {error.msg} at line {error.lineno}, column {error.colno}.",
        ) from None
    except ValueError:  # a number of thousands of digits
        raise Refused(HTTPStatus.BAD_REQUEST, "Malformed JSON: a number is too long.") from None


def _depth(text: str) -> int:
    deepest = depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        first = match[0][0]
        depth += (first in "[{") - (first in "]}")
        deepest = max(deepest, depth)
    return deepest


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says a thing twice: readers differ on which one counts."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        known = name.encode("utf-8", "replace").decode()  # a lone surrogate is no character
        if known in members:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{one_line(known)[:64]}: is there twice.")
        members[known] = value
    return members


def _no_constant(name: str) -> None:
    raise Refused(HTTPStatus.BAD_REQUEST, f"Malformed JSON: {name} is no number.")


def prefers_text(accept: str) -> bool:
    """Whether a caller who sends this Accept header wants text rather than JSON.

    The higher weight wins, of equal ones the first; a browser's or library's default list,
    which names JSON first or only ``*/*``, gets JSON.
    """
    ranges = []
    for part in accept.lower().split(","):
        kind, _, parameters = part.partition(";")
        weight = re.search(r"(?:^|;)\s*q=([0-9.]+)", parameters)
        try:
            quality = float(weight[1]) if weight else 1.0
        except ValueError:
            quality = 0.0
        ranges.append((-quality, kind.strip()))
    for quality, kind in sorted(ranges, key=lambda each: each[0]):
        if quality and kind in ("text/plain", "text/*"):
            return True
        if quality and kind in ("application/json", "application/*", "*/*"):
            return False
    return False


def header_of(event: Event, name: str) -> str:
    """The value of the header *name*, in lower case; empty if it is not there."""
    headers: Mapping[str, str] = event.get("headers") or {}
    return next((value for key, value in headers.items() if key.lower() == name), "")


def _request_id(event: Event, context: object) -> str:
    """API Gateway's id of the request, which its own log and the caller's headers show too."""
    request_context = event.get("requestContext") or {}
    return str(request_context.get("requestId") or getattr(context, "aws_request_id", ""))


def response_of(status: HTTPStatus, content_type: str, body: str) -> Response:
    """The answer to a proxy event; nobody may store it."""
    return {
        "statusCode": status.value,
        "headers": {
            "Content-Type": content_type,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
        "body": body,
        "isBase64Encoded": False,
    }
