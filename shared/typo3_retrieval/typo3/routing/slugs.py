"""A page's own path: its slug in a language, moved below mount points.

Rules: `PageRouter::generateUri`, `PageRepository::getPage` and `getPageOverlaysForLanguageUids`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from typo3_retrieval.typo3.enable_fields import hidden_because, switched_off_because
from typo3_retrieval.typo3.pages import Page, PageTree
from typo3_retrieval.typo3.php import to_int
from typo3_retrieval.typo3.routing.model import NoAddress, RoutingError
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

_MOUNT_POINT, _RECYCLER = 7, 255  # doktype
_RECYCLERS_UNTIL = 12  # major version; later ones treat a recycler as any page


@dataclass(frozen=True, slots=True)
class MountPair:
    """One pair of an MP argument: the mounted page and the page that mounts it."""

    root: int
    mount: int


def parse_mount_points(value: str) -> tuple[MountPair, ...]:
    """Read an MP argument such as ``20-61`` or ``20-62,30-63``.

    Raises:
        RoutingError: a pair has no second number.
    """
    pairs = [pair.split("-") for pair in value.split(",")]
    if any(len(pair) < 2 for pair in pairs):
        raise RoutingError(f'MP is "{value}", not pairs like "20-61".', code=1476107295)
    return tuple(MountPair(to_int(pair[0]), to_int(pair[1])) for pair in pairs)


class SlugReader:
    """Reads slugs from loaded pages.

    Args:
        trees: looked into in turn.
        at: an `access_time`.
        typo3_version: the major version.
    """

    def __init__(self, trees: Sequence[PageTree], *, at: int, typo3_version: int) -> None:
        self._trees = trees
        self._at = at
        self._version = typo3_version

    def site_of(self, uid: int, sites: Sites) -> Site | None:
        """The site of the nearest root above a page, itself included."""
        for tree in self._trees:
            if line := tree.rootline(uid):
                return sites.of_rootline(page.uid for page in line)
        return None

    def visible_slug(self, uid: int, language: SiteLanguage) -> str:
        """The slug of a page in *language*.

        Groups do not matter here: a restricted page has its address.

        Raises:
            NoAddress: the page is deleted, hidden, not in its time, or not there at all.
                TYPO3 points to the language's base then, which would cite the home page.
        """
        page = self._page(uid)
        if page is None:
            raise NoAddress(f"There is no page {uid}.")
        if reason := self._hidden(page):
            raise NoAddress(f"Page {uid} has no address: {reason}.")
        return self._overlay(page, language).slug

    def mounted(
        self, uid: int, slug: str, pairs: Sequence[MountPair], language: SiteLanguage
    ) -> str:
        """Replace the slug prefix of each mounted page by the slug of the page that mounts it."""
        for pair in reversed(self._prefixes(uid, pairs, language)):
            below, above = pair
            if below and slug.startswith(below):
                slug = slug[len(below) :]
            slug = above + ("" if slug == "/" else "/" + slug.lstrip("/"))
        return slug

    def _prefixes(
        self, uid: int, pairs: Sequence[MountPair], language: SiteLanguage
    ) -> list[tuple[str, str]]:
        prefixes: list[tuple[str, str]] = []
        for pair in pairs:
            page = self._page(pair.mount)
            mounts = page is not None and page.doktype == _MOUNT_POINT and page.mount_pid > 0
            if page is None or page.deleted or not mounts or uid == pair.mount:
                continue
            prefixes.append(
                (self._public_slug(pair.root, language), self._public_slug(pair.mount, language))
            )
        return prefixes

    def _public_slug(self, uid: int, language: SiteLanguage) -> str:
        """The slug of a page that an anonymous visitor may see, else nothing; "/" is nothing."""
        page = self._page(uid)
        if page is None or self._hidden(page) or hidden_because(page, self._at):
            return ""
        slug = self._overlay(page, language).slug
        return "" if slug == "/" else slug

    def _overlay(self, page: Page, language: SiteLanguage) -> Page:
        """The first visible translation along the fallbacks, else the page itself.

        A strict language is no exception: it has an address for every page, and answers 404.
        """
        if language.language_id == 0:
            return page
        for language_id in (language.language_id, *language.fallbacks):
            for tree in self._trees:
                found = tree.translation(page.uid, language_id) if language_id else None
                if found and not switched_off_because(found, self._at):
                    return found
        return page

    def _hidden(self, page: Page) -> str:
        if page.doktype == _RECYCLER and self._version <= _RECYCLERS_UNTIL:
            return "a recycler"
        return switched_off_because(page, self._at)

    def _page(self, uid: int) -> Page | None:
        return next((page for tree in self._trees if (page := tree.page(uid))), None)
