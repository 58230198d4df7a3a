"""What the protocol's methods answer."""

import json
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from typo3_retrieval import __version__
from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.edge.http import explained
from typo3_retrieval.edge.mcp.eras import LEGACY, SERVER, SUPPORTED, Era
from typo3_retrieval.edge.mcp.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Json,
    Message,
    RpcError,
)
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.tools import INSTRUCTIONS, Tool

CACHE_MILLISECONDS = 3_600_000  # tools change with a deployment only

ABOUT = {"name": "typo3-retrieval", "title": "TYPO3 site retrieval", "version": __version__}
CAPABILITIES: Json = {"tools": {}}
ANNOTATIONS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


def answer(
    services: Services,
    tools: Sequence[Tool],
    message: Message,
    era: Era,
    access: AccessContext,
) -> Mapping[str, Any]:
    """The result of a request.

    Raises:
        RpcError: there is no such method, or its parameters are wrong.
    """
    if message.method == "tools/call":
        return _in(era, _call(services, tools, message, access))
    methods: Mapping[str, Callable[[], Json]] = {
        "tools/list": lambda: _cacheable(era, _list(tools, message)),
        **(
            {"server/discover": lambda: _cacheable(era, _discover())}
            if era is Era.MODERN
            else {"initialize": lambda: _initialize(message), "ping": dict}
        ),
    }
    if message.method not in methods:
        raise RpcError(METHOD_NOT_FOUND, "There is no such method.", status=HTTPStatus.NOT_FOUND)
    return _in(era, methods[message.method]())


def described(tool: Tool) -> Json:
    """A tool as tools/list has it."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input | {"additionalProperties": False},
        "outputSchema": tool.output,
        "annotations": {"title": tool.title, **ANNOTATIONS},
    }


def _in(era: Era, result: Json) -> Json:
    return {"resultType": "complete", **result} if era is Era.MODERN else result


def _cacheable(era: Era, result: Json) -> Json:
    if era is Era.LEGACY:
        return result
    return {**result, "ttlMs": CACHE_MILLISECONDS, "cacheScope": "private"}


def _initialize(message: Message) -> Json:
    asked = message.params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in LEGACY else LEGACY[0],
        "capabilities": CAPABILITIES,
        "serverInfo": ABOUT,
        "instructions": INSTRUCTIONS,
    }


def _discover() -> Json:
    return {
        "supportedVersions": list(SUPPORTED),
        "capabilities": CAPABILITIES,
        "instructions": INSTRUCTIONS,
        "_meta": {SERVER: ABOUT},
    }


def _list(tools: Sequence[Tool], message: Message) -> Json:
    if message.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "There is no such cursor: the list has one page.")
    return {"tools": [described(tool) for tool in tools]}


def _call(
    services: Services, tools: Sequence[Tool], message: Message, access: AccessContext
) -> Json:
    name, arguments = message.params.get("name"), message.params.get("arguments")
    tool = next((each for each in tools if each.name == name), None)
    if tool is None:
        known = ", ".join(each.name for each in tools)
        raise RpcError(INVALID_PARAMS, f"Unknown tool. Tools: {known}.")
    if not isinstance(arguments, dict | None):
        raise RpcError(INVALID_PARAMS, "arguments must be an object.")
    try:
        found = tool.call(services, arguments or {}, access).model_dump(mode="json")
    except Exception as error:  # noqa: BLE001  # a tool's failure is a result, for the model to read
        _, detail = explained(error)
        return {"content": [{"type": "text", "text": detail}], "isError": True}
    # Some clients read the structure, some the text: both hold the same.
    text = json.dumps(found, ensure_ascii=False)
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": found,
        "isError": False,
    }
