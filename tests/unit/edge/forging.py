"""Tokens made by hand: what PyJWT would refuse to sign can be written too."""

import base64
import hmac
import json
from collections.abc import Callable
from typing import Any

from tests.unit.edge.fakes import KEYS, NOW

GOOD = {
    "iss": "typo3",
    "aud": "typo3-retrieval",
    "sub": "10",
    "iat": NOW,
    "nbf": NOW,
    "exp": NOW + 3600,
    "jti": "9f1c",
}


def encoded(part: bytes) -> str:
    """Base64 as JWTs have it."""
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


def forged(
    claims: dict[str, Any] | bytes = GOOD,
    *,
    header: dict[str, Any] | None = None,
    key: str = KEYS.keys["2026-11"],
    digest: str = "sha256",
    sign: Callable[[bytes], bytes] | None = None,
) -> str:
    """A token; *header* changes the header, and None in it leaves a field out."""
    wanted = {"alg": "HS256", "typ": "JWT", "kid": "2026-11"} | (header or {})
    kept = {name: value for name, value in wanted.items() if value is not None}
    payload = claims if isinstance(claims, bytes) else json.dumps(claims).encode()
    signed = f"{encoded(json.dumps(kept).encode())}.{encoded(payload)}".encode()
    signature = sign(signed) if sign else hmac.new(key.encode(), signed, digest).digest()
    return f"{signed.decode()}.{encoded(signature)}"


def without(name: str) -> dict[str, Any]:
    """Good claims less one."""
    return {key: value for key, value in GOOD.items() if key != name}
