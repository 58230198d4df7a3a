"""Secrets: the port, and what we read out of them. No value ever shows in a repr or message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from typo3_retrieval.core.errors import ConfigurationError

MAX_AGE = 300  # seconds that a secret may be remembered
MIN_KEY_BYTES = 32  # of a token key: RFC 7518, section 3.2, for HS256


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
            max_age: seconds; an older copy is fetched anew. 0 forces that, after the server
                refused what was remembered.

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

    keys: Mapping[str, str] = field(repr=False)
    active: str  # id of the key that signs

    @classmethod
    def of(cls, document: Mapping[str, object], setting: str) -> "TokenKeys":
        """Read `keys` and `active`.

        Raises:
            ConfigurationError: there is no key, one is too short, or `active` names none.
        """
        keys = document.get("keys")
        if not isinstance(keys, Mapping) or not keys:
            raise _wrong(setting, '"keys" must be an object of key ids and keys')
        for kid, key in keys.items():
            if not isinstance(key, str) or len(key.encode("utf-8", "replace")) < MIN_KEY_BYTES:
                raise _wrong(setting, f'key "{kid}" must be text of {MIN_KEY_BYTES} bytes or more')
        active = _text(document, "active", setting)
        if active not in keys:
            raise _wrong(setting, '"active" must be one of the ids in "keys"')
        return cls(keys=dict(keys), active=active)


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
