"""JSON-RPC 2.0: one message in, one out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from typo3_retrieval.edge.http import Refused, parse_json

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020  # this and the next are the protocol's own
UNSUPPORTED_VERSION = -32022

Id = str | int
Json = dict[str, Any]


class RpcError(Exception):
    """A request that gets an error instead of a result.

    Args:
        code: JSON-RPC's or the protocol's.
        message: for the caller.
        status: of the HTTP answer.
        data: what the protocol wants beside it.
    """

    def __init__(
        self,
        code: int,
        message: str,
        *,
        status: HTTPStatus = HTTPStatus.BAD_REQUEST,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A request, or with `id` None a notification."""

    method: str
    params: Json = field(default_factory=dict)
    id: Id | None = None

    @property
    def meta(self) -> Json:
        """What stands in `_meta`; empty if there is nothing usable."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


def read(text: str) -> Message:
    """Read one message.

    Raises:
        RpcError: it is no JSON, a batch, or no request and no notification.
    """
    try:
        body = parse_json(text)
    except Refused as error:
        raise RpcError(PARSE_ERROR, error.detail) from None
    if isinstance(body, list):
        raise RpcError(INVALID_REQUEST, "One message a request: batches are not accepted.")
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "The body must be a JSON-RPC 2.0 message.")
    method, params = body.get("method"), body.get("params", {})
    if not isinstance(method, str) or not isinstance(params, dict):
        raise RpcError(INVALID_REQUEST, "method must be a string, params an object.")
    if "id" not in body:
        return Message(method=method, params=params)
    if isinstance(body["id"], bool) or not isinstance(body["id"], str | int):
        raise RpcError(INVALID_REQUEST, "id must be a string or an integer.")
    return Message(method=method, params=params, id=body["id"])


def result(message_id: Id, value: Mapping[str, Any]) -> str:
    """A successful answer."""
    return _dump({"jsonrpc": "2.0", "id": message_id, "result": value})


def failure(message_id: Id | None, error: RpcError) -> str:
    """An answer that tells what was wrong; without an id when none could be read."""
    about: Json = {"code": error.code, "message": error.message}
    if error.data is not None:
        about["data"] = error.data
    return _dump({"jsonrpc": "2.0", "id": message_id, "error": about})


def _dump(message: Json) -> str:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()  # an id may hold half a character
