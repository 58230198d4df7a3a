"""The documents: all routes in OpenAPI 3.0.3, and the tools in what Amazon Bedrock knows of it."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from typo3_retrieval import __version__
from typo3_retrieval.edge import models
from typo3_retrieval.edge.http import Event
from typo3_retrieval.edge.mcp.endpoint import PROFILES
from typo3_retrieval.edge.mcp.eras import LEGACY
from typo3_retrieval.edge.openapi import examples
from typo3_retrieval.edge.openapi.dialect import component_schemas
from typo3_retrieval.edge.schemas import plain
from typo3_retrieval.edge.tools import INSTRUCTIONS, SITE_TOOLS

Json = dict[str, Any]

OPENAPI = "3.0.3"
JSON, PROBLEM, TEXT = "application/json", "application/problem+json", "text/plain"

# What each error says, of the gateway's and of ours; docs/settings.md has the same table.
ERRORS: Mapping[int, tuple[str, str]] = {
    400: ("The request is wrong; names the field.", "question: Field required."),
    401: ("There is no valid token, or it has run out.", "A valid token is needed."),
    403: (
        "The token names no active backend user.",
        "The token names no active backend user.",
    ),
    404: (
        "The source is unknown, gone or not public, which is never told apart.",
        "Source not found or not permitted.",
    ),
    405: ("Another method than POST.", "Only POST."),
    413: ("The body is too large.", "The body is larger than 65536 bytes."),
    429: ("There were too many requests.", "Too many requests; try again later."),
    500: ("A fault of the service.", "Something went wrong here; the log tells what."),
    503: (
        "It cannot be found out who calls, or the backend of a source does not answer.",
        "Who calls cannot be found out now; try again later.",
    ),
    504: ("The answer took too long.", "The answer took too long."),
}
OF_EVERY_ROUTE = (400, 401, 403, 413, 429, 500, 503, 504)

_HEADERS: Mapping[int, Json] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}, "description": "How to get in"}},
    429: {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait"}},
}


def server_of(event: Event) -> str | None:
    """Where the routes begin for the caller of the route that serves the document.

    Returns:
        With the stage or the custom domain's base path; None where the gateway tells no domain.
    """
    context = event.get("requestContext") or {}
    domain, path = context.get("domainName"), str(context.get("path", ""))
    return f"https://{domain}{path.removesuffix(str(event.get('resource')))}" if domain else None


def document(server: str | None = None) -> Json:
    """The description of every route.

    Args:
        server: address under which the routes begin; default: where the document lies.
    """
    described: Json = {
        "openapi": OPENAPI,
        "info": _info("Cited evidence from TYPO3 sites", INSTRUCTIONS),
        "security": [{"BackendToken": []}],
        "paths": {
            "/query": {"post": _query()},
            "/fetch-source": {"post": _fetch_source()},
            "/keyword-search": {"post": _keyword_search()},
            "/keyword-search/availability": {"get": _availability()},
            "/health": {"get": _health()},
            "/openapi.json": {"get": _openapi()},
            "/mcp": {"post": _mcp()},
        },
        "components": {
            "securitySchemes": {
                "BackendToken": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": "A token of an active TYPO3 backend user",
                }
            },
            "responses": {_name(status): _error(status) for status in ERRORS},
            "schemas": component_schemas(
                (
                    models.QueryRequest,
                    models.QueryResponse,
                    models.FetchRequest,
                    models.FetchResponse,
                    models.KeywordRequest,
                    models.KeywordResponse,
                    models.AvailabilityResponse,
                    models.HealthResponse,
                    models.Problem,
                )
            )
            | _MCP_SCHEMAS,
        },
    }
    if server is not None:
        described["servers"] = [{"url": server}]
    return described


def bedrock_document() -> Json:
    """The tools' routes in the narrow dialect of an action group of Amazon Bedrock.

    Everything stands where it is used, in types, properties, items and descriptions only.
    """
    return {
        "openapi": OPENAPI,
        "info": _info("Cited evidence from TYPO3 sites", INSTRUCTIONS),
        "paths": {
            tool.path: {
                "post": {
                    "operationId": tool.name,
                    "summary": tool.title,
                    "description": tool.description,
                    "requestBody": {
                        "required": True,
                        "content": {JSON: {"schema": without_lists(tool.input)}},
                    },
                    "responses": {
                        "200": {
                            "description": "The answer",
                            "content": {JSON: {"schema": plain(tool.output)}},
                        }
                    },
                }
            }
            for tool in SITE_TOOLS
        },
    }


def without_lists(schema: Json) -> Json:
    """*schema* without properties that are lists: Bedrock sends those in no certain notation."""
    properties = {
        name: each for name, each in schema["properties"].items() if each["type"] != "array"
    }
    return schema | {"properties": properties}


def _info(title: str, description: str) -> Json:
    return {"title": title, "version": __version__, "description": description}


def _query() -> Json:
    operation = _operation("query", "Evidence for a question", "QueryResponse", examples.EVIDENCE)
    operation["responses"]["200"]["content"][TEXT] = {
        "schema": {"type": "string"},
        "example": examples.EVIDENCE["text"],
    }
    return operation | _body("QueryRequest", examples.QUERY)


def _fetch_source() -> Json:
    operation = _operation(
        "fetchSource", "One source's text", "FetchResponse", examples.DOCUMENT, errors=(404,)
    )
    return operation | _body("FetchRequest", examples.FETCH)


def _keyword_search() -> Json:
    operation = _operation(
        "keywordSearch",
        "Hits for keywords; takes what it can use of any JSON and is never an error",
        "KeywordResponse",
        examples.HITS,
    )
    return operation | _body("KeywordRequest", examples.KEYWORDS)


def _availability() -> Json:
    operation = _operation(
        "keywordSearchAvailability",
        "Whether a keyword search would find a backend",
        "AvailabilityResponse",
        {"available": True},
    )
    return operation | {
        "parameters": [
            _parameter("query", "index_backed", {"type": "boolean"}, "Count indexes only")
        ]
    }


def _health() -> Json:
    return _operation(
        "health",
        "Whether the service runs; no backend is asked",
        "HealthResponse",
        {"status": "ok", "version": __version__},
    )


def _openapi() -> Json:
    operation = _operation("openapi", "This document", "", {"openapi": OPENAPI})
    operation["responses"]["200"]["content"][JSON]["schema"] = {"type": "object"}
    return operation


def _mcp() -> Json:
    operation = _operation(
        "mcp",
        "The tools, for clients of the Model Context Protocol",
        "McpAnswer",
        examples.MCP_RESULT,
        errors=(404, 405),
    )
    operation["responses"]["202"] = {"description": "A notification was taken."}
    for status in ("400", "404"):
        error = _error(int(status))
        error["content"][JSON] = {"schema": _ref("McpAnswer"), "example": examples.MCP_ERROR}
        operation["responses"][status] = error
    operation["parameters"] = [
        _parameter(
            "query",
            "profile",
            {"type": "string", "enum": list(PROFILES)},
            "connector: search and fetch only",
        ),
        _parameter(
            "header",
            "MCP-Protocol-Version",
            {"type": "string", "enum": list(LEGACY)},
            "Version agreed on by initialize. Since 2026-07-28 the protocol has other headers, "
            "which must say what the body says.",
        ),
    ]
    return operation | _body("McpMessage", examples.MCP_CALL)


_MCP_SCHEMAS: Json = {
    "McpMessage": {
        "type": "object",
        "description": "A request of JSON-RPC 2.0, or without id a notification",
        "properties": {
            "jsonrpc": {"type": "string", "enum": ["2.0"]},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "method": {"type": "string"},
            "params": {"type": "object"},
        },
        "required": ["jsonrpc", "method"],
    },
    "McpAnswer": {
        "type": "object",
        "description": "The result or the error of a request",
        "properties": {
            "jsonrpc": {"type": "string", "enum": ["2.0"]},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": True},
            "result": {"type": "object"},
            "error": {
                "type": "object",
                "properties": {
                    "code": {"type": "integer"},
                    "message": {"type": "string"},
                    "data": {"type": "object"},
                },
                "required": ["code", "message"],
            },
        },
        "required": ["jsonrpc", "id"],
    },
}


def _operation(
    name: str, summary: str, schema: str, example: Json, *, errors: Sequence[int] = ()
) -> Json:
    return {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {
                "description": "The answer",
                "content": {JSON: {"schema": _ref(schema), "example": example}},
            }
        }
        | {
            str(status): {"$ref": f"#/components/responses/{_name(status)}"}
            for status in sorted((*OF_EVERY_ROUTE, *errors))
        },
    }


def _body(schema: str, example: Json) -> Json:
    return {
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": _ref(schema), "example": example}},
        }
    }


def _error(status: int) -> Json:
    description, detail = ERRORS[status]
    example = examples.problem(status, HTTPStatus(status).phrase, detail)
    content = {PROBLEM: {"schema": _ref("Problem"), "example": example}}
    headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
    return {"description": description, "content": content} | headers


def _name(status: int) -> str:
    return HTTPStatus(status).phrase.replace(" ", "")


def _parameter(place: str, name: str, schema: Json, description: str) -> Json:
    return {"in": place, "name": name, "schema": schema, "description": description}


def _ref(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}
