"""The contract's site as search indexes hold it: too much, too old, and all of it public.

Every row that must not be seen is in them: as if it had been visible when they were written.
"""

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.contract.site import (
    CONTENT,
    ENGLISH,
    FRENCH,
    NOT_THERE,
    NOW,
    PAGES,
    VISIBLE_PAGES,
    Row,
)
from tests.contract.tables import create_statements, insert_statement
from typo3_retrieval.backends.indexed_search import lexer
from typo3_retrieval.core.html import plain_text

# As the extensions' own definitions have them, in a DDL that SQLite and MariaDB both take.
FILE_TABLES = (
    """CREATE TABLE sys_file (
        uid int NOT NULL PRIMARY KEY, storage int NOT NULL DEFAULT 0, identifier text,
        identifier_hash varchar(40) NOT NULL DEFAULT '', missing int NOT NULL DEFAULT 0)""",
    """CREATE TABLE sys_file_storage (
        uid int NOT NULL PRIMARY KEY, driver varchar(255) NOT NULL DEFAULT 'Local',
        is_public int NOT NULL DEFAULT 1, is_online int NOT NULL DEFAULT 1,
        deleted int NOT NULL DEFAULT 0, configuration text)""",
)
KE_SEARCH_TABLE = """CREATE TABLE tx_kesearch_index (
    uid int NOT NULL PRIMARY KEY, tstamp int NOT NULL DEFAULT 0,
    starttime int NOT NULL DEFAULT 0, endtime int NOT NULL DEFAULT 0,
    fe_group varchar(100) NOT NULL DEFAULT '', targetpid text, content mediumtext,
    hidden_content mediumtext, params text, type text, abstract text,
    sortdate int NOT NULL DEFAULT 0, orig_uid varchar(255) NOT NULL DEFAULT '0', title text,
    language int NOT NULL DEFAULT 0)"""
INDEXED_SEARCH_TABLES = (
    """CREATE TABLE index_phash (
        phash varchar(32) NOT NULL PRIMARY KEY, static_page_arguments blob,
        data_filename varchar(1024) NOT NULL DEFAULT '', data_page_id int NOT NULL DEFAULT 0,
        data_page_type int NOT NULL DEFAULT 0, data_page_mp varchar(255) NOT NULL DEFAULT '',
        gr_list varchar(255) NOT NULL DEFAULT '', item_type varchar(5) NOT NULL DEFAULT '0',
        item_title varchar(255) NOT NULL DEFAULT '', item_mtime int NOT NULL DEFAULT 0,
        tstamp int NOT NULL DEFAULT 0, sys_language_uid int NOT NULL DEFAULT 0,
        externalUrl int NOT NULL DEFAULT 0, recordUid int NOT NULL DEFAULT 0)""",
    """CREATE TABLE index_fulltext (
        phash varchar(32) NOT NULL PRIMARY KEY, fulltextdata mediumtext)""",
    """CREATE TABLE index_rel (
        phash varchar(32) NOT NULL, wid varchar(32) NOT NULL, count int NOT NULL DEFAULT 0,
        freq int NOT NULL DEFAULT 0, flags int NOT NULL DEFAULT 0, PRIMARY KEY (phash, wid))""",
    """CREATE TABLE index_words (
        wid varchar(32) NOT NULL PRIMARY KEY, baseword varchar(60) NOT NULL DEFAULT '',
        is_stopword int NOT NULL DEFAULT 0)""",
    """CREATE TABLE index_grlist (
        phash varchar(32) NOT NULL, gr_list varchar(255) NOT NULL DEFAULT '')""",
    """CREATE TABLE index_section (
        phash varchar(32) NOT NULL, page_id int NOT NULL DEFAULT 0)""",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A page in one language, as an indexer saw it."""

    uid: int
    language_id: int
    title: str
    text: str  # plain, headers and texts on lines of their own


def indexed_pages() -> Iterator[IndexedPage]:
    """All pages in all languages, forbidden ones, and some that never were."""
    visible = {row["uid"] for row in VISIBLE_PAGES}
    for row in PAGES:
        language_id = _number(row.get("sys_language_uid"))
        uid = _number(row.get("l10n_parent")) or _number(row["uid"])
        yield _page(row, uid, language_id, language_id)
        if not language_id and row["uid"] in visible:
            # French has no pages of its own; it shows the English ones.
            yield _page(row, uid, FRENCH, ENGLISH)
    for uid, language_id in NOT_THERE:
        yield IndexedPage(uid=uid, language_id=language_id, title="Bulky waste", text="Tuesday")


def ke_search_id(page_uid: int, language_id: int) -> int:
    """The row that holds a page."""
    return page_uid * 10 + language_id


def ke_search_rows() -> Iterator[Row]:
    """Rows of `tx_kesearch_index`."""
    for page in indexed_pages():
        yield {
            "uid": ke_search_id(page.uid, page.language_id),
            "type": "page",
            "targetpid": str(page.uid),
            "orig_uid": str(page.uid),
            "title": page.title,
            "content": page.text,
            "hidden_content": "waste xylophone",
            "language": page.language_id,
            "tstamp": NOW,
            "sortdate": NOW,
        }


def phash(page_uid: int, language_id: int) -> str:
    """The row that holds a page."""
    return _md5(f"{page_uid}:{language_id}")


def indexed_search_rows() -> Mapping[str, Sequence[Row]]:
    """Rows of the `index_*` tables."""
    pages: list[Row] = []
    texts: list[Row] = []
    relations: list[Row] = []
    sections: list[Row] = []
    words: dict[str, str] = {}
    for page in indexed_pages():
        key = phash(page.uid, page.language_id)
        pages.append(
            {
                "phash": key,
                "static_page_arguments": "[]",
                "data_page_id": page.uid,
                "gr_list": "0,-1",
                "item_title": page.title,
                "item_mtime": NOW,
                "tstamp": NOW,
                "sys_language_uid": page.language_id,
            }
        )
        text = f"{page.title} {page.text}"
        texts.append({"phash": key, "fulltextdata": text})
        sections.append({"phash": key, "page_id": page.uid})
        in_title = set(lexer.words(page.title))
        counted = Counter(lexer.words(text))
        for word, count in counted.items():
            words[_md5(word)] = word
            relations.append(
                {
                    "phash": key,
                    "wid": _md5(word),
                    "count": count,
                    "freq": min(32_000, count * 320_000 // counted.total()),
                    "flags": 128 if word in in_title else 0,
                }
            )
    return {
        "index_phash": pages,
        "index_fulltext": texts,
        "index_rel": relations,
        "index_section": sections,
        "index_words": [{"wid": wid, "baseword": word} for wid, word in words.items()],
    }


def write_site(path: Path, tables: Sequence[str], rows: Mapping[str, Sequence[Row]]) -> Path:
    """Write a new SQLite file with the site, these tables beside, and their rows."""
    connection = sqlite3.connect(path)
    try:
        for statement in (*create_statements(), *FILE_TABLES, *tables):
            connection.execute(statement)
        for statement, values in site_inserts("?"):
            connection.execute(statement, values)
        for statement, values in inserts(rows, "?"):
            connection.execute(statement, values)
        connection.commit()
    finally:
        connection.close()
    return path


def site_inserts(placeholder: str) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What writes the site's own tables; *placeholder* is the driver's."""
    for table, rows in (("pages", PAGES), ("tt_content", CONTENT)):
        for row in rows:
            yield insert_statement(table, row, placeholder), tuple(row.values())


def inserts(
    tables: Mapping[str, Sequence[Row]], placeholder: str
) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What writes these rows; *placeholder* is the driver's."""
    for table, rows in tables.items():
        for row in rows:
            marks = ", ".join([placeholder] * len(row))
            statement = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608  # own names
            yield statement, tuple(row.values())


def _page(row: Row, uid: int, language_id: int, text_language: int) -> IndexedPage:
    lines = [
        plain_text(str(element.get(field) or ""))
        for element in CONTENT
        if element["pid"] == uid and _number(element.get("sys_language_uid")) == text_language
        for field in ("header", "bodytext")
    ]
    return IndexedPage(
        uid=uid,
        language_id=language_id,
        title=str(row["title"]),
        text="\n".join(filter(None, [*lines, str(row.get("description") or "")])),
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
