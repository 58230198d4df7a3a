"""What visitors read on pages now, beside what stands on them unseen: to judge an index's text.

An index can be more public than the site: it was written before an element was hidden, it reads
columns that no template prints, or translations of elements that nobody sees.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from typo3_retrieval.core.html import lines_of, plain_text
from typo3_retrieval.core.ranking.analysis import tokens
from typo3_retrieval.core.text import one_line
from typo3_retrieval.typo3.content import (
    TEXT_FIELDS,
    ContentElement,
    ContentKey,
    printed_element,
    readings_of,
)
from typo3_retrieval.typo3.content_overlay import ALL_LANGUAGES, Reading, Stock
from typo3_retrieval.typo3.content_rows import ContentRow, ContentTable
from typo3_retrieval.typo3.content_types import SHORTCUT
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.page_text import PrintedContent
from typo3_retrieval.typo3.visibility import Verdict

_RUN = 3  # words in a row that tell one text from another
_SHARE = 0.2  # of an unseen text's runs; fewer are phrases that any text may hold

Run = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PageContent:
    """The elements of one page in one language, seen and unseen."""

    shown: tuple[ContentElement, ...] = ()  # in page order
    unseen: tuple[str, ...] = ()  # plain texts of the rows that no visitor reads
    unprinted: tuple[str, ...] = ()  # of the rows on the page, what their types do not print
    last_changed: int = 0  # UNIX epoch, seconds: of any row, seen or not
    is_complete: bool = True  # False: "insert records" was not followed

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """What the page shows, as plain text, headers marked by ``##``."""
        return tuple(line for element in self.shown for line in element_lines(element))

    def gives_away(self, text: str, *, rendered: bool) -> bool:
        """Whether *text* of an index holds a text of this page that no visitor reads.

        Compared are runs of three words, because an indexer writes a text otherwise than it
        is stored.

        Args:
            text: plain.
            rendered: the indexer read the page, not the tables: what is in the text was printed,
                by a type of content that is not known here perhaps.
        """
        hidden = self.unseen if rendered else (*self.unseen, *self.unprinted)
        if not hidden:
            return False
        indexed, seen = _runs(text), _runs(" ".join(self.lines))
        for unseen in hidden:
            own = _runs(unseen) - seen
            if len(own & indexed) > _SHARE * len(own):
                return True
        return False


def element_lines(element: ContentElement) -> list[str]:
    """An element's text as plain lines, its header marked by ``##``."""
    header = one_line(element.header)
    lines = [line for text in element.texts()[bool(element.header) :] for line in lines_of(text)]
    return [f"## {header}", *lines] if header else lines


def page_contents(
    database: Database,
    verdicts: Iterable[Verdict],
    *,
    printed: PrintedContent,
    now: int,
    follow_references: bool,
) -> Mapping[ContentKey, PageContent]:
    """Read what stands on the visible ones among judged pages.

    One statement, and with *follow_references* one more when elements of type "insert
    records" name elements of other pages.

    Raises:
        BackendError: the database did not answer.
    """
    readings = readings_of(verdicts)
    fields = (*TEXT_FIELDS, *printed.more_fields)
    table = ContentTable(database=database, fields=fields, now=now, closed_too=True)
    languages = {ALL_LANGUAGES, 0, *(each.language_id for each in readings.values())}
    rows = table.of_pages({each.page_uid for each in readings.values()}, languages)
    return _Reader(table, rows, printed, follow_references).contents(readings)


class _Reader:
    def __init__(
        self,
        table: ContentTable,
        rows: Sequence[ContentRow],
        printed: PrintedContent,
        follow_references: bool,
    ) -> None:
        self._table = table
        self._printed = printed
        self._follow = follow_references
        self._of_page: defaultdict[int, list[ContentRow]] = defaultdict(list)
        for row in rows:
            self._of_page[row.pid].append(row)
        self._stock = Stock()
        self._stock.add(row for row in rows if row.is_open)
        self._named: list[ContentRow] = []  # by "insert records", from other pages

    def contents(self, readings: Mapping[ContentKey, Reading]) -> Mapping[ContentKey, PageContent]:
        placed = {
            key: self._stock.on_page(reading, self._printed.columns)
            for key, reading in readings.items()
        }
        if self._follow:
            names = {uid for rows in placed.values() for row in rows for uid in _names(row)}
            here = {row.uid for rows in self._of_page.values() for row in rows}
            self._named = self._table.of_uids(names - here)
            self._stock.add(row for row in self._named if row.is_open)
        return {key: self._content(readings[key], rows) for key, rows in placed.items()}

    def _content(self, reading: Reading, placed: Sequence[ContentRow]) -> PageContent:
        names = {uid for row in placed for uid in _names(row)}
        known = {row.uid: row for row in self._of_page[reading.page_uid]}
        known |= {
            row.uid: row for row in self._named if not names.isdisjoint((row.uid, row.l18n_parent))
        }
        open_rows = {row.uid: row for each in placed for row in self._stock.unfolded(each, reading)}
        elements = {
            uid: element
            for uid, row in open_rows.items()
            if (element := self._printed_element(row))
        }
        unseen = (_unseen_text(row) for uid, row in known.items() if uid not in open_rows)
        unprinted = (_unseen_text(row, elements.get(uid)) for uid, row in open_rows.items())
        return PageContent(
            shown=tuple(elements.values()),
            unseen=tuple(filter(None, unseen)),
            unprinted=tuple(filter(None, unprinted)),
            last_changed=max((row.tstamp for row in known.values()), default=0),
            is_complete=names <= known.keys(),
        )

    def _printed_element(self, row: ContentRow) -> ContentElement | None:
        return printed_element(row, self._table.fields, self._printed.more_types)


def _unseen_text(row: ContentRow, element: ContentElement | None = None) -> str:
    """What *row* holds and does not show: all of it, or the fields that its type leaves out."""
    shown = () if element is None else element.texts()
    return " ".join(plain_text(text) for text in row.texts.values() if text and text not in shown)


def _names(row: ContentRow) -> tuple[int, ...]:
    return row.references if row.ctype == SHORTCUT else ()


def _runs(text: str) -> set[Run]:
    """The runs of words in *text*; a shorter text is one run."""
    words = [match[0] for match in tokens(text)]
    if len(words) < _RUN:
        return {tuple(words)} if words else set()
    return {tuple(words[index : index + _RUN]) for index in range(len(words) - _RUN + 1)}
