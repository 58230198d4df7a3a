"""One row of `index_phash` with its text, read."""

import json
from typing import Any

from typo3_retrieval.core.text import one_line
from typo3_retrieval.plugin import SourceId
from typo3_retrieval.typo3.database import Row, Value
from typo3_retrieval.typo3.index_rows import IndexRow, Owner
from typo3_retrieval.typo3.routing import UrlRequest

NAME = "indexed_search"
MAX_CONTENT = 60_000  # characters of a row that are read for a search
ROW_COLUMNS = """
    p.phash, p.static_page_arguments, p.data_filename, p.data_page_id, p.data_page_type,
    p.data_page_mp, p.item_type, p.item_title, p.item_mtime, p.tstamp AS indexed_at,
    p.sys_language_uid, p.externalUrl AS is_external, p.recordUid AS record_uid"""
_PAGE = "0"  # item_type; a file has its extension there


def file_path(row: Row) -> str:
    """The path that a file's row names, empty for other rows."""
    is_file = _text(row["item_type"]) != _PAGE and not row["is_external"]
    return _text(row["data_filename"]) if is_file else ""


def read_row(row: Row, *, language_id: int, address: str) -> IndexRow | None:
    """Read one row; None when it leads nowhere.

    Args:
        row: with `ROW_COLUMNS` and ``content``.
        language_id: in which a row for all languages is shown.
        address: absolute, of a file.
    """
    title = one_line(_text(row["item_title"]))
    source_id = SourceId.of(NAME, _text(row["phash"]))
    lines = _lines(_text(row["content"]), title)
    indexed_at = int(row["indexed_at"] or 0)
    last_modified = int(row["item_mtime"] or 0) or None
    if row["is_external"] or _text(row["item_type"]) != _PAGE:
        url = _text(row["data_filename"]) if row["is_external"] else address
        if not url.lower().startswith(("https://", "http://")):
            return None
        return IndexRow(
            source_id=source_id,
            owner=Owner.OTHER,
            title=title,
            lines=lines,
            url=url,
            indexed_at=indexed_at,
            last_modified=last_modified,
        )
    arguments = _arguments(row)
    page_uid = int(row["data_page_id"] or 0)
    if arguments is None or not page_uid:
        return None
    language = int(row["sys_language_uid"] or 0)
    view = {name: value for name, value in arguments.items() if name != "type"}
    return IndexRow(
        source_id=source_id,
        owner=Owner.VIEW if view else Owner.PAGE,
        title=title,
        lines=lines,
        request=UrlRequest(
            page_uid=page_uid,
            language_id=language_id if language < 0 else language,
            arguments=arguments,
        ),
        indexed_at=indexed_at,
        last_modified=last_modified,
        # An indexing configuration keeps all arguments of its records.
        all_in_path=not row["record_uid"],
        rendered=True,
    )


def _arguments(row: Row) -> dict[str, Any] | None:
    """The arguments of the indexed view, None when they cannot be read."""
    try:
        kept = json.loads(_text(row["static_page_arguments"]) or "[]")
    except ValueError:
        return None
    # PHP writes an empty array as a list.
    arguments = dict(kept) if isinstance(kept, dict) else {}
    if not isinstance(kept, dict | list) or (isinstance(kept, list) and kept):
        return None
    if page_type := int(row["data_page_type"] or 0):
        arguments["type"] = str(page_type)
    if mount_point := _text(row["data_page_mp"]):
        arguments["MP"] = mount_point
    return arguments


def _lines(content: str, title: str) -> tuple[str, ...]:
    """The text line by line. It is plain already, and begins with the title."""
    lines = [line for line in map(one_line, content.split("\n")) if line]
    if lines:
        lines[0] = lines[0].removeprefix(title).strip()
    return tuple(filter(None, lines))


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
