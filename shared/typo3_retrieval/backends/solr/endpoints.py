"""Where a site's Solr cores are, from the ``solr_*_read`` keys of its configuration.

Rules: EXT:solr's `SiteUtility` and `ConnectionManager`. A key of the language's entry comes
before the site's; one that is there but empty counts as missing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.typo3.sites import Site, SiteLanguage

DEFAULT_SCHEME, DEFAULT_HOST, DEFAULT_PORT = "http", "localhost", 8983  # EXT:solr's
MAX_PORT = 65535
_OFF = (False, 0, "0", "false")  # what switches a key off, as YAML or a placeholder gives it
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[[0-9A-Fa-f:.]+\]")
_PATH = re.compile(r"(/[A-Za-z0-9_.~-]+)*")
_CORE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One core. Two sites with equal endpoints share it."""

    scheme: str  # http or https
    host: str
    port: int
    path: str  # before /solr; empty or with a leading slash
    core: str
    # Not compared: it does not tell which core it is.
    credentials: Credentials | None = field(default=None, repr=False, compare=False)

    @property
    def select_url(self) -> str:
        """The address that searches go to; it holds no credentials."""
        return f"{self.scheme}://{self.host}:{self.port}{self.path}/solr/{self.core}/select"


@dataclass(frozen=True, slots=True)
class NoEndpoint:
    """Why a language of a site has no core. For people, without hosts and secrets."""

    reason: str
    wrong: bool = True  # False: it is not meant to have one


def endpoint_of(site: Site, language: SiteLanguage) -> Endpoint | NoEndpoint:
    """Read the core of one language of *site*.

    A value that cannot be used makes that core unavailable, not the site: pages are found by
    other backends as well.
    """
    try:
        return _parsed(_Keys(site, language.language_id))
    except _WrongKey as error:
        return NoEndpoint(str(error))


class _WrongKey(ValueError):
    """A key whose value cannot be used. The value stays out of the message."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(f"solr_{key}_read {what}")


class _Keys:
    """The keys of one language, before those of its site."""

    def __init__(self, site: Site, language_id: int) -> None:
        languages = site.settings.get("languages") or []
        # PHP makes no difference between a list and a mapping.
        each = languages.values() if isinstance(languages, Mapping) else languages
        own = (entry for entry in each if isinstance(entry, Mapping))
        entry = next((e for e in own if str(e.get("languageId")) == str(language_id)), {})
        self._levels: tuple[Mapping[str, Any], ...] = (entry, site.settings)

    def value(self, key: str) -> Any:
        """The first value that is not empty; "" when there are only empty ones, else None."""
        found = [level.get(f"solr_{key}_read") for level in self._levels]
        there = [value for value in found if value is not None]
        return next((value for value in there if value != ""), "" if there else None)

    def text(self, key: str, default: str) -> str:
        value = self.value(key)
        if value is None or value == "":
            return default
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _WrongKey(key, "is no text")
        text = str(value).strip()
        if "%" in text and key not in ("username", "password"):
            raise _WrongKey(key, "has a placeholder without a value")
        return text


def _parsed(keys: _Keys) -> Endpoint | NoEndpoint:
    enabled = keys.value("enabled")
    if any(enabled is off or enabled == off for off in _OFF if enabled is not None):
        return NoEndpoint("switched off", wrong=False)
    core = keys.text("core", "")
    if not core:
        return NoEndpoint("no core configured", wrong=False)
    if not _CORE.fullmatch(core):
        raise _WrongKey("core", "is no name of a core")
    scheme = keys.text("scheme", DEFAULT_SCHEME).lower().removesuffix("://")
    if scheme not in ("http", "https"):
        raise _WrongKey("scheme", "is neither http nor https")
    host = keys.text("host", DEFAULT_HOST)
    if not _HOST.fullmatch(host):
        raise _WrongKey("host", "is no host name")
    return Endpoint(
        scheme=scheme,
        host=host,
        port=_port(keys),
        path=_path(keys),
        core=core,
        credentials=_credentials(keys),
    )


def _port(keys: _Keys) -> int:
    value = keys.value("port")
    if value is None:
        return DEFAULT_PORT
    text = str(value).strip()
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 0 < int(text) <= MAX_PORT:
        raise _WrongKey("port", f"is no port (1 to {MAX_PORT})")
    return int(text)


def _path(keys: _Keys) -> str:
    path = keys.text("path", "").strip("/")
    path = f"/{path}" if path else ""
    path = path.removesuffix("/solr")
    if not _PATH.fullmatch(path) or ".." in path.split("/"):
        raise _WrongKey("path", "is no path")
    return path


def _credentials(keys: _Keys) -> Credentials | None:
    username, password = keys.text("username", ""), keys.text("password", "")
    if not username and not password:
        return None
    if not username or not password:
        missing = "password" if username else "username"
        raise _WrongKey(missing, "is missing, and its partner is set")
    return Credentials(username=username, password=password)
