"""Which site an indexed URL belongs to, and its absolute form. Only our own bases are accepted.

The index holds paths, addresses, and prose such as an error message; it may hold foreign hosts.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from typo3_retrieval.typo3.sites import Site, SiteLanguage

_DEFAULT_PORTS = {"http": 80, "https": 443}
# What no address holds unescaped; a browser reads a backslash as a slash.
_FORBIDDEN = re.compile(r"[\s\\<>\"^`{|}\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An absolute URL below one of our bases."""

    url: str
    site: Site  # of the longest base that the URL begins with


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    site: Site
    origin: tuple[str, int | None]  # host and port
    path: str  # ends with a slash

    @classmethod
    def of(cls, site: Site, language: SiteLanguage) -> Self | None:
        parts = _split(language.base)
        if parts is None or not parts.hostname:
            return None  # a base without a host names no address
        path = parts.path if parts.path.endswith("/") else f"{parts.path}/"
        return cls(site=site, origin=_origin(parts), path=path)


class Addresses:
    """The bases of all sites in all languages.

    Args:
        sites: all that are configured, so that a path of one is not taken for another's.
    """

    def __init__(self, sites: Iterable[Site]) -> None:
        bases = [_Base.of(site, language) for site in sites for language in site.languages]
        self._bases = sorted(filter(None, bases), key=lambda base: -len(base.path))

    def locate(self, url: str, candidates: Sequence[tuple[Site, SiteLanguage]]) -> Address | None:
        """Find the site that *url* belongs to.

        Args:
            url: as indexed. A path is one on the host of a candidate's language.
            candidates: the sites that the document can be of, with the asked language.

        Returns:
            None for what is no address, or lies below none of the candidates' bases.
        """
        if not url or _FORBIDDEN.search(url):
            return None
        allowed = {site.identifier for site, _ in candidates}
        for _, language in candidates:
            parts = _absolute(url, language)
            site = parts and self._owner(parts)
            if parts and site and site.identifier in allowed:
                return Address(url=urlunsplit(parts), site=site)
        return None

    def _owner(self, parts: SplitResult) -> Site | None:
        """The site whose base is the longest beginning of this URL."""
        path = f"{parts.path}/"  # "/campaign" lies below "/campaign/" too
        return next(
            (
                base.site
                for base in self._bases
                if base.origin == _origin(parts) and path.startswith(base.path)
            ),
            None,
        )


def _absolute(url: str, language: SiteLanguage) -> SplitResult | None:
    """*url* on the language's host; None unless it is http(s) without user info."""
    base, parts = _split(language.base), _split(url)
    if base is None or parts is None or not base.hostname:
        return None
    if not parts.netloc:
        if parts.scheme or not url.startswith("/") or url.startswith("//"):
            return None
        parts = parts._replace(scheme=base.scheme or "https", netloc=base.netloc)
    elif not parts.scheme:
        parts = parts._replace(scheme=base.scheme or "https")
    if parts.scheme not in _DEFAULT_PORTS or "@" in parts.netloc:
        return None
    if any(segment in (".", "..") for segment in unquote(parts.path).split("/")):
        return None  # it would climb out of its base
    return parts._replace(path=parts.path or "/")


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _origin(parts: SplitResult) -> tuple[str, int | None]:
    """Host and port; the default port of either scheme is none."""
    default = parts.port in (None, _DEFAULT_PORTS.get(parts.scheme or "https"))
    return (parts.hostname or "").rstrip("."), None if default else parts.port
