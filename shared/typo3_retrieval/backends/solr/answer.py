"""What Solr answers, checked: anything but a proper answer is an error, never an empty one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from typo3_retrieval.backends.solr.request import PAGES
from typo3_retrieval.core.html import plain_text
from typo3_retrieval.core.text import one_line
from typo3_retrieval.plugin import BackendProtocolError

_MOUNTED_PARTS = 7  # of a page's id; without a mount point it has one less


@dataclass(frozen=True, slots=True, kw_only=True)
class SolrDocument:
    """One document: a page or a record in one language, for one set of groups."""

    kind: str  # `type`: "pages" or a record's table
    uid: int  # of the page or record in the default language
    site: str = ""  # host or identifier, as the index has it
    root_page_uid: int | None = None  # from the rootline, which only pages have
    mounted: bool = False  # reached through a mount point
    url: str = ""  # as the index has it: a path, an address or even prose
    title: str = ""  # as the index has it, as are the texts; see `plain`
    text: str = ""
    vocabulary: str = ""  # further words that describe it, not shown
    changed: int | None = None  # UNIX epoch, seconds
    indexed: int | None = None  # UNIX epoch, seconds
    score: float = 0.0

    @property
    def is_page(self) -> bool:
        """Whether it is a page and no record."""
        return self.kind == PAGES

    def plain(self) -> "SolrDocument":
        """The same with each text as one line of plain text.

        EXT:solr strips tags and decodes entities, other indexers may not. It takes a hundred
        times as long as reading the answer, so it is done for what will be shown.
        """
        return replace(
            self,
            title=plain_text(self.title),
            text=plain_text(self.text),
            vocabulary=one_line(self.vocabulary),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SolrAnswer:
    """The documents that were found, best first."""

    documents: Sequence[SolrDocument]
    partial: bool  # Solr stopped at its time limit
    numbers: Mapping[str, int]  # of the core: what the request asked to be counted

    def __iter__(self) -> Iterator[SolrDocument]:
        return iter(self.documents)


def parse_answer(body: bytes) -> SolrAnswer:
    """Read the body of a 200.

    Raises:
        BackendProtocolError: it is no JSON, reports an error, or lacks the documents.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BackendProtocolError("Solr's answer is no JSON", reason="no JSON") from error
    if not isinstance(answer, dict):
        raise BackendProtocolError("Solr's answer is no object")
    header, response = answer.get("responseHeader"), answer.get("response")
    if "error" in answer or not isinstance(header, dict) or header.get("status") != 0:
        raise BackendProtocolError("Solr's answer reports an error", reason="error in answer")
    documents = response.get("docs") if isinstance(response, dict) else None
    if not isinstance(documents, list) or not all(isinstance(each, dict) for each in documents):
        raise BackendProtocolError("Solr's answer has no documents")
    # They are the same for each document: numbers of the core, not of the document.
    numbers = {
        name: value
        for name, value in (documents[0] if documents else {}).items()
        if isinstance(value, int) and not isinstance(value, bool)
    }
    return SolrAnswer(
        documents=[found for each in documents if (found := _document(each)) is not None],
        partial=bool(header.get("partialResults")),
        numbers=numbers,
    )


def _document(fields: Mapping[str, Any]) -> SolrDocument | None:
    """Read one document; None for one that cannot be named, such as another system's."""
    kind, uid = fields.get("type"), fields.get("uid")
    if not isinstance(kind, str) or not isinstance(uid, int) or isinstance(uid, bool):
        return None
    score = fields.get("score")
    described = ("subTitle", "navTitle", "keywords", "description", "abstract")
    return SolrDocument(
        kind=kind,
        uid=uid,
        site=_text(fields.get("site")),
        root_page_uid=_root(fields.get("rootline")),
        mounted=_text(fields.get("id")).count("/") >= _MOUNTED_PARTS - 1,
        url=_text(fields.get("url")),
        title=_text(fields.get("title")),
        text=_text(fields.get("content")),
        vocabulary=" ".join(_text(fields.get(name)) for name in described),
        changed=_epoch(fields.get("changed")),
        indexed=_epoch(fields.get("indexed")),
        score=float(score) if isinstance(score, int | float) else 0.0,
    )


def _text(value: object) -> str:
    """A field's text; several values are joined."""
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return value if isinstance(value, str) else ""


def _root(rootline: object) -> int | None:
    """The root page of ``["0-1/", "1-1/6/"]``."""
    for each in rootline if isinstance(rootline, list) else [rootline]:
        if isinstance(each, str) and each.startswith("0-"):
            uid = each.removeprefix("0-").rstrip("/")
            return int(uid) if uid.isascii() and uid.isdecimal() else None
    return None


def _epoch(value: object) -> int | None:
    """A date of Solr, such as 2026-05-04T10:30:00Z; the time zone is always UTC."""
    try:
        date = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return int((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp())
