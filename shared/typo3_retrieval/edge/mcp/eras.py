"""The two eras of the protocol, and what each demands of a request.

Legacy clients shake hands first and then name the agreed version in a header. Modern ones shake
no hands: each request says its version, in its body and in headers by which a proxy may route.
"""

import base64
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from typo3_retrieval.edge.http import Event, header_of
from typo3_retrieval.edge.mcp.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    Message,
    RpcError,
)

LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26")  # newest first
MODERN = ("2026-07-28",)
SUPPORTED = (*MODERN, *LEGACY)

META = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, SERVER = (
    f"{META}{name}" for name in ("protocolVersion", "clientCapabilities", "serverInfo")
)
VERSION_HEADER, METHOD_HEADER, NAME_HEADER = "mcp-protocol-version", "mcp-method", "mcp-name"


class Era(Enum):
    """Which dialect a message is in."""

    LEGACY = "legacy"
    MODERN = "modern"


def era_of(message: Message, event: Event) -> Era:
    """The era of *message*, whose demands it fulfils.

    Raises:
        RpcError: it does not fulfil them.
    """
    header = header_of(event, VERSION_HEADER)
    if VERSION not in message.meta and header not in MODERN:
        # Without a header it is 2025-03-26, as that version says.
        if header and header not in LEGACY:
            raise _unsupported(header)
        return Era.LEGACY
    if message.id is not None:
        _check(message, event)
    return Era.MODERN


def _check(message: Message, event: Event) -> None:
    """Check a modern request's envelope; the first fault counts."""
    missing = [name for name in (VERSION, CAPABILITIES) if name not in message.meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}.")
    version = message.meta[VERSION]
    wanted = [(VERSION_HEADER, version), (METHOD_HEADER, message.method)]
    if message.method == "tools/call":
        wanted.append((NAME_HEADER, message.params.get("name")))
    for name, value in wanted:
        if _is_repeated(event, name) or _decoded(header_of(event, name)) != value:
            raise RpcError(HEADER_MISMATCH, f"The header {name} must say what the body says, once.")
    if version not in MODERN:
        raise _unsupported(version)


def _unsupported(version: Any) -> RpcError:
    return RpcError(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version.",
        data={"supported": list(SUPPORTED), "requested": version},
    )


def _is_repeated(event: Event, name: str) -> bool:
    """Whether a header is there twice: two readers might take two different ones."""
    headers: Mapping[str, Sequence[str]] = event.get("multiValueHeaders") or {}
    return sum(len(values) for key, values in headers.items() if key.lower() == name) > 1


def _decoded(value: str) -> str | None:
    """A header's text, which may be ``=?base64?…?=``."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except ValueError:
        return None
