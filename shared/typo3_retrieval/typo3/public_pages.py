"""The live check: what a visitor without login can open and read now, and at which address."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from typo3_retrieval.typo3.content import ContentKey
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.enable_fields import access_time, switched_off_because
from typo3_retrieval.typo3.page_content import PageContent, page_contents
from typo3_retrieval.typo3.page_text import CORE_CONTENT, PageText, PrintedContent, page_texts
from typo3_retrieval.typo3.pages import PageTree, load_pages
from typo3_retrieval.typo3.public_page import PageKey as PageKey
from typo3_retrieval.typo3.public_page import PublicPage as PublicPage
from typo3_retrieval.typo3.routing import BuiltUrl, Router, RoutingError, UrlRequest
from typo3_retrieval.typo3.routing.addresses import address
from typo3_retrieval.typo3.sites import Sites
from typo3_retrieval.typo3.visibility import MOUNT_POINT, Verdict, judge_page


class PublicPages:
    """Judges pages against the live tables: one statement for a whole answer.

    Args:
        database: TYPO3's tables.
        sites: the sites that are configured.
        router: builds the addresses.
        now: UNIX epoch, seconds; asked for each answer.
        printed: which content the site's templates print.
        typo3_version: the major version.
    """

    def __init__(
        self,
        *,
        database: Database,
        sites: Sites,
        router: Router,
        now: Callable[[], int],
        printed: PrintedContent = CORE_CONTENT,
        typo3_version: int = 13,
    ) -> None:
        self._database = database
        self._sites = sites
        self._router = router
        self._now = now
        self._printed = printed
        self._typo3_version = typo3_version

    def verdicts(self, keys: Iterable[PageKey]) -> Mapping[PageKey, Verdict]:
        """What a visitor gets for each page, and why not.

        Raises:
            BackendError: the database did not answer.
        """
        return self._judged(keys)[1]

    def published(self, keys: Iterable[PageKey]) -> Mapping[PageKey, PublicPage]:
        """The pages that can be opened and cited; the others are missing from the answer.

        Raises:
            BackendError: the database did not answer.
        """
        tree, verdicts = self._judged(keys)
        visible = {key: verdict for key, verdict in verdicts.items() if verdict.visible}
        return self._addressed(tree, visible)

    def texts(
        self, pages: Sequence[PublicPage], *, page_fields: Sequence[str] = ()
    ) -> Mapping[PageKey, PageText]:
        """Read what visitors read on *pages*, in their order. At most three statements.

        Args:
            pages: of `published`.
            page_fields: further columns of `pages` whose words describe the page.

        Raises:
            BackendError: the database did not answer.
        """
        return page_texts(
            self._database,
            pages,
            page_fields=page_fields,
            printed=self._printed,
            now=self._now(),
        )

    def views(self, requests: Sequence[UrlRequest]) -> Sequence[PublicPage | None]:
        """The pages that these requests show, each at the request's own address.

        None stands for what cannot be opened, has no address, or has that of another page. At
        most two statements.

        Raises:
            BackendError: the database did not answer.
        """
        mounts = (mount for request in requests for mount in mount_pages(request))
        keys = [(request.page_uid, request.language_id) for request in requests]
        tree, verdicts = self._judged([*keys, *mounts])
        opened = [
            place
            for place, (key, request) in enumerate(zip(keys, requests, strict=True))
            if verdicts[key].visible
            and all(self._mounts(tree, verdicts[mount]) for mount in mount_pages(request))
        ]
        built = self._router.build_all([requests[place] for place in opened], tree)
        urls = dict(zip(opened, built, strict=True))
        pages: list[PublicPage | None] = []
        for place, (key, request) in enumerate(zip(keys, requests, strict=True)):
            url = urls.get(place)
            if url and not mount_pages(request) and not self._leads_back(tree, verdicts[key]):
                url = None if request.arguments else self._by_id(verdicts[key])
            page = _public_page(key, verdicts[key], url) if url else None
            if page and (site := verdicts[next(iter(mount_pages(request)), key)].site):
                page = replace(page, site=site)  # a mounted page is part of the mount's site
            pages.append(page)
        return pages

    def contents(
        self, pages: Iterable[PublicPage], *, follow_references: bool = True
    ) -> Mapping[ContentKey, PageContent]:
        """Read what stands on *pages*, seen and unseen. At most two statements.

        Args:
            pages: of `published` or `views`.
            follow_references: False saves the second statement.

        Raises:
            BackendError: the database did not answer.
        """
        return page_contents(
            self._database,
            [page.verdict for page in pages],
            printed=self._printed,
            now=self._now(),
            follow_references=follow_references,
        )

    def _mounts(self, tree: PageTree, mount: Verdict) -> bool:
        """Whether visitors may enter a mount point, so that mounted pages show below it."""
        if mount.visible or mount.page is None or mount.language is None:
            return mount.visible
        if mount.page.doktype != MOUNT_POINT or not isinstance(mount.redirect, int):
            return False
        # One that shows the mounted page itself is not visible; its ancestors must be open.
        above = judge_page(
            tree,
            self._sites,
            mount.page.pid,
            mount.language.language_id,
            self._now(),
            typo3=self._typo3_version,
        )
        return above.visible

    def _leads_back(self, tree: PageTree, verdict: Verdict) -> bool:
        """Whether the page's address shows this page, and not another one with the same slug.

        Of several, TYPO3 takes the one with the lowest uid. No slug at all is the home page's.
        """
        shown, site = verdict.rendered, verdict.site
        if shown is None or site is None or verdict.page is None:
            return False
        if verdict.page.uid == site.root_page_uid:
            return True
        if not shown.slug.strip("/"):
            return False
        at = access_time(self._now())
        return not any(
            twin.uid < shown.uid
            and not switched_off_because(twin, at)
            and self._sites.of_rootline(each.uid for each in tree.rootline(twin.uid) or ()) is site
            for twin in tree.twins(shown)
            if twin.l10n_parent != verdict.page.uid
        )

    def _by_id(self, verdict: Verdict) -> BuiltUrl | RoutingError:
        """The address by uid, which TYPO3 serves too: for a page whose slug shows another."""
        if verdict.language is None or verdict.page is None:
            return RoutingError("The page is in no site.")
        home = address(verdict.language.base, "/", typo3_version=self._typo3_version)
        return BuiltUrl(url=f"{home}?id={verdict.page.uid}")

    def _judged(self, keys: Iterable[PageKey]) -> tuple[PageTree, dict[PageKey, Verdict]]:
        wanted = list(dict.fromkeys(keys))
        tree = load_pages(self._database, (uid for uid, _ in wanted))
        now = self._now()
        return tree, {
            (uid, language_id): judge_page(
                tree, self._sites, uid, language_id, now, typo3=self._typo3_version
            )
            for uid, language_id in wanted
        }

    def _addressed(
        self, tree: PageTree, verdicts: Mapping[PageKey, Verdict]
    ) -> dict[PageKey, PublicPage]:
        requests = [
            UrlRequest(page_uid=uid, language_id=language_id) for uid, language_id in verdicts
        ]
        built = self._router.build_all(requests, tree)
        pages = (
            _public_page(
                key, verdict, url if self._leads_back(tree, verdict) else self._by_id(verdict)
            )
            for (key, verdict), url in zip(verdicts.items(), built, strict=True)
        )
        return {(page.uid, page.language_id): page for page in pages if page}


def mount_pages(request: UrlRequest) -> Sequence[PageKey]:
    """The mount points that a request comes through: ``MP=20-61`` names page 61."""
    pairs = str(request.arguments.get("MP") or "").split(",")
    uids = (pair.partition("-")[2] for pair in pairs)
    return [(int(uid), request.language_id) for uid in uids if uid.isascii() and uid.isdecimal()]


def _public_page(key: PageKey, verdict: Verdict, url: BuiltUrl | RoutingError) -> PublicPage | None:
    """The page, if it has an address: without one nothing is cited; and a site."""
    if isinstance(url, RoutingError) or not verdict.site or not verdict.language:
        return None
    return PublicPage(
        uid=key[0],
        language_id=key[1],
        site=verdict.site,
        language=verdict.language,
        verdict=verdict,
        url=url.url,
    )


def searchable(pages: Iterable[PublicPage]) -> Sequence[PublicPage]:
    """Leave out the pages that their editors excluded from search (`no_search`)."""
    return [
        page
        for page in pages
        if not any(
            row is not None and row.no_search for row in (page.verdict.page, page.verdict.rendered)
        )
    ]
