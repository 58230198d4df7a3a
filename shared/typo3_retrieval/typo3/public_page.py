"""One page as a visitor without login can open it."""

from dataclasses import dataclass

from typo3_retrieval.typo3.sites import Site, SiteLanguage
from typo3_retrieval.typo3.visibility import Verdict

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
