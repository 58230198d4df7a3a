"""Rows of a site's search index, checked against the live tables: what of them may be cited now.

An index tells what the site showed when it was written. Whether a page is still there, at which
address, and whether a text can still be read, the tables tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import parse_qsl, urlsplit

from typo3_retrieval.core.backend import Document
from typo3_retrieval.core.evidence import EvidenceSource
from typo3_retrieval.core.ranking.bm25f import Text
from typo3_retrieval.core.ranking.hits import Hit
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.core.text import one_line
from typo3_retrieval.typo3.content import ContentElement
from typo3_retrieval.typo3.page_content import PageContent, element_lines
from typo3_retrieval.typo3.public_pages import PublicPage, PublicPages, searchable
from typo3_retrieval.typo3.routing import UrlRequest
from typo3_retrieval.typo3.sites import Sites

_HEADER = "## "
_WITH_RECORDS = 3  # statements
_OF_THE_VIEW = frozenset({"type", "MP"})  # arguments that choose how a page is shown


class Owner(Enum):
    """Whose text a row holds."""

    PAGE = auto()  # a page's elements
    VIEW = auto()  # a page with what a plugin prints on it
    ELEMENT = auto()  # one element
    OTHER = auto()  # a record, a file, something outside


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """One row of an index, in the terms that all indexes share."""

    source_id: SourceId
    owner: Owner
    title: str  # one line of plain text
    lines: tuple[str, ...]  # plain text; empty when it was not loaded
    request: UrlRequest | None = None  # the page view that the row is about
    url: str = ""  # of what is no page
    element_uid: int = 0  # of an element's row
    indexed_at: int = 0  # UNIX epoch, seconds
    last_modified: int | None = None  # UNIX epoch, seconds
    all_in_path: bool = False  # the arguments are those that a route put into its path
    rendered: bool = False  # the indexer read the page as visitors do, not the tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Citable:
    """A row that can be cited, with what may be shown of it."""

    row: IndexRow
    title: str
    url: str  # absolute
    lines: tuple[str, ...]  # plain text, headers marked by "##"
    page: PublicPage | None = None

    @property
    def text(self) -> Text:
        """What is scored, and what excerpts come from."""
        body = " ".join(line.removeprefix(_HEADER) for line in self.lines)
        return Text(self.title, body)

    def source(self, hit: Hit, language_id: int) -> EvidenceSource:
        """The row as a hit of a question asked in *language_id*."""
        return EvidenceSource(
            source_id=self.row.source_id,
            title=self.title,
            url=self.url,
            excerpt=hit.excerpt,
            language_id=language_id,
            site=self.page.site.identifier if self.page else None,
            page_uid=self.page.uid if self.page else None,
            score=hit.score.value,
            confidence=hit.score.confidence,
            last_modified=self.row.last_modified,
        )

    def document(self) -> Document:
        """The row in full."""
        return Document(
            source_id=self.row.source_id,
            title=self.title,
            url=self.url,
            text="\n\n".join((f"# {self.title}", *self.lines)),
            last_modified=self.row.last_modified,
        )


def citable(
    public_pages: PublicPages,
    rows: Sequence[IndexRow],
    *,
    site: str | None = None,
    statements: int = 4,
) -> list[Citable]:
    """Keep the rows that a visitor can open now, with the text that he can read there.

    Pages and elements cost a statement each, one more the records in addresses, and one the
    elements that "insert records" name.

    Args:
        public_pages: the live check.
        rows: in the order of the answer.
        site: identifier; rows of other sites are left out. Rows of no page belong to all.
        statements: that may be run, two or more. What they do not suffice for is left out.

    Raises:
        BackendError: the database did not answer.
    """
    if statements < _WITH_RECORDS:
        rows = [row for row in rows if not needs_records(row)]
    views = iter(public_pages.views([row.request for row in rows if row.request]))
    opened = [(row, next(views) if row.request else None) for row in rows]
    pages = [page for _, page in opened if page and _is_asked(page, site)]
    contents = public_pages.contents(
        pages, follow_references=statements >= _WITH_RECORDS + any(map(needs_records, rows))
    )
    checked: list[Citable] = []
    for row, page in opened:
        if row.request is None:
            checked.append(Citable(row=row, title=row.title, url=row.url, lines=row.lines))
        elif page and (content := contents.get((page.uid, page.language_id))):
            shown = _shown(row, page, content) if _is_asked(page, site) else None
            checked += [shown] if shown else []
    return checked


def _is_asked(page: PublicPage, site: str | None) -> bool:
    return site in (None, page.site.identifier) and bool(searchable([page]))


def _shown(row: IndexRow, page: PublicPage, content: PageContent) -> Citable | None:
    """What a visitor can read of a row of this page, None for nothing."""
    if row.all_in_path and not _is_exact(page.url):
        return None  # the indexed view had more arguments, which the index did not keep
    if row.owner is Owner.ELEMENT:
        element = next((each for each in content.shown if each.uid == row.element_uid), None)
        return None if element is None else _of_element(row, page, element)
    title = page.title if row.owner is Owner.PAGE else row.title
    if row.owner is not Owner.OTHER and not _is_fresh(row, page, content):
        return Citable(row=row, title=title, url=page.url, lines=content.lines, page=page)
    if content.gives_away(" ".join(row.lines), rendered=row.rendered):
        if row.owner is Owner.OTHER:
            return None
        return Citable(row=row, title=title, url=page.url, lines=content.lines, page=page)
    return Citable(row=row, title=title, url=page.url, lines=row.lines, page=page)


def _is_fresh(row: IndexRow, page: PublicPage, content: PageContent) -> bool:
    """Whether the row has a text and nothing that it may hold has changed since."""
    shown = page.verdict.rendered
    changed = max(content.last_changed, shown.tstamp if shown else 0)
    return bool(row.lines) and content.is_complete and changed <= row.indexed_at


def _of_element(row: IndexRow, page: PublicPage, element: ContentElement) -> Citable:
    header = one_line(element.header)
    title = f"{page.title} - {header}" if header and header != page.title else page.title
    return Citable(
        row=row, title=title, url=page.url, lines=tuple(element_lines(element)), page=page
    )


def needs_records(row: IndexRow) -> bool:
    """Whether records may have to be read to address a row: one statement."""
    return row.request is not None and not _OF_THE_VIEW.issuperset(row.request.arguments)


def _is_exact(url: str) -> bool:
    """Whether the path alone tells a view: what an index kept of it had come from there."""
    return {name for name, _ in parse_qsl(urlsplit(url).query)} <= {"id", "type"}


def language_code(sites: Sites, site: str | None, language_id: int) -> str:
    """ISO 639-1 code of a language in the asked sites, empty when none of them has it.

    Raises:
        InvalidInput: no site has this identifier.
    """
    languages = (each.language(language_id) for each in sites.asked(site))
    return next((language.code for language in languages if language), "")
