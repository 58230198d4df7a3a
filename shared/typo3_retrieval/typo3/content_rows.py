"""Rows of `tt_content` that nothing hides, loaded for many pages at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.typo3.database import Database, Row
from typo3_retrieval.typo3.enable_fields import access_time, enable_fields_sql
from typo3_retrieval.typo3.pages import MAX_UID

_COLUMNS = {
    "uid": "uid",
    "pid": "pid",
    "language_id": "sys_language_uid",
    "l18n_parent": "l18n_parent",
    "col_pos": "colPos",
    "sorting": "sorting",
    "tstamp": "tstamp",
    "ctype": "CType",
    "header_layout": "header_layout",
    "records": "records",
}
_OWN_TABLE = "tt_content_"  # the prefix of a reference to an element


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentRow:
    """One element of a page."""

    uid: int
    pid: int
    language_id: int = 0  # -1: all languages
    l18n_parent: int = 0  # uid of the default-language row; 0 for a row of its own
    col_pos: int = 0
    sorting: int = 0
    tstamp: int = 0  # UNIX epoch, seconds
    ctype: str = ""
    header_layout: int = 0
    records: str = ""
    texts: Mapping[str, str]  # by field name
    is_open: bool = True  # whether it passes its own enable fields

    @property
    def references(self) -> tuple[int, ...]:
        """The uids of `tt_content` in `records`, in order: ``tt_content_5,7,pages_3`` has 5, 7."""
        names = (each.strip().removeprefix(_OWN_TABLE) for each in self.records.split(","))
        numbers = (name for name in names if name.isascii() and name.isdecimal())
        # The length first: Python refuses to read a number of some thousand digits.
        longest = len(str(MAX_UID))
        return tuple(int(name) for name in numbers if len(name) <= longest and int(name) <= MAX_UID)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentTable:
    """The table as it is in this TYPO3, read at one moment.

    Args:
        fields: the text fields to load.
        now: epoch seconds.
        closed_too: load rows that nobody may see as well, for comparison: `ContentRow.is_open`.
    """

    database: Database
    fields: Sequence[str]
    now: int
    closed_too: bool = False

    def of_pages(self, pages: Collection[int], languages: Iterable[int]) -> list[ContentRow]:
        """All elements on these pages in these languages. One statement."""
        return self._rows(
            "",
            "c.pid IN %(pages)s AND c.sys_language_uid IN %(languages)s",
            {"pages": sorted(pages), "languages": sorted(languages)},
        )

    def of_uids(self, uids: Collection[int]) -> list[ContentRow]:
        """These elements and their translations, where their own pages let visitors in.

        One statement. TYPO3 asks the page's own enable fields here, not those of its ancestors
        (RecordsContentObject, PageRepository::filterAccessiblePageIds).
        """
        page_is_open = enable_fields_sql("p", self.database.columns("pages"))
        return self._rows(
            f"JOIN pages p ON p.uid = c.pid AND {page_is_open}",
            "(c.uid IN %(uids)s OR c.l18n_parent IN %(uids)s)",
            {"uids": sorted(uids)},
        )

    def _rows(
        self, join: str, condition: str, parameters: Mapping[str, Sequence[int]]
    ) -> list[ContentRow]:
        there = self.database.columns("tt_content")
        if not there or not all(parameters.values()):
            return []
        columns = [f"c.{column} AS {name}" for name, column in _COLUMNS.items() if column in there]
        # Only names of columns that exist get into the statement, so a setting cannot break it.
        texts = [field for field in self.fields if field in there]
        columns += [f"c.{field} AS text_{index}" for index, field in enumerate(texts)]
        visible = enable_fields_sql("c", there, for_table="tt_content")
        columns.append(f"CASE WHEN {visible} THEN 1 ELSE 0 END AS is_open")
        if self.closed_too:
            visible = "1 = 1"
        # S608: names of columns and our own conditions; the values are parameters.
        statement = f"""
            SELECT {", ".join(columns)}
            FROM tt_content c {join}
            WHERE {condition} AND {visible}
            ORDER BY c.uid
        """  # noqa: S608
        found = self.database.rows(statement, {**parameters, "now": access_time(self.now)})
        return [_content_row(row, texts) for row in found]


def _content_row(row: Row, texts: Sequence[str]) -> ContentRow:
    def number(name: str) -> int:
        return int(row.get(name) or 0)

    return ContentRow(
        uid=number("uid"),
        pid=number("pid"),
        language_id=number("language_id"),
        l18n_parent=number("l18n_parent"),
        col_pos=number("col_pos"),
        sorting=number("sorting"),
        tstamp=number("tstamp"),
        ctype=_text(row.get("ctype")),
        header_layout=number("header_layout"),
        records=_text(row.get("records")),
        texts={field: _text(row[f"text_{index}"]) for index, field in enumerate(texts)},
        is_open=bool(row.get("is_open")),
    )


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)
