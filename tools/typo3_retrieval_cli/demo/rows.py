"""Turns the readable content of `lindenau.yaml` into rows of TYPO3's tables."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml

Row = dict[str, Any]

# When all of it was last changed, epoch seconds: fixed, so that two demos are the same.
CHANGED = int(datetime(2026, 5, 4, 10, 30, tzinfo=UTC).timestamp())
GERMAN = 1  # sys_language_uid
PAGE_TRANSLATIONS = 1000  # a page's translation has the page's uid plus this
CONTENT_PER_PAGE = 100  # an element's uid is 100 times its page's, plus its position …
CONTENT_TRANSLATIONS = 50  # … and its translation's uid is this much more
STRUCTURE = {"content", "pages", "de", "why"}  # keys that are no columns


def rows(text: str) -> Iterator[tuple[str, Row]]:
    """Yield (table, row) for everything that the YAML *text* describes."""
    site = yaml.safe_load(text)
    for user in site["backend_users"]:
        yield "be_users", _columns(user)
    yield from _pages(site["pages"], pid=0)


def _pages(pages: list[Row], *, pid: int) -> Iterator[tuple[str, Row]]:
    for position, page in enumerate(pages, start=1):
        uid = page["uid"]
        row = {
            "pid": pid,
            "sorting": position * 256,
            **_stamps("SYS_LASTCHANGED"),
            **_columns(page),
        }
        yield "pages", row
        if translation := page.get("de"):
            yield "pages", _translated(row, translation, PAGE_TRANSLATIONS, "l10n_parent")
        yield from _content(page.get("content", ()), pid=uid)
        yield from _pages(page.get("pages", []), pid=uid)


def _content(elements: list[Row], *, pid: int) -> Iterator[tuple[str, Row]]:
    for position, element in enumerate(elements, start=1):
        row = {
            "uid": pid * CONTENT_PER_PAGE + position,
            "pid": pid,  # translations too lie on the default-language page
            "sorting": position * 256,
            **_stamps(),
            **_columns(element),
        }
        yield "tt_content", row
        if translation := element.get("de"):
            yield "tt_content", _translated(row, translation, CONTENT_TRANSLATIONS, "l18n_parent")


def _translated(row: Row, translation: Row, distance: int, parent: str) -> Row:
    """Make the row of a translation, which TYPO3 starts as a copy of the original."""
    return {
        **row,
        **_columns(translation),
        "uid": row["uid"] + distance,
        "sys_language_uid": GERMAN,
        parent: row["uid"],
        "l10n_source": row["uid"],
    }


def _columns(item: Mapping[str, Any]) -> Row:
    return {key: _value(value) for key, value in item.items() if key not in STRUCTURE}


def _value(value: Any) -> Any:
    return int(value.timestamp()) if isinstance(value, datetime) else value


def _stamps(*more: str) -> Row:
    return dict.fromkeys(("crdate", "tstamp", *more), CHANGED)
