"""The table `tx_kesearch_index`: whether it can be searched, and the rows that are public."""

from dataclasses import dataclass

from typo3_retrieval.plugin import AVAILABLE, Availability, unavailable
from typo3_retrieval.typo3.database import Parameter
from typo3_retrieval.typo3.enable_fields import access_time, times_and_groups_sql
from typo3_retrieval.typo3.text_index import FullTextKey, TextIndex, full_text_key
from typo3_retrieval.typo3.watched import Watched

TABLE = "tx_kesearch_index"
ALL_LANGUAGES = -1

# Of ke_search 6.6 and 7. Without one of these a row could not be judged, found or cited.
_COLUMNS = frozenset(
    {
        "uid",
        "title",
        "content",
        "type",
        "targetpid",
        "params",
        "orig_uid",
        "language",
        "fe_group",
        "starttime",
        "endtime",
        "tstamp",
        "sortdate",
    }
)
_SEARCHED = ("title", "content")  # never hidden_content: no visitor is to read it


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What was seen of the table."""

    availability: Availability
    rows: int = 0
    key: FullTextKey | None = None
    seen_at: int  # UNIX epoch, seconds


class IndexTable(Watched[TableState]):
    """Looks at the table; at most three statements a minute."""

    def _look(self) -> TableState:
        now = self._now()
        there = self._database.columns(TABLE)
        if not there:
            return TableState(availability=unavailable(f"no table {TABLE}"), seen_at=now)
        if missing := _COLUMNS - there:
            reason = f"{TABLE} lacks {', '.join(sorted(missing))}"
            return TableState(availability=unavailable(reason), seen_at=now)
        counted = self._database.rows(f"SELECT COUNT(*) AS number FROM {TABLE}")  # noqa: S608  # a constant
        rows = int(counted[0]["number"] or 0)
        if not rows:
            return TableState(availability=unavailable("the index is empty"), seen_at=now)
        key = full_text_key(self._database, TABLE, _SEARCHED)
        return TableState(availability=AVAILABLE, rows=rows, key=key, seen_at=now)


def public_rows_sql() -> str:
    """The condition that a row ``i`` is for everybody, with the placeholder ``%(now)s``."""
    return times_and_groups_sql("i")


def public_texts(
    *,
    language_id: int,
    now: int,
    key: FullTextKey | None,
    tree: tuple[str, dict[str, Parameter]] | None,
) -> TextIndex:
    """The texts of the public rows in one language.

    Args:
        language_id: rows for all languages are found too.
        now: UNIX epoch, seconds.
        key: over title and content, if there is one.
        tree: of `site_tree`: only rows that lead to a page of it.
    """
    expressions, parameters = tree or ("", {})
    condition = f"i.language IN %(languages)s AND {public_rows_sql()}"
    if tree:
        # S608: a constant of this module.
        condition += f" AND {TARGET_PAGE} IN (SELECT uid FROM tree)"  # noqa: S608
    return TextIndex(
        source=f"{TABLE} i",
        key="i.uid",
        columns=tuple(f"i.{column}" for column in _SEARCHED),
        condition=condition,
        expressions=expressions,
        parameters={
            **parameters,
            "languages": [language_id, ALL_LANGUAGES],
            "now": access_time(now),
        },
        fulltext=key,
    )


# targetpid is a text: "200", and "200#c5278" for the row of an element. Both dialects read the
# leading digits.
TARGET_PAGE = "CAST(i.targetpid AS DECIMAL)"
