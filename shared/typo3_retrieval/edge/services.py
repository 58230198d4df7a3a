"""What every entrance needs, built once for each execution environment by `bootstrap`."""

from collections.abc import Callable
from dataclasses import dataclass

from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.keyword_search import KeywordSearch
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import Router
from typo3_retrieval.typo3.sites import Sites


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The built system."""

    settings: Settings
    now: Callable[[], int]  # UNIX epoch, seconds
    sites: Sites
    cascade: Cascade  # every backend that takes part
    keyword_search: KeywordSearch  # over the same
    index_backed_keyword_search: KeywordSearch  # over those with priority > 0
    database: Database | None  # None: no database is configured
    public_pages: PublicPages | None  # None exactly when there is no database
    router: Router | None  # the same
    renew: "Callable[[], Services] | None" = None  # for sites that may change meanwhile

    def current(self) -> "Services":
        """The services as they are now: each request begins with it and stays with what it got."""
        return self if self.renew is None else self.renew()
