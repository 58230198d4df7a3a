"""What the PHP implementation asks of the same tables, for comparison; of Solr: see `solr`.

Its rules, in short: ke_search requires every word of four characters or more, stop words too;
indexed_search every word as it stands; the plain tables the whole question in one field, the
lowest uids first. Excerpts start at the whole question, else at the beginning.
"""

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence

from typo3_retrieval.core.errors import BackendError
from typo3_retrieval.core.html import plain_text
from typo3_retrieval.typo3.database import Database, Parameter, Row
from typo3_retrieval_cli.evaluation.asking import ASKED, Answer, Ask, Found
from typo3_retrieval_cli.evaluation.data_sets import Document

_ROWS = 50
_EXCERPT = 160  # characters
_OPERATORS = re.compile(r"[+\-<>~*\"()@]")
_LIKE = "LIKE %(like)s ESCAPE '!'"
_REQUIRED = 4  # characters of a word, from which on ke_search's row must have it

Search = Callable[[Database, str], Sequence[Row]]  # rows of uid and content, best first


def reference_of(database: Database, backend: str, documents: Sequence[Document]) -> Ask | None:
    """Make what asks as the reference does; None for a backend of which it has none."""
    search = _SEARCHES.get(backend)
    if search is None:
        return None

    def ask(text: str) -> Answer:
        started = time.perf_counter()
        try:
            rows = search(database, text)[:ASKED]
        except BackendError:  # such as a syntax error of the full-text search
            rows = []
        return Answer(
            question="",
            hits=[
                Found(
                    document=documents[int(row["uid"] or 0) - 1].id,
                    excerpt=excerpt_of(str(row["content"] or ""), text),
                )
                for row in rows
                if int(row["uid"] or 0) <= len(documents)
            ],
            milliseconds=(time.perf_counter() - started) * 1000,
            statements=1,
        )

    return ask


def _ke_search(database: Database, text: str) -> Sequence[Row]:
    words = [_OPERATORS.sub("", word) for word in text.split()]
    required = [f"+{word}" for word in words if len(word) >= _REQUIRED]
    others = [word for word in words if 2 <= len(word) < _REQUIRED]
    condition = f"title {_LIKE} OR content {_LIKE}"
    order = "sortdate DESC"
    if required and database.dialect == "mysql":
        condition = "MATCH (title, content) AGAINST (%(words)s IN BOOLEAN MODE)"
        order = f"{condition} DESC"
    return database.rows(
        f"SELECT uid, content FROM tx_kesearch_index WHERE {condition}"  # noqa: S608  # constants
        f" ORDER BY {order} LIMIT {_ROWS}",
        {"words": " ".join([*required, *others]), "like": _like(text)},
    )


def _indexed_search(database: Database, text: str) -> Sequence[Row]:
    words = dict.fromkeys(word[:60] for word in re.split(r"[\W_]+", text.lower()) if len(word) > 1)
    hashes = [hashlib.md5(word.encode(), usedforsecurity=False).hexdigest() for word in words]
    return database.rows(
        f"""
        SELECT p.data_page_id AS uid, f.fulltextdata AS content
        FROM (
            SELECT r.phash, MAX(r.flags) AS flags, SUM(r.freq) AS freq
            FROM index_rel r WHERE r.wid IN %(hashes)s
            GROUP BY r.phash HAVING COUNT(DISTINCT r.wid) = %(number)s
        ) found
        JOIN index_phash p ON p.phash = found.phash
        JOIN index_fulltext f ON f.phash = p.phash
        ORDER BY found.flags DESC, found.freq DESC LIMIT {_ROWS}
        """,  # noqa: S608  # a number
        {"hashes": hashes, "number": len(hashes)},
    )


def _database(database: Database, text: str) -> Sequence[Row]:
    parameters: Mapping[str, Parameter] = {"like": _like(text)}
    pages = database.rows(
        f"SELECT uid, title AS content FROM pages WHERE title {_LIKE} OR slug {_LIKE}"  # noqa: S608  # a number
        f" ORDER BY uid LIMIT {_ROWS}",
        parameters,
    )
    content = database.rows(
        "SELECT pid AS uid, bodytext AS content FROM tt_content"  # noqa: S608  # a number
        f" WHERE header {_LIKE} OR bodytext {_LIKE} ORDER BY uid LIMIT {_ROWS}",
        parameters,
    )
    by_page = {row["uid"]: row for row in (*content[::-1], *pages[::-1])}
    order = dict.fromkeys(row["uid"] for row in (*pages, *content))
    return [by_page[uid] for uid in order]


_SEARCHES: Mapping[str, Search] = {
    "ke_search": _ke_search,
    "indexed_search": _indexed_search,
    "database": _database,
}


def _like(text: str) -> str:
    return "%" + re.sub(r"([!%_])", r"!\1", text) + "%"


def excerpt_of(content: str, text: str) -> str:
    """What the reference shows of a text for a question."""
    plain = plain_text(content)
    place = plain.lower().find(text.lower())
    start = max(0, place - (_EXCERPT - len(text)) // 2) if place >= 0 else 0
    return plain[start : start + _EXCERPT]
