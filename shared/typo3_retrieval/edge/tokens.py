"""Tokens of backend users: JWT, strict. Only TYPO3 and the operator can mint them."""

import re
import uuid
from dataclasses import dataclass
from types import ModuleType

import jwt
from jwt.utils import base64url_decode, base64url_encode

from typo3_retrieval.core.errors import ConfigurationError, InvalidInput, RetrievalError
from typo3_retrieval.core.secrets import Algorithm, TokenKeys
from typo3_retrieval.edge.caller import LEEWAY, SUBJECT

ISSUER = "typo3"
AUDIENCE = "typo3-retrieval"
MAX_BYTES = 8 * 1024  # of a whole Authorization header
MAX_LIFETIME = 12 * 3600  # seconds
REQUIRED = ("sub", "iat", "nbf", "exp", "iss", "aud", "jti")

_ID = re.compile(r"[!-~]{1,64}")  # a jti: the log shows it
_COMPACT = re.compile(r"[-0-9A-Za-z_]+(?:\.[-0-9A-Za-z_]+){2}")


class InvalidToken(RetrievalError):
    """The token proves nothing. The message says why, for the log; callers learn 401 only."""


class UnknownKey(InvalidToken):
    """The token names a key that we do not hold; it may have been added just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a verified token says."""

    subject: str  # uid of the be_users row, in decimal
    issued_at: int  # UNIX epoch, seconds
    expires_at: int  # UNIX epoch, seconds
    key_id: str
    token_id: str  # by which the log tells two tokens of one user apart


def mint(user: int, keys: TokenKeys, *, now: int, ttl: int) -> str:
    """Sign a token for the backend user with uid *user* with the active key.

    Args:
        user: uid of the be_users row.
        keys: the token keys.
        now: UNIX epoch, seconds.
        ttl: lifetime in seconds, at most 12 hours.

    Raises:
        InvalidInput: *user* is no uid, or *ttl* is out of range.
        ConfigurationError: no key here can sign.
    """
    if not SUBJECT.fullmatch(str(user)):
        raise InvalidInput("user must be the uid of a be_users row.")
    if not 1 <= ttl <= MAX_LIFETIME:
        raise InvalidInput(f"The lifetime must be 1 to {MAX_LIFETIME} seconds (12 hours).")
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": str(user),
        "iat": now,
        "nbf": now,
        "exp": now + ttl,
        "jti": uuid.uuid4().hex,
    }
    if not keys.active:
        raise ConfigurationError('The token keys only verify: "active" names none that signs.')
    key = keys.keys[keys.active]
    return jwt.encode(
        claims,
        key if keys.algorithm == "HS256" else _jwks().signing_key(key, keys.algorithm),
        algorithm=keys.algorithm,
        headers={"kid": keys.active},
    )


def verify(token: str, keys: TokenKeys, *, now: int) -> Claims:
    """Check everything about *token*; no field of it is believed before its signature.

    Args:
        token: in compact form, without "Bearer".
        keys: the token keys.
        now: UNIX epoch, seconds.

    Raises:
        UnknownKey: its key id is none of ours.
        InvalidToken: anything else is wrong with it.
    """
    if len(token) > MAX_BYTES or not _COMPACT.fullmatch(token):
        raise InvalidToken("no compact JWT")
    try:
        kid = jwt.get_unverified_header(token).get("kid")
    except jwt.InvalidTokenError:
        raise InvalidToken("unreadable header") from None
    if not isinstance(kid, str) or kid not in keys.keys:
        raise UnknownKey("unknown key id")
    return _claims(_verified(token, keys.keys[kid], keys.algorithm), kid, now)


def _jwks() -> ModuleType:
    """The module that needs cryptography, which HS256 does without."""
    from typo3_retrieval.edge import jwks

    return jwks


def _verified(token: str, key: str, algorithm: Algorithm) -> dict[str, object]:
    """The payload, if signature, audience and issuer are right."""
    signature = token.rpartition(".")[2].encode()
    # Base64 leaves unused bits in the last character: only one spelling is ours.
    if base64url_encode(base64url_decode(signature)) != signature:
        raise InvalidToken("signature not in canonical form")
    try:
        return jwt.decode(
            token,
            key if algorithm == "HS256" else _jwks().verifying_key(key, algorithm),
            algorithms=[algorithm],  # ours, never the token's
            audience=AUDIENCE,
            issuer=ISSUER,
            # PyJWT takes the time from the system; ours is passed in, so _claims checks times.
            options={
                "require": list(REQUIRED),
                "strict_aud": True,
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except jwt.InvalidTokenError as error:
        raise InvalidToken(type(error).__name__) from None


def _claims(payload: dict[str, object], kid: str, now: int) -> Claims:
    subject = payload["sub"]
    if not isinstance(subject, str) or not SUBJECT.fullmatch(subject):
        raise InvalidToken("sub is no uid of a backend user")
    token_id = payload["jti"]
    if not isinstance(token_id, str) or not _ID.fullmatch(token_id):
        raise InvalidToken("jti is no short text")
    issued, begins, expires = (_time(payload, name) for name in ("iat", "nbf", "exp"))
    if expires + LEEWAY <= now:
        raise InvalidToken("expired")
    if max(issued, begins) - LEEWAY > now:
        raise InvalidToken("not yet valid")
    if not 0 < expires - issued <= MAX_LIFETIME:
        raise InvalidToken("lives too long")
    return Claims(
        subject=subject, issued_at=issued, expires_at=expires, key_id=kid, token_id=token_id
    )


def _time(payload: dict[str, object], name: str) -> int:
    value = payload[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidToken(f"{name} is no whole number of seconds")
    return value
