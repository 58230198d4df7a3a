"""The live check: which pages a visitor without login can open now, and at which address."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.pages import PageTree, load_pages
from typo3_retrieval.typo3.routing import Router, RoutingError, UrlRequest
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites
from typo3_retrieval.typo3.visibility import Verdict, judge_page

PageKey = tuple[int, int]  # uid of the default-language page, sys_language_uid


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPage:
    """A page that an anonymous visitor can open in one language."""

    uid: int  # of the default-language page
    language_id: int  # that was asked for; the shown row may be another by fallback
    site: Site
    language: SiteLanguage
    verdict: Verdict
    url: str  # absolute

    @property
    def title(self) -> str:
        """Title of the row that is shown."""
        return self.verdict.rendered.title if self.verdict.rendered else ""

    @property
    def last_modified(self) -> int | None:
        """UNIX epoch, seconds: the last change of the shown row or its content."""
        row = self.verdict.rendered
        return (row.last_changed or row.tstamp or None) if row else None


class PublicPages:
    """Judges pages against the live tables: one statement for a whole answer.

    Args:
        database: TYPO3's tables.
        sites: the sites that are configured.
        router: builds the addresses.
        now: UNIX epoch, seconds; asked for each answer.
    """

    def __init__(
        self, *, database: Database, sites: Sites, router: Router, now: Callable[[], int]
    ) -> None:
        self._database = database
        self._sites = sites
        self._router = router
        self._now = now

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

    def _judged(self, keys: Iterable[PageKey]) -> tuple[PageTree, dict[PageKey, Verdict]]:
        wanted = list(dict.fromkeys(keys))
        tree = load_pages(self._database, (uid for uid, _ in wanted))
        now = self._now()
        return tree, {
            (uid, language_id): judge_page(tree, self._sites, uid, language_id, now)
            for uid, language_id in wanted
        }

    def _addressed(
        self, tree: PageTree, verdicts: Mapping[PageKey, Verdict]
    ) -> dict[PageKey, PublicPage]:
        requests = [
            UrlRequest(page_uid=uid, language_id=language_id) for uid, language_id in verdicts
        ]
        built = self._router.build_all(requests, tree)
        pages: dict[PageKey, PublicPage] = {}
        for (key, verdict), url in zip(verdicts.items(), built, strict=True):
            # Without an address nothing is cited, and a page of no site is nobody's.
            if isinstance(url, RoutingError) or not verdict.site or not verdict.language:
                continue
            pages[key] = PublicPage(
                uid=key[0],
                language_id=key[1],
                site=verdict.site,
                language=verdict.language,
                verdict=verdict,
                url=url.url,
            )
        return pages


def searchable(pages: Iterable[PublicPage]) -> Sequence[PublicPage]:
    """Leave out the pages that their editors excluded from search (`no_search`)."""
    return [
        page
        for page in pages
        if not any(
            row is not None and row.no_search for row in (page.verdict.page, page.verdict.rendered)
        )
    ]
