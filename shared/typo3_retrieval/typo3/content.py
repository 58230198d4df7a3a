"""The content elements that a visitor without login reads on pages, in each page's language."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from typo3_retrieval.typo3.content_overlay import ALL_LANGUAGES, Reading, Stock
from typo3_retrieval.typo3.content_rows import ContentRow, ContentTable
from typo3_retrieval.typo3.content_types import printed
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.visibility import Verdict

ContentKey = tuple[int, int]  # uid of the default-language page, asked language

MAIN_COLUMN = frozenset({0})  # colPos of "Normal" in TYPO3's own backend layout
TEXT_FIELDS = ("header", "subheader", "bodytext")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentElement:
    """What one element shows to a visitor: fields that it does not print are empty here."""

    uid: int  # of the row that is shown: the translation's, where there is one
    page_uid: int  # where the row lies, which may be another page (content from page, records)
    language_id: int  # of the row; -1 for all languages
    ctype: str
    header: str = ""
    subheader: str = ""
    bodytext: str = ""  # as stored, HTML and all
    more: tuple[str, ...] = ()  # the further fields that were asked for
    last_changed: int = 0  # UNIX epoch, seconds

    def texts(self) -> tuple[str, ...]:
        """The texts that are not empty, in reading order."""
        return tuple(
            text for text in (self.header, self.subheader, self.bodytext, *self.more) if text
        )


def visible_content(
    database: Database,
    verdicts: Iterable[Verdict],
    *,
    now: int,
    columns: Set[int] = MAIN_COLUMN,
    fields: Sequence[str] = TEXT_FIELDS,
    more_types: Set[str] = frozenset(),
) -> Mapping[ContentKey, tuple[ContentElement, ...]]:
    """Read what stands on the visible ones among judged pages.

    One statement for all pages, and one more when elements of type "insert records" name
    elements of other pages (one for each further level of such nesting).

    Args:
        database: TYPO3's tables.
        verdicts: of `judge_page`; pages that are not visible are missing from the answer.
        now: epoch seconds.
        columns: the `colPos` that the site's template prints.
        fields: text fields of `tt_content`; those that the table lacks are left out.
        more_types: the site's own CTypes that print header and bodytext, or ``*``.

    Returns:
        The elements in page order: by column, then sorting.

    Raises:
        BackendError: the database did not answer.
    """
    readings = readings_of(verdicts)
    table = ContentTable(database=database, fields=fields, now=now)
    languages = {ALL_LANGUAGES, 0, *(each.language_id for each in readings.values())}
    stock = Stock()
    stock.add(table.of_pages({each.page_uid for each in readings.values()}, languages))
    placed = {key: stock.on_page(reading, columns) for key, reading in readings.items()}
    stock.fetch_references(table, (row for rows in placed.values() for row in rows))
    return {
        key: tuple(
            element
            for row in placed[key]
            for shown in stock.unfolded(row, reading)
            if (element := printed_element(shown, fields, more_types)) is not None
        )
        for key, reading in readings.items()
    }


def readings_of(verdicts: Iterable[Verdict]) -> Mapping[ContentKey, Reading]:
    """Which content each of the visible pages shows."""
    return {
        (verdict.page.uid, verdict.language.language_id): Reading(
            page_uid=verdict.content_page_uid,
            language_id=verdict.content_language_id,
            mode=verdict.language.fallback_type,
        )
        for verdict in verdicts
        if verdict.visible and verdict.page and verdict.language
    }


def printed_element(
    row: ContentRow, fields: Sequence[str], more_types: Set[str]
) -> ContentElement | None:
    """What the row's type prints of it; None for a type that prints nothing."""
    parts = printed(row.ctype, row.header_layout, more_types)
    if not (parts.header or parts.body):
        return None
    return ContentElement(
        uid=row.uid,
        page_uid=row.pid,
        language_id=row.language_id,
        ctype=row.ctype,
        header=row.texts.get("header", "") if parts.header else "",
        subheader=row.texts.get("subheader", "") if parts.header else "",
        bodytext=row.texts.get("bodytext", "") if parts.body else "",
        more=tuple(row.texts.get(field, "") for field in fields if field not in TEXT_FIELDS),
        last_changed=row.tstamp,
    )
