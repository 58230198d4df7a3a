"""Whether a visitor without login sees a page, in which language, and what he sees instead.

The order of the rules is the order in which TYPO3's frontend asks (PageInformationFactory).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urljoin, urlsplit

from typo3_retrieval.typo3.enable_fields import (
    access_time,
    hidden_because,
    switched_off_because,
)
from typo3_retrieval.typo3.pages import Page, PageTree
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

LINK, SHORTCUT, BACKEND_SECTION, MOUNT_POINT = 3, 4, 6, 7
SPACER, FOLDER, RECYCLER = 199, 254, 255
SUBPAGE_MODES = frozenset({1, 2})  # a shortcut to the first or to any page below
PARENT_MODE = 3
MAX_SHORTCUTS = 20  # in a chain; TYPO3 gives up there too
HIDDEN_IN_DEFAULT_LANGUAGE, HIDDEN_UNLESS_TRANSLATED = 1, 2  # bits of l18n_cfg


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a visitor without login gets who asks for one page in one language."""

    visible: bool
    reason: str = ""  # the first rule that hides the page, for people; empty when visible
    page: Page | None = None  # its default-language row
    rendered: Page | None = None  # the row whose title is shown: a translation or `page`
    site: Site | None = None
    language: SiteLanguage | None = None
    rootline: tuple[Page, ...] = ()  # from the page up; empty when it does not reach the top
    content_page_uid: int = 0  # where the content comes from, see content_from_pid; 0: nowhere
    content_language_id: int = 0  # of the content, which a fallback may make another one
    redirect: int | str | None = None  # a page's uid or a URL, as far as the tree tells


def judge_page(
    tree: PageTree,
    sites: Sites,
    page_uid: int,
    language_id: int,
    now: int,
    *,
    typo3: int = 13,
) -> Verdict:
    """Judge one page in one language.

    Shortcuts, links and mount points that show another page are not visible themselves.

    Args:
        tree: what `load_pages` brought for this uid.
        sites: all sites, the page's own among them.
        page_uid: of the default-language row or of a translation, which stands for it.
        language_id: of the site.
        now: epoch seconds; compared as TYPO3 does, floored to the minute.
        typo3: the major version. Before 13 a recycler (doktype 255) hides itself and all below.
    """
    page = tree.default_page(page_uid)
    if page is None:
        return Verdict(visible=False, reason="no such page")
    hidden = Verdict(visible=False, page=page)
    if page.deleted:
        return replace(hidden, reason="deleted")
    rootline = tree.rootline(page.uid)
    if rootline is None:
        return replace(hidden, reason="an ancestor is deleted or missing")
    site = sites.of_rootline(each.uid for each in rootline)
    if site is None:
        return replace(hidden, rootline=rootline, reason="no site")
    hidden = replace(hidden, rootline=rootline, site=site)
    language = site.language(language_id)
    if language is None:
        return replace(hidden, reason=f"language {language_id} is not one of the site's")
    hidden = replace(hidden, language=language)
    if not language.enabled:
        return replace(hidden, reason=f"language {language_id} is disabled")
    return _Visit(tree=tree, language=language, at=access_time(now), typo3=typo3).judge(
        page, hidden
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visit:
    """One visitor at one minute, who reads in one language."""

    tree: PageTree
    language: SiteLanguage
    at: int  # access time, epoch seconds
    typo3: int

    def judge(self, page: Page, hidden: Verdict) -> Verdict:
        """The verdict on a page that belongs to a site and a language; *hidden* is its start."""
        reason = self.closed_because(page)
        if reason:
            return replace(hidden, reason=reason)
        if page.doktype == SHORTCUT:
            return self.judge_shortcut(page, hidden)
        if page.doktype == MOUNT_POINT and page.mount_pid_ol:
            mounted = self.open_page(page.mount_pid)
            return replace(
                hidden,
                reason=f"mount point of page {page.mount_pid}",
                redirect=mounted.uid if mounted and self.is_open(mounted) else None,
            )
        reason = self.ancestor_closed_because(hidden.rootline)
        if reason:
            return replace(hidden, reason=reason)
        shown, content_language, reason = self.in_language(page)
        if reason:
            return replace(hidden, reason=reason)
        if shown.doktype == LINK:
            return replace(hidden, rendered=shown, reason="link", redirect=self.url_of(shown))
        content_page = self.content_page(shown) if shown.content_from_pid else page
        if content_page is None:
            return replace(
                hidden, rendered=shown, reason=f"content of hidden page {shown.content_from_pid}"
            )
        return replace(
            hidden,
            visible=True,
            rendered=shown,
            content_page_uid=content_page.uid,
            content_language_id=content_language,
        )

    def judge_shortcut(self, page: Page, hidden: Verdict) -> Verdict:
        """A shortcut's own ancestors do not count, those of its target do."""
        shown, _, reason = self.in_language(page)
        if reason:
            return replace(hidden, reason=reason)
        hidden = replace(hidden, rendered=shown)
        if shown.shortcut_mode in SUBPAGE_MODES:
            return replace(hidden, reason="shortcut to a page below")
        target = self.end_of_shortcut(page)
        if target is None or not self.is_open(target):
            return replace(hidden, reason="shortcut to a hidden or missing page")
        is_link = target.doktype == LINK
        return replace(
            hidden,
            reason=f"shortcut to page {target.uid}",
            redirect=self.url_of(self.overlay(target)) if is_link else target.uid,
        )

    def closed_because(self, page: Page) -> str:
        """The first rule by which the page's own row keeps visitors out."""
        nothing_to_see = {SPACER, FOLDER} if self.typo3 >= 13 else {SPACER, FOLDER, RECYCLER}
        reason = hidden_because(page, self.at)
        if not reason and page.doktype in nothing_to_see:
            reason = f"doktype {page.doktype}"
        return reason

    def ancestor_closed_because(self, rootline: tuple[Page, ...]) -> str:
        """The first rule by which a page of the rootline keeps visitors out of all below it.

        Only pages that say so (extendToSubpages) hand down their own restrictions.
        """
        barriers = {BACKEND_SECTION} if self.typo3 >= 13 else {BACKEND_SECTION, RECYCLER}
        for page in rootline:
            reason = hidden_because(page, self.at) if page.extend_to_subpages else ""
            if reason:
                return f"ancestor {page.uid} {reason} (extendToSubpages)"
            if page.doktype in barriers:
                return f"doktype {page.doktype} of page {page.uid}"
        return ""

    def is_open(self, page: Page) -> bool:
        """Whether neither the page's row nor one above keeps visitors out."""
        rootline = self.tree.rootline(page.uid)
        return rootline is not None and not (
            self.closed_because(page) or self.ancestor_closed_because(rootline)
        )

    def in_language(self, page: Page) -> tuple[Page, int, str]:
        """The row that is shown, the language of the content, and why there is none of both."""
        wanted = self.language.language_id
        shown = self.overlay(page)
        content_language = wanted
        if wanted and shown.language_id != wanted:
            if page.l18n_cfg & HIDDEN_UNLESS_TRANSLATED:
                return page, 0, "no translation (l18n_cfg 2)"
            # Every mode falls back where the site names fallbacks. 0 ends the search, even
            # before a language that lent its page row: a quirk of TYPO3, kept.
            found = (each for each in self.language.fallbacks if each in (0, shown.language_id))
            content_language = next(found, -1)
            if content_language < 0:
                return page, 0, f"no translation ({self.language.fallback_type})"
        if not content_language and page.l18n_cfg & HIDDEN_IN_DEFAULT_LANGUAGE:
            return page, 0, "hidden in the default language (l18n_cfg 1)"
        return shown, content_language, ""

    def overlay(self, page: Page) -> Page:
        """The visible translation into the wanted language, else its fallbacks, else *page*."""
        if not self.language.language_id:
            return page
        return next(self.translations(page), page)

    def translations(self, page: Page) -> Iterator[Page]:
        """The visible translations of *page*, the most wanted first."""
        for language_id in (self.language.language_id, *self.language.fallbacks):
            for row in reversed(self.tree.translations(page.uid, language_id)):
                if not switched_off_because(row, self.at):
                    yield row

    def open_page(self, uid: int) -> Page | None:
        """The page with this uid if its own fields let visitors in."""
        page = self.tree.default_page(uid)
        return None if page is None or hidden_because(page, self.at) else page

    def end_of_shortcut(self, page: Page) -> Page | None:
        """The page that a chain of shortcuts leads to, each as it is in the wanted language."""
        for _ in range(MAX_SHORTCUTS):
            if page.doktype != SHORTCUT:
                return page
            target = self.shortcut_target(page)
            if target is None:
                return None
            page = target
        return None

    def shortcut_target(self, page: Page) -> Page | None:
        shown = self.overlay(page)
        if shown.shortcut_mode in SUBPAGE_MODES:
            return None  # pages below are not in the tree
        if shown.shortcut_mode == PARENT_MODE:
            of = self.open_page(shown.shortcut or page.uid)
            return None if of is None else self.open_page(of.pid)
        return self.open_page(shown.shortcut)

    def content_page(self, shown: Page) -> Page | None:
        """The page whose content is shown instead, if visitors may enter it."""
        page = self.open_page(shown.content_from_pid)
        page = page and self.end_of_shortcut(page)
        if page and page.doktype == MOUNT_POINT and page.mount_pid_ol:
            page = self.open_page(page.mount_pid)
        return page if page and self.is_open(page) else None

    def url_of(self, link: Page) -> str:
        """Where a link page leads: its URL, completed by the site's host as TYPO3 does."""
        if urlsplit(link.url).scheme or link.url.startswith("/"):
            return link.url
        if "@" in link.url:
            return f"mailto:{link.url}"
        return urljoin(urljoin(self.language.base, "/"), link.url)
