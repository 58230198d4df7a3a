"""The live re-check: what of an index answer a visitor can still open and read now.

An index lags behind: pages are hidden, restricted or renamed, elements are taken off a page, and
its documents stay until somebody indexes again.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.backends.solr.answer import SolrDocument
from typo3_retrieval.typo3.database import Database, Row
from typo3_retrieval.typo3.enable_fields import access_time, hidden_because
from typo3_retrieval.typo3.page_content import PageContent
from typo3_retrieval.typo3.public_pages import PageKey, PublicPage, PublicPages, searchable

Lines = tuple[str, ...]  # of a page's text, headers marked by "##"

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,63}")
_RECORD_COLUMNS = ("deleted", "hidden", "starttime", "endtime", "fe_group", "t3ver_wsid")


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

    def outdated_texts(
        self, found: Sequence[tuple[PublicPage, SolrDocument]]
    ) -> Mapping[PageKey, Lines]:
        """The live texts of the pages whose indexed text must not be shown any more.

        That is when something on the page was changed after it was indexed, or when the text has
        that of an element which visitors do not see. One statement, and one more where a page
        inserts elements of others.

        Raises:
            BackendError: the database did not answer.
        """
        contents = self.public_pages.contents([page for page, _ in found], follow_references=True)
        return {
            key: content.lines
            for page, document in found
            if (content := contents.get(key := (page.uid, page.language_id)))
            and _is_outdated(page, content, document)
        }

    def hidden_records(self, uids: Mapping[str, Collection[int]]) -> set[tuple[str, int]]:
        """The records, of *uids* by table, whose own row is gone or hides them.

        One statement for each table that TYPO3 has; nothing is known of other types, such as
        documents that something else than TYPO3 wrote.

        Raises:
            BackendError: the database did not answer.
        """
        at = access_time(self.now())
        hidden: set[tuple[str, int]] = set()
        for table, wanted in uids.items():
            there = self.database.columns(table) if _TABLE.fullmatch(table) else frozenset[str]()
            if "uid" not in there or "pid" not in there:
                continue
            columns = ", ".join(("uid", *(name for name in _RECORD_COLUMNS if name in there)))
            rows = self.database.rows(
                # S608: the name of a table that is there, and our own names of columns.
                f"SELECT {columns} FROM `{table}` WHERE uid IN %(uids)s",  # noqa: S608
                {"uids": sorted(wanted)},
            )
            seen = {int(row["uid"] or 0) for row in rows if _is_public(row, at)}
            hidden |= {(table, uid) for uid in wanted if uid not in seen}
        return hidden


@dataclass(frozen=True, slots=True)
class _Record:
    """What switches a record on and off. A table need not have all of it."""

    deleted: int
    hidden: int
    starttime: int
    endtime: int
    fe_group: str


def _is_public(row: Row, at: int) -> bool:
    def number(name: str) -> int:
        return int(row.get(name) or 0)

    record = _Record(
        deleted=number("deleted"),
        hidden=number("hidden"),
        starttime=number("starttime"),
        endtime=number("endtime"),
        fe_group=str(row.get("fe_group") or ""),
    )
    return not number("t3ver_wsid") and not hidden_because(record, at)


def _is_outdated(page: PublicPage, content: PageContent, document: SolrDocument) -> bool:
    shown = page.verdict.rendered
    changed = max(content.last_changed, shown.tstamp if shown else 0)
    if document.indexed is not None and changed > document.indexed:
        return True
    # EXT:solr reads pages as visitors do: what it has was printed, by types that we do not know
    # perhaps.
    return content.gives_away(document.text, rendered=True)
