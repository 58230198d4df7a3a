"""One row of `tx_kesearch_index`, read."""

import re

from typo3_retrieval.core.html import lines_of, plain_text
from typo3_retrieval.plugin import SourceId
from typo3_retrieval.typo3.database import Row, Value
from typo3_retrieval.typo3.files import FILE_COLUMNS, public_file
from typo3_retrieval.typo3.index_rows import IndexRow, Owner
from typo3_retrieval.typo3.php import Arguments, parse_query
from typo3_retrieval.typo3.routing import UrlRequest

NAME = "ke_search"
MAX_CONTENT = 60_000  # characters of a row that are read for a search

ROW_COLUMNS = f"""
    i.uid, i.title, i.type, i.targetpid, i.params, i.orig_uid, i.language, i.sortdate,
    i.tstamp AS indexed_at, {FILE_COLUMNS}"""
# Files have their address from FAL. MySQL compares a number with a text by its leading digits.
FILES_JOIN = """
    LEFT JOIN sys_file f ON i.type LIKE 'file%%' AND f.uid = CAST(i.orig_uid AS DECIMAL)
    LEFT JOIN sys_file_storage s ON s.uid = f.storage"""

_EXTERNAL = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_TARGET = re.compile(r"(?P<page>\d+)(?:#(?P<fragment>.+))?")
_IGNORED = ("id", "L", "_language", "cHash")  # the target decides them, and the router


def read_row(row: Row, *, language_id: int, base: str) -> IndexRow | None:
    """Read one row; None when it leads nowhere.

    Args:
        row: with `ROW_COLUMNS` and ``content``.
        language_id: in which a row for all languages is shown.
        base: of a site, for files.
    """
    kind = _text(row["type"]).partition(":")[0].lower()
    source_id = SourceId.of(NAME, int(row["uid"] or 0))
    title = plain_text(_text(row["title"]))
    lines = tuple(lines_of(_text(row["content"])))
    params = _text(row["params"]).strip()
    indexed_at = int(row["indexed_at"] or 0)
    last_modified = int(row["sortdate"] or 0) or None
    if kind == "file" or _EXTERNAL.match(params):
        url = _file_url(row, base) if kind == "file" else params
        if not url:
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
    target = _TARGET.match(_text(row["targetpid"]).strip())
    if target is None or not int(target["page"]):
        return None
    language = int(row["language"] or 0)
    owners = {"page": Owner.PAGE, "content": Owner.ELEMENT}
    return IndexRow(
        source_id=source_id,
        owner=owners.get(kind, Owner.OTHER),
        title=title,
        lines=lines,
        request=UrlRequest(
            page_uid=int(target["page"]),
            language_id=language_id if language < 0 else language,
            arguments=_arguments(params),
            fragment=target["fragment"] or "",
        ),
        element_uid=_number(_text(row["orig_uid"])),
        indexed_at=indexed_at,
        last_modified=last_modified,
    )


def _arguments(params: str) -> Arguments:
    """The arguments of typolink's additional parameters, which begin with an ampersand."""
    arguments = parse_query(params.lstrip("&?"))
    return {name: value for name, value in arguments.items() if name not in _IGNORED}


def _file_url(row: Row, base: str) -> str:
    file = public_file(row) if row["file_uid"] is not None else None
    return (file.url(base) if file else None) or ""


def _number(text: str) -> int:
    match = re.match(r"\d+", text)
    return int(match[0]) if match else 0


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
