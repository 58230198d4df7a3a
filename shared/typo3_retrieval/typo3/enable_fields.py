"""Deleted, hidden, start, end, groups: who may see one row. In Python and, the same, in SQL.

Both forms stand here side by side, and a test compares them over a table of rows. Source of the
rules: TYPO3's FrontendRestrictionContainer, as observed on 13.4; a workspace's rows never show.
"""

from collections.abc import Iterable
from typing import Literal, Protocol

from typo3_retrieval.core.errors import BackendProtocolError

_ANONYMOUS_GROUPS = frozenset({"0", "-1"})  # "everybody" and "hide at login" (UserAspect)
_SECONDS_PER_MINUTE = 60


class EnableFields(Protocol):
    """The fields of a row that switch it on and off."""

    @property
    def deleted(self) -> int: ...
    @property
    def hidden(self) -> int: ...
    @property
    def starttime(self) -> int: ...
    @property
    def endtime(self) -> int: ...
    @property
    def fe_group(self) -> str: ...


def access_time(now: int) -> int:
    """*now*, in epoch seconds, floored to the minute: the time that TYPO3 compares with."""
    return now - now % _SECONDS_PER_MINUTE


def is_for_everybody(fe_group: str) -> bool:
    """Whether a visitor without login belongs to one of the groups of this list.

    The parts are compared as they are: " 1" with its blank is nobody's group.
    """
    return fe_group == "" or not _ANONYMOUS_GROUPS.isdisjoint(fe_group.split(","))


def hidden_because(row: EnableFields, at: int) -> str:
    """The first rule that hides *row* by itself, empty when none does.

    Args:
        row: a row of `pages` or `tt_content`.
        at: an `access_time`.
    """
    off = switched_off_because(row, at)
    return off or ("" if is_for_everybody(row.fe_group) else f"fe_group {row.fe_group}")


def switched_off_because(row: EnableFields, at: int) -> str:
    """The first rule that hides *row* from everybody, whatever their groups.

    For the translation of a page this is all: TYPO3 leaves its groups out, because editors set
    them on the default-language page only.
    """
    if row.deleted:
        return "deleted"
    if row.hidden:
        return "hidden"
    if row.starttime > at:
        return "not started"
    if row.endtime and row.endtime <= at:
        return "ended"
    return ""


def enable_fields_sql(
    alias: str, there: frozenset[str], *, for_table: Literal["pages", "tt_content"] = "pages"
) -> str:
    """The same rules as a SQL condition, to be joined by AND.

    Args:
        alias: of the table in the statement.
        there: the columns that the table has.
        for_table: in `pages` the groups of a translation do not count, in `tt_content` they do.

    Returns:
        A condition with the placeholder ``%(now)s``, to be filled with an `access_time`.

    Raises:
        BackendProtocolError: a column is missing, so what it hides would show.
    """
    conditions = {
        "deleted": f"{alias}.deleted = 0",
        "t3ver_wsid": f"{alias}.t3ver_wsid = 0",
        "hidden": f"{alias}.hidden = 0",
        **_times_sql(alias),
        "fe_group": _groups_sql(alias, translations_pass=for_table == "pages"),
    }
    demand_columns(for_table, conditions, there)
    return " AND ".join(conditions.values())


def times_and_groups_sql(alias: str) -> str:
    """The rules on start, end and groups alone, for a table that has no others: a search index.

    Args:
        alias: of the table in the statement.

    Returns:
        A condition with the placeholder ``%(now)s``, to be filled with an `access_time`.
    """
    groups = _groups_sql(alias, translations_pass=False)
    return " AND ".join((*_times_sql(alias).values(), groups))


def demand_columns(table: str, wanted: Iterable[str], there: frozenset[str]) -> None:
    """Stop where a table lacks columns that decide who sees a row.

    Every TYPO3 has them. A database user who may not read one of them does not see that it is
    there, and a rule that is left out would publish what it hides.

    Raises:
        BackendProtocolError: names the table and the columns.
    """
    missing = sorted(set(wanted) - there)
    if missing:
        raise BackendProtocolError(
            f"{table} has no column {', '.join(missing)}, or the database user may not read it",
            reason="schema does not fit",
        )


def _times_sql(alias: str) -> dict[str, str]:
    return {
        "starttime": f"{alias}.starttime <= %(now)s",
        "endtime": f"({alias}.endtime = 0 OR {alias}.endtime > %(now)s)",
    }


def _groups_sql(alias: str, *, translations_pass: bool) -> str:
    column = f"{alias}.fe_group"
    # LIKE, not "=": MariaDB's "=" ignores trailing blanks. Neither form needs FIND_IN_SET.
    passing = [f"{column} IS NULL", f"{column} LIKE ''"]
    for group in sorted(_ANONYMOUS_GROUPS):
        passing += [
            f"{column} LIKE '{pattern}'"
            for pattern in (group, f"{group},%%", f"%%,{group}", f"%%,{group},%%")
        ]
    if translations_pass:
        passing.append(f"{alias}.sys_language_uid > 0")
    return f"({' OR '.join(passing)})"
