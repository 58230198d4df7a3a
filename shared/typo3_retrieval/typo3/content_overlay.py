"""Which rows of `tt_content` stand on a page in one language: TYPO3's overlays."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from typo3_retrieval.typo3.content_rows import ContentRow, ContentTable
from typo3_retrieval.typo3.content_types import SHORTCUT
from typo3_retrieval.typo3.sites import FallbackType

ALL_LANGUAGES = -1
MAX_NESTING = 5  # "insert records" that name "insert records"; each level costs a statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One page, read in one language of content, in one mode of TYPO3's overlays."""

    page_uid: int
    language_id: int
    mode: FallbackType

    def selects(self, row: ContentRow) -> bool:
        """Whether the page's own query finds this row (ContentObjectRenderer::getQuery)."""
        if row.language_id in (ALL_LANGUAGES, self.language_id):
            # A row of the language itself stands for itself in free mode only, or if it
            # translates nothing, which fallback mode does not look for.
            return (
                row.language_id <= 0
                or self.mode == "free"
                or (self.mode == "strict" and not row.l18n_parent)
            )
        return row.language_id == 0 and self.mode != "free"


class Stock:
    """All rows that were loaded, by uid and by the row that they translate."""

    def __init__(self) -> None:
        self._rows: dict[int, ContentRow] = {}
        self._by_page: dict[int, list[ContentRow]] = defaultdict(list)
        self._translations: dict[tuple[int, int, int], ContentRow] = {}

    def add(self, rows: Iterable[ContentRow]) -> None:
        """Take rows in, by ascending uid: the first translation of a row counts."""
        for row in rows:
            if row.uid not in self._rows:
                self._rows[row.uid] = row
                self._by_page[row.pid].append(row)
                if row.l18n_parent and row.language_id > 0:
                    key = (row.pid, row.l18n_parent, row.language_id)
                    self._translations.setdefault(key, row)

    def on_page(self, reading: Reading, columns: Set[int]) -> list[ContentRow]:
        """The rows shown on a page. Column and place are those of the row that is overlaid."""
        own = sorted(
            (
                row
                for row in self._by_page[reading.page_uid]
                if row.col_pos in columns and reading.selects(row)
            ),
            key=lambda row: (row.col_pos, row.sorting, row.uid),
        )
        shown = (self.overlay(row, reading) for row in own)
        return [row for row in shown if row]

    def overlay(self, row: ContentRow, reading: Reading) -> ContentRow | None:
        """The row that stands for *row* in a language (PageRepository::getRecordOverlay)."""
        if reading.mode == "free" or row.language_id in (ALL_LANGUAGES, reading.language_id):
            return row
        if row.language_id != 0:
            return None
        # TYPO3 looks for the translation on the same page only.
        translated = self._translations.get((row.pid, row.uid, reading.language_id))
        return translated or (row if reading.mode == "fallback" else None)

    def fetch_references(self, table: ContentTable, rows: Iterable[ContentRow]) -> None:
        """Load what "insert records" name, level by level, and nothing that is here already."""
        asked: set[int] = set()
        wanted = _named_by(rows)
        for _ in range(MAX_NESTING):
            # What is here came with its whole page, and so with its translations.
            self.add(table.of_uids(wanted - self._rows.keys() - asked))
            asked |= wanted
            wanted = _named_by(self._with_translations(wanted)) - asked
            if not wanted:
                return

    def unfolded(
        self, row: ContentRow, reading: Reading, trail: tuple[int, ...] = ()
    ) -> Iterator[ContentRow]:
        """The row, or instead of "insert records" what they name. Loops end."""
        if row.ctype != SHORTCUT:
            yield row
            return
        for uid in row.references:
            named = self._rows.get(uid)
            shown = named and self.overlay(named, reading)
            if shown and uid not in trail and len(trail) < MAX_NESTING:
                yield from self.unfolded(shown, reading, (*trail, uid))

    def _with_translations(self, uids: set[int]) -> Iterator[ContentRow]:
        return (
            row for row in self._rows.values() if not uids.isdisjoint((row.uid, row.l18n_parent))
        )


def _named_by(rows: Iterable[ContentRow]) -> set[int]:
    return {uid for row in rows if row.ctype == SHORTCUT for uid in row.references}
