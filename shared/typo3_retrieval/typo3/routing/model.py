"""What goes into the router and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from typo3_retrieval.core.errors import RetrievalError


class RoutingError(RetrievalError):
    """There is no such URL: TYPO3 would raise, or point to the home page instead.

    Args:
        message: what is wrong, for people.
        code: of TYPO3's exception, 0 when it has none.
    """

    def __init__(self, message: str, *, code: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class NoAddress(RoutingError):
    """The page is hidden, deleted, not in its time, or missing. TYPO3 prints the home page here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingSettings:
    """What the router cannot see in sites and tables."""

    encryption_key: str = ""  # SYS/encryptionKey; without it no URL can carry a cHash
    typo3_version: int = 13  # major version: 12, 13 or 14
    chash_excluded: tuple[str, ...] = ()  # added to TYPO3's own: ^prefix, ~contains, =exact or bare


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlRequest:
    """A page to be addressed.

    `_language` among the arguments overrides *language_id*; `id` and `cHash` are ignored, `MP`
    and `type` mean what they mean to TYPO3.
    """

    page_uid: int  # of the default-language page; a translation's uid gives its own slug
    language_id: int = 0  # sys_language_uid
    arguments: Mapping[str, Any] = field(default_factory=dict)  # nested as in PHP's $_GET
    fragment: str = ""  # without "#", not encoded
    site: str | None = None  # identifier; None: the site of the page


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltUrl:
    """A URL and how it came about."""

    url: str  # absolute, unless the site's base names no host
    explanation: tuple[str, ...] = ()  # one sentence each
