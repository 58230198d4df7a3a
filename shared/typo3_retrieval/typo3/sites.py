"""Sites and their languages, as TYPO3's site configuration tells them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from typo3_retrieval.core.errors import InvalidInput

FallbackType = Literal["strict", "fallback", "free"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteLanguage:
    """One language of a site."""

    language_id: int  # sys_language_uid
    title: str = ""
    base: str  # resolved against the site's base; ends with a slash
    locale: str = ""  # as configured, e.g. "de_AT.UTF-8"
    enabled: bool = True
    fallback_type: FallbackType = "strict"
    fallbacks: tuple[int, ...] = ()  # in the order in which they are tried; may hold 0

    @property
    def code(self) -> str:
        """ISO 639-1 code in lower case, e.g. ``de``; empty when the locale tells none."""
        return self.locale.partition(".")[0].replace("-", "_").partition("_")[0].lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One site: a root page, a base URL and languages."""

    identifier: str  # the folder's name
    root_page_uid: int
    base: str  # of the application context; ends with a slash; may lack scheme or host
    languages: tuple[SiteLanguage, ...]  # in configured order, disabled ones included
    route_enhancers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)  # the whole configuration

    def language(self, language_id: int) -> SiteLanguage | None:
        """The language with this id, disabled or not."""
        return next((each for each in self.languages if each.language_id == language_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sites:
    """All sites of an installation that could be read."""

    sites: tuple[Site, ...] = ()
    notes: tuple[str, ...] = ()  # one per site that could not be read; answers carry them

    def __iter__(self) -> Iterator[Site]:
        return iter(self.sites)

    def __len__(self) -> int:
        return len(self.sites)

    def named(self, identifier: str) -> Site:
        """The site with this identifier.

        Raises:
            InvalidInput: there is none; the message lists the ones that exist.
        """
        for site in self.sites:
            if site.identifier == identifier:
                return site
        known = ", ".join(site.identifier for site in self.sites) or "none"
        raise InvalidInput(f"Unknown site. Sites: {known}.")

    def of_rootline(self, rootline: Iterable[int]) -> Site | None:
        """The site of a page: of its nearest ancestor, itself included, that is a root.

        Args:
            rootline: page uids from the page up to its root.
        """
        roots = {site.root_page_uid: site for site in self.sites}
        return next((roots[uid] for uid in rootline if uid in roots), None)

    def asked(self, identifier: str | None) -> Sequence[Site]:
        """The sites that a query asks: the named one, else all.

        Raises:
            InvalidInput: no site has this identifier.
        """
        return self.sites if identifier is None else (self.named(identifier),)
