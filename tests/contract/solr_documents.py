"""The contract's site as EXT:solr would have indexed it when every row of it was still public.

So the index holds all that must not be shown any more, and only the live check stands between.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tests.contract.site import (
    CONTENT,
    ENGLISH,
    FRENCH,
    GERMAN,
    MAIN,
    OTHER,
    PAGES,
    POLISH,
    Row,
)
from typo3_retrieval.core.html import plain_text

CORES = {ENGLISH: "core_en", GERMAN: "core_de", FRENCH: "core_fr", POLISH: "core_de_at"}


def documents() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each document, with its core. A language that has no translation gets the default's."""
    elements: defaultdict[tuple[object, object], list[Row]] = defaultdict(list)
    for element in CONTENT:
        elements[element["pid"], element.get("sys_language_uid", 0)].append(element)
    translated = {
        (row["l10n_parent"], row["sys_language_uid"]): row
        for row in PAGES
        if row.get("l10n_parent")
    }
    for row in PAGES:
        if row.get("l10n_parent"):
            continue
        languages = (OTHER if _root(row) == OTHER.root_page_uid else MAIN).languages
        for language_id in (language.language_id for language in languages):
            shown = translated.get((row["uid"], language_id), row)
            texts = elements[row["uid"], language_id]
            texts += elements[row["uid"], ENGLISH] if language_id == FRENCH else []
            yield CORES[language_id], _document(row, shown, texts, language_id)


def _document(page: Row, shown: Row, texts: Sequence[Row], language_id: int) -> dict[str, Any]:
    content = " ".join(_text(text, "header", "bodytext") for text in texts)
    title = _text(shown, "title")
    return {
        "id": f"hash/pages/{page['uid']!r}/0/{language_id}/0",
        "type": "pages",
        "uid": page["uid"],
        "site": "www.example.org",
        "rootline": [f"0-{_root(page)}/"],
        "access": ["c:0"],
        "url": f"/indexed-{page['uid']!r}",
        "title": title,
        "titleExact": title,
        "content": content,
        "contentExact": content,
        "description": _text(shown, "description"),
        "changed": "2026-05-04T10:30:00Z",
    }


def _root(page: Row) -> int:
    return OTHER.root_page_uid if page["uid"] == 900 or page["pid"] == 900 else MAIN.root_page_uid


def _text(row: Row, *columns: str) -> str:
    """What an indexer makes of these columns: their text, each on a line of its own."""
    values = (row.get(column) for column in columns)
    return plain_text("<br>".join(value for value in values if isinstance(value, str)))
