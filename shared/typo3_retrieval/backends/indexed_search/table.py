"""The `index_*` tables: whether they can be searched, and which rows are public."""

from dataclasses import dataclass

from typo3_retrieval.plugin import AVAILABLE, Availability, unavailable
from typo3_retrieval.typo3.database import Database, Parameter
from typo3_retrieval.typo3.text_index import FullTextKey, TextIndex, full_text_key
from typo3_retrieval.typo3.watched import Watched

ANONYMOUS = "0,-1"  # gr_list of a visitor without login (Indexer, 13.4)
ALL_LANGUAGES = -1

# Of 13.4 and 14. Without one of these a row could not be judged, found or cited.
_COLUMNS = frozenset(
    {
        "phash",
        "static_page_arguments",
        "data_filename",
        "data_page_id",
        "data_page_type",
        "data_page_mp",
        "item_type",
        "item_title",
        "item_mtime",
        "tstamp",
        "sys_language_uid",
        "externalUrl",
        "recordUid",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What was seen of the tables."""

    availability: Availability
    has_words: bool = False
    key: FullTextKey | None = None  # of index_fulltext
    seen_at: int  # UNIX epoch, seconds


class IndexTables(Watched[TableState]):
    """Looks at the tables; at most four statements a minute."""

    def _look(self) -> TableState:
        now = self._now()
        if reason := self._misfit():
            return TableState(availability=unavailable(reason), seen_at=now)
        has_words = self._has_rows("index_rel") and self._has_rows("index_words")
        key = (
            None
            if has_words
            else full_text_key(self._database, "index_fulltext", ("fulltextdata",))
        )
        return TableState(availability=AVAILABLE, has_words=has_words, key=key, seen_at=now)

    def _misfit(self) -> str:
        """Why the tables cannot be searched, empty when they can."""
        there = self._database.columns("index_phash")
        if not there:
            return "no table index_phash"
        if missing := _COLUMNS - there:
            return f"index_phash lacks {', '.join(sorted(missing))}"
        if "gr_list" not in there and "gr_list" not in self._database.columns("index_grlist"):
            return "neither index_phash nor index_grlist has gr_list"
        if "fulltextdata" not in self._database.columns("index_fulltext"):
            return "no table index_fulltext"
        rows = self._database.rows("SELECT phash FROM index_phash LIMIT 1")
        if not rows:
            return "the index is empty"
        if not isinstance(rows[0]["phash"], str):
            # Half of an md5 as a number: words of TYPO3 12 and before could not be looked up.
            return "integer hashes of TYPO3 12 or before"
        return ""

    def _has_rows(self, table: str) -> bool:
        # S608: a constant of this module.
        return "wid" in self._database.columns(table) and bool(
            self._database.rows(f"SELECT wid FROM {table} LIMIT 1")  # noqa: S608
        )


def public_rows_sql(database: Database) -> str:
    """The condition that the view of row ``p`` was indexed for everybody.

    Where a member of a group saw the same, 13.4.28 and later keep one row and note both lists
    of groups in `index_grlist`; before, each list had its own row.
    """
    forms = []
    if "gr_list" in database.columns("index_phash"):
        forms.append("p.gr_list = %(anonymous)s")
    if "gr_list" in database.columns("index_grlist"):
        forms.append(
            "EXISTS (SELECT 1 FROM index_grlist g"
            " WHERE g.phash = p.phash AND g.gr_list = %(anonymous)s)"
        )
    return f"({' OR '.join(forms)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which rows are asked for: a condition on ``p``, and what it needs."""

    condition: str
    expressions: str
    parameters: dict[str, Parameter]


def public_scope(
    database: Database, *, language_id: int, tree: tuple[str, dict[str, Parameter]] | None
) -> Scope:
    """The public rows of one language.

    Args:
        database: TYPO3's tables.
        language_id: sys_language_uid.
        tree: of `site_tree`: only pages of it, and files that they name.
    """
    expressions, parameters = tree or ("", {})
    conditions = ["p.sys_language_uid IN %(languages)s", public_rows_sql(database)]
    if tree and "page_id" in database.columns("index_section"):
        conditions.append(
            "p.phash IN (SELECT s.phash FROM index_section s JOIN tree ON tree.uid = s.page_id)"
        )
    elif tree:
        conditions.append("p.data_page_id IN (SELECT uid FROM tree)")
    return Scope(
        condition=" AND ".join(conditions),
        expressions=expressions,
        parameters={
            **parameters,
            "languages": [language_id, ALL_LANGUAGES],
            "anonymous": ANONYMOUS,
        },
    )


def public_texts(scope: Scope, key: FullTextKey | None) -> TextIndex:
    """The texts of the rows in *scope*, for an index without words."""
    columns = ("f.fulltextdata",) if key else ("p.item_title", "f.fulltextdata")
    return TextIndex(
        source="index_phash p JOIN index_fulltext f ON f.phash = p.phash",
        key="p.phash",
        columns=columns,
        titled=key is None,
        condition=scope.condition,
        expressions=scope.expressions,
        parameters=scope.parameters,
        fulltext=key,
    )
