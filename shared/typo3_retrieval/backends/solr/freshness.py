"""The live re-check: what of an index answer a visitor can still open and read now.

An index lags behind: pages are hidden, restricted or renamed, elements are taken off a page, and
its documents stay until somebody indexes again.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.backends.solr.answer import SolrDocument
from typo3_retrieval.core.html import lines_of
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.enable_fields import access_time, enable_fields_sql
from typo3_retrieval.typo3.page_text import PageText
from typo3_retrieval.typo3.public_pages import PageKey, PublicPage, PublicPages, searchable

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MIN_TRACE = 12  # characters without blanks; shorter lines ("Contact") prove nothing
_READ = 4_000  # characters of a hidden element's text that are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCheck:
    """Asks TYPO3's tables about what an index found.

    Args:
        database: TYPO3's tables.
        public_pages: judges pages and knows their addresses and texts.
        now: UNIX epoch, seconds.
    """

    database: Database
    public_pages: PublicPages
    now: Callable[[], int]

    def pages(self, keys: Iterable[PageKey]) -> Mapping[PageKey, PublicPage]:
        """The pages that can be opened and may be found. One statement.

        Raises:
            BackendError: the database did not answer.
        """
        found = self.public_pages.published(keys)
        return {(page.uid, page.language_id): page for page in searchable(found.values())}

    def hidden_records(self, uids: Mapping[str, Collection[int]]) -> set[tuple[str, int]]:
        """The records, of *uids* by table, whose own row is gone or hides them.

        One statement for each table that TYPO3 has; nothing is known of other types, such as
        documents that something else than TYPO3 wrote.

        Raises:
            BackendError: the database did not answer.
        """
        hidden: set[tuple[str, int]] = set()
        for table, wanted in uids.items():
            there = self.database.columns(table) if _TABLE.fullmatch(table) else frozenset[str]()
            if "uid" not in there or "pid" not in there:
                continue
            shown = enable_fields_sql("r", there, for_table="tt_content")
            rows = self.database.rows(
                # S608: the name of a table that is there, and our own condition.
                f"SELECT r.uid AS uid FROM {table} r WHERE r.uid IN %(uids)s AND {shown}",  # noqa: S608
                {"uids": sorted(wanted), "now": access_time(self.now())},
            )
            seen = {int(row["uid"] or 0) for row in rows}
            hidden |= {(table, uid) for uid in wanted if uid not in seen}
        return hidden

    def outdated_texts(
        self, found: Sequence[tuple[PublicPage, SolrDocument]]
    ) -> Mapping[PageKey, PageText]:
        """The live texts of the pages whose indexed text must not be shown any more.

        That is when an element was changed after the page was indexed, or when the indexed text
        has lines of an element that visitors do not see and that stand nowhere else on the page.
        One statement; up to three more when a page is under suspicion.

        Raises:
            BackendError: the database did not answer.
        """
        traces = self._traces([page for page, _ in found], [document for _, document in found])
        suspects = [
            (page, document, lines)
            for page, document in found
            if (lines := _in_text(traces.get(page.verdict.content_page_uid, ()), document))
        ]
        if not suspects:
            return {}
        texts = self.public_pages.texts([page for page, _, _ in suspects])
        return {
            (page.uid, page.language_id): text
            for page, _, lines in suspects
            if (text := texts.get((page.uid, page.language_id)))
            and any(line not in _squeezed(text.document) for line in lines)
        }

    def _traces(
        self, pages: Sequence[PublicPage], documents: Sequence[SolrDocument]
    ) -> Mapping[int, Sequence["_Trace"]]:
        """By page: the lines of elements that are not public, and the times of changes."""
        there = self.database.columns("tt_content")
        uids = sorted({page.verdict.content_page_uid for page in pages} - {0})
        if not there or not uids:
            return {}
        indexed = min((each.indexed or 0 for each in documents), default=0)
        texts = [name for name in ("header", "subheader", "bodytext") if name in there]
        columns = "".join(f", SUBSTR(c.{name}, 1, {_READ}) AS {name}" for name in texts)
        public = enable_fields_sql("c", there, for_table="tt_content")
        live = " AND c.t3ver_wsid = 0" if "t3ver_wsid" in there else ""
        rows = self.database.rows(
            # S608: names of columns and our own conditions; the values are parameters.
            f"""
            SELECT c.pid AS pid, c.tstamp AS tstamp,
                   CASE WHEN {public} THEN 1 ELSE 0 END AS public{columns}
            FROM tt_content c
            WHERE c.pid IN %(pages)s{live} AND (NOT ({public}) OR c.tstamp > %(indexed)s)
            """,  # noqa: S608
            {"pages": uids, "now": access_time(self.now()), "indexed": indexed},
        )
        traces: defaultdict[int, list[_Trace]] = defaultdict(list)
        for row in rows:
            lines: list[str] = []
            if not row["public"]:
                lines = [line for name in texts for line in lines_of(str(row[name] or ""))]
            traces[int(row["pid"] or 0)].append(
                _Trace(changed=int(row["tstamp"] or 0), lines=tuple(map(_squeezed, lines)))
            )
        return traces


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trace:
    """What an element leaves in an indexed text."""

    changed: int  # UNIX epoch, seconds
    lines: tuple[str, ...]  # without blanks; none for an element that is public


_CHANGED = "\x00"  # a line that stands in no text


def _in_text(traces: Iterable[_Trace], document: SolrDocument) -> list[str]:
    """The lines of *traces* that the document's text has; `_CHANGED` for a later change."""
    text = _squeezed(document.text)
    found = [
        line for trace in traces for line in trace.lines if len(line) >= _MIN_TRACE and line in text
    ]
    indexed = document.indexed
    if indexed is not None and any(trace.changed > indexed for trace in traces):
        found.append(_CHANGED)
    return found


def _squeezed(text: str) -> str:
    """*text* without blanks: an indexer puts them where it strips a tag, we do not."""
    return "".join(text.split())
