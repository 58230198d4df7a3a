"""Secrets: the port, and what we read out of them. No value ever shows in a repr or message."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from typo3_retrieval.core.errors import ConfigurationError

MAX_AGE = 300  # seconds that a secret may be remembered
REFUSED, ANEW = 0, -1  # the two special ages of `SecretSource.read`
MIN_KEY_BYTES = 32  # of a token key: RFC 7518, section 3.2, for HS256
MIN_MODULUS = 342  # characters of an RSA modulus: 2048 bits, RFC 7518, section 3.3

Algorithm = Literal["HS256", "ES256", "RS256"]

# What a JWK must say to be a key of the algorithm; everything else in the set is skipped.
_KINDS: Mapping[Algorithm, Mapping[str, str]] = {
    "ES256": {"kty": "EC", "crv": "P-256"},
    "RS256": {"kty": "RSA"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretReference:
    """Where a secret lies. The reference itself is no secret."""

    setting: str  # the variable that names it, e.g. RETRIEVAL_DATABASE_SECRET
    reference: str  # file:///path.json, or an ARN or a name in Secrets Manager


class SecretSource(Protocol):
    """Something that reads secrets and remembers them for a while."""

    def read(self, reference: SecretReference, *, max_age: int = MAX_AGE) -> Mapping[str, object]:
        """Return the secret's JSON object.

        Args:
            reference: where it lies.
            max_age: seconds; an older copy is fetched anew. `ANEW` forces that. So does
                `REFUSED`, after a server refused what was remembered: then a version that a
                rotation has pending may be the answer.

        Raises:
            ConfigurationError: it is missing, denied or no JSON object; names the setting.
            BackendUnavailable: the store does not answer.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """A user's name and password."""

    username: str = field(repr=False)
    password: str = field(repr=False)

    @classmethod
    def of(cls, document: Mapping[str, object], setting: str) -> "Credentials":
        """Read `username` and `password`.

        Raises:
            ConfigurationError: one of them is missing or no text.
        """
        return cls(
            username=_text(document, "username", setting),
            password=_text(document, "password", setting),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenKeys:
    """The keys that sign tokens, by key id. A new one signs, old ones verify until removed."""

    keys: Mapping[str, str] = field(repr=False)  # HS256: the key's text; else a JWK as JSON
    active: str  # id of the key that signs; empty when none here can
    algorithm: Algorithm = "HS256"  # the operator's choice, never a token's

    @classmethod
    def of(
        cls, document: Mapping[str, object], setting: str, algorithm: Algorithm = "HS256"
    ) -> "TokenKeys":
        """Read `keys` and `active`.

        Args:
            document: `keys` is an object of key ids and keys for HS256, else the list of a
                JSON Web Key Set (RFC 7517).
            setting: the variable that names the secret.
            algorithm: that the operator chose; a key of another kind must not verify.

        Raises:
            ConfigurationError: there is no key, one is too weak, or `active` names none.
        """
        keys = document.get("keys")
        found = _shared_keys(keys, setting) if algorithm == "HS256" else _jwks(keys, algorithm)
        if not found:
            raise _wrong(setting, f'"keys" must be a JWKS with keys for {algorithm}')
        # Who only verifies needs no key that signs, and a JWKS as it is published names none.
        if algorithm != "HS256" and "active" not in document:
            return cls(keys=found, active="", algorithm=algorithm)
        active = _text(document, "active", setting)
        if active not in found:
            raise _wrong(setting, '"active" must be one of the ids in "keys"')
        return cls(keys=found, active=active, algorithm=algorithm)


def _shared_keys(keys: object, setting: str) -> dict[str, str]:
    if not isinstance(keys, Mapping) or not keys:
        raise _wrong(setting, '"keys" must be an object of key ids and keys')
    for kid, key in keys.items():
        if not isinstance(key, str) or len(key.encode("utf-8", "replace")) < MIN_KEY_BYTES:
            raise _wrong(setting, f'key "{kid}" must be text of {MIN_KEY_BYTES} bytes or more')
    return dict(keys)


def _jwks(keys: object, algorithm: Algorithm) -> dict[str, str]:
    """The keys of a JWKS that fit. Others may stand beside them, and two of one id are none."""
    fitting = [jwk for jwk in keys if _fits(jwk, algorithm)] if isinstance(keys, list) else []
    ids = [jwk["kid"] for jwk in fitting]
    return {jwk["kid"]: json.dumps(jwk) for jwk in fitting if ids.count(jwk["kid"]) == 1}


def _fits(jwk: object, algorithm: Algorithm) -> bool:
    return (
        isinstance(jwk, dict)
        and isinstance(jwk.get("kid"), str)
        and bool(jwk["kid"])
        and all(jwk.get(name) == value for name, value in _KINDS[algorithm].items())
        and jwk.get("use", "sig") == "sig"
        and jwk.get("alg", algorithm) == algorithm
        and (algorithm != "RS256" or len(str(jwk.get("n", ""))) >= MIN_MODULUS)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseAddress:
    """Where a database server listens. RDS writes it into the secret, beside the credentials."""

    host: str | None = None
    port: int | None = None
    name: str | None = None

    @classmethod
    def of(cls, document: Mapping[str, object], setting: str) -> "DatabaseAddress":
        """Read `host`, `port` and `dbname`, each of which may be missing.

        Raises:
            ConfigurationError: one is there and of the wrong type.
        """
        port = document.get("port")
        try:
            number = None if port is None else int(str(port))
        except ValueError:
            raise _wrong(setting, '"port" must be a number') from None
        return cls(
            host=None if document.get("host") is None else _text(document, "host", setting),
            port=number,
            name=None if document.get("dbname") is None else _text(document, "dbname", setting),
        )


def encryption_key(document: Mapping[str, object], setting: str) -> str:
    """Read TYPO3's `encryption_key`, SYS/encryptionKey of its settings.

    Raises:
        ConfigurationError: it is missing or no text.
    """
    return _text(document, "encryption_key", setting)


def _text(document: Mapping[str, object], name: str, setting: str) -> str:
    value = document.get(name)
    if not isinstance(value, str) or not value:
        raise _wrong(setting, f'"{name}" must be a text that is not empty')
    return value


def _wrong(setting: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"The secret of {setting}: {what}.")
