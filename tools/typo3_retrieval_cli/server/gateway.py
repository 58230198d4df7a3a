"""A request's way through API Gateway: route, authorizer, handler, answer."""

import base64
import json
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from typo3_retrieval_cli.server.authorizer import Context, Refused, TokenCheck
from typo3_retrieval_cli.server.functions import Functions, HandlerFailed
from typo3_retrieval_cli.server.template import GatewayResponse, Route, Template

MAX_BODY = 10 * 1024 * 1024  # bytes; API Gateway's limit
STAGE = "local"
API = "arn:aws:execute-api:local:000000000000:local"
PROBLEM = "application/problem+json"

Headers = Sequence[tuple[str, str]]

# What the gateway answers by itself: type -> (status, message).
_OWN_ANSWERS = {
    "MISSING_AUTHENTICATION_TOKEN": (403, "Missing Authentication Token"),  # no such route
    "UNAUTHORIZED": (401, "Unauthorized"),
    "ACCESS_DENIED": (403, "User is not authorized to access this resource"),
    "AUTHORIZER_FAILURE": (500, "Internal server error"),
    "AUTHORIZER_CONFIGURATION_ERROR": (500, "Internal server error"),
    "REQUEST_TOO_LARGE": (413, "Request Too Long"),
    "INTEGRATION_TIMEOUT": (504, "Endpoint request timed out"),
    "API_CONFIGURATION_ERROR": (502, "Internal server error"),  # a handler that failed
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One HTTP request as it came over the wire."""

    method: str
    target: str  # path and query
    headers: Headers = ()
    body: bytes = b""
    client: str = "127.0.0.1"

    def header(self, name: str) -> str | None:
        """The last header of this name, as the gateway takes it."""
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One HTTP answer."""

    status: int
    headers: Headers = ()
    body: bytes = b""


class Gateway:
    """The API of one template."""

    def __init__(self, template: Template, functions: Functions) -> None:
        self._routes = template.routes
        self._responses = template.responses
        self._functions = functions
        self._check = (
            TokenCheck(template.authorizer, functions) if template.authorizer is not None else None
        )

    def answer(self, request: Request) -> Response:
        """Answer *request* as API Gateway does. Never raises."""
        request_id = str(uuid.uuid4())
        try:
            route = self._route(request)
            if len(request.body) > MAX_BODY:
                raise Refused("REQUEST_TOO_LARGE")
            context = self._authorize(request, route)
            event = proxy_event(request, route, context, request_id)
            response = _response(self._functions.call(route.function, event))
        except Refused as refusal:
            response = self._refusal(refusal.kind, request_id)
        except TimeoutError:
            response = self._refusal("INTEGRATION_TIMEOUT", request_id)
        except HandlerFailed:
            response = self._refusal("API_CONFIGURATION_ERROR", request_id)
        return _with_id(response, request_id)

    def refuse(self, kind: str) -> Response:
        """Answer with the gateway response of this type, without having seen the request."""
        request_id = str(uuid.uuid4())
        return _with_id(self._refusal(kind, request_id), request_id)

    def _refusal(self, kind: str, request_id: str) -> Response:
        """The gateway's own answer of this type, as the template words it."""
        status, message = _OWN_ANSWERS[kind]
        default = self._responses.get("DEFAULT_4XX" if status < 500 else "DEFAULT_5XX")
        wanted = self._responses.get(kind) or default or GatewayResponse()
        status = wanted.status or status
        variables = {
            "requestId": request_id,
            "error.message": message,
            "error.messageString": json.dumps(message),
            "error.responseType": kind,
        }
        body = wanted.body or json.dumps(
            {
                "type": "about:blank",
                "title": message,
                "status": status,
                "detail": f"{message}.",
                "request_id": request_id,
            }
        )
        headers = {"content-type": PROBLEM, **wanted.headers}
        return Response(
            status=status,
            headers=tuple(headers.items()),
            body=_with_variables(body, variables).encode(),
        )

    def _route(self, request: Request) -> Route:
        path = urlsplit(request.target).path
        for route in self._routes:
            if route.path == path and route.method in (request.method, "ANY"):
                return route
        raise Refused("MISSING_AUTHENTICATION_TOKEN")

    def _authorize(self, request: Request, route: Route) -> Context:
        if self._check is None or not route.authorized:
            return {}
        arn = f"{API}/{STAGE}/{request.method}{route.path}"
        return self._check.context(request.header(self._check.authorizer.header), arn)


def proxy_event(
    request: Request, route: Route, authorizer: Context, request_id: str
) -> dict[str, Any]:
    """The event of a REST API's Lambda proxy integration, payload version 1.0."""
    url = urlsplit(request.target)
    query = _multi(parse_qsl(url.query, keep_blank_values=True))
    headers = _multi(request.headers)
    body, is_base64 = _body(request.body)
    now = time.time()
    return {
        "resource": route.path,
        "path": url.path,
        "httpMethod": request.method,
        "headers": {name: values[-1] for name, values in headers.items()},
        "multiValueHeaders": headers,
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "authorizer": dict(authorizer),
            "extendedRequestId": request_id,
            "httpMethod": request.method,
            "identity": {
                "sourceIp": request.client,
                "userAgent": request.header("User-Agent"),
            },
            "path": f"/{STAGE}{url.path}",
            "protocol": "HTTP/1.1",
            "requestId": request_id,
            "requestTime": datetime.fromtimestamp(now, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "requestTimeEpoch": int(now * 1000),
            "resourceId": "local",
            "resourcePath": route.path,
            "stage": STAGE,
        },
        "body": body,
        "isBase64Encoded": is_base64,
    }


def _with_id(response: Response, request_id: str) -> Response:
    headers = (*response.headers, ("x-amzn-requestid", request_id))
    return Response(status=response.status, headers=headers, body=response.body)


def _response(said: Any) -> Response:
    """Read what a handler returned.

    Raises:
        Refused: it is not in the shape that the proxy integration wants.
    """
    try:
        body = said.get("body") or ""
        return Response(
            status=int(said["statusCode"]),
            headers=tuple(_response_headers(said)),
            body=base64.b64decode(body) if said.get("isBase64Encoded") else body.encode(),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused("API_CONFIGURATION_ERROR") from error


def _response_headers(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the headers of a handler's answer; one that is there twice counts as multiple."""
    multiple = said.get("multiValueHeaders") or {}
    single = said.get("headers") or {}
    names = {name.lower() for name in multiple}
    yield from ((name, str(value)) for name, value in single.items() if name.lower() not in names)
    for name, values in multiple.items():
        yield from ((name, str(value)) for value in values)
    if "content-type" not in names | {name.lower() for name in single}:
        yield "content-type", "application/json"


def _body(body: bytes) -> tuple[str | None, bool]:
    if not body:
        return None, False
    try:
        return body.decode(), False
    except UnicodeDecodeError:
        return base64.b64encode(body).decode(), True


def _multi(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def _with_variables(body: str, variables: Mapping[str, str]) -> str:
    """Put the gateway's $context variables into a response template."""
    return re.sub(
        r"\$context\.([A-Za-z.]+[A-Za-z])", lambda found: variables.get(found[1], ""), body
    )
