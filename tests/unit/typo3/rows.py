"""Small TYPO3 databases for tests: rows with a reason, in a real SQLite that is kept in memory."""

import sqlite3
import weakref
from collections.abc import Iterable, Mapping, Sequence

from typo3_retrieval.adapters.sql import with_lists_expanded
from typo3_retrieval.typo3.database import Dialect, Parameter, Row, Value
from typo3_retrieval.typo3.sites import FallbackType, Site, SiteLanguage, Sites

NOW = 1_796_031_660  # a full minute
PAST, FUTURE = NOW - 86_400, NOW + 86_400

PAGE: Mapping[str, Value] = {
    "uid": 0,
    "pid": 0,
    "deleted": 0,
    "hidden": 0,
    "starttime": 0,
    "endtime": 0,
    "fe_group": "0",
    "extendToSubpages": 0,
    "doktype": 1,
    "shortcut": 0,
    "shortcut_mode": 0,
    "mount_pid": 0,
    "mount_pid_ol": 0,
    "content_from_pid": 0,
    "l18n_cfg": 0,
    "sys_language_uid": 0,
    "l10n_parent": 0,
    "l10n_source": 0,
    "no_search": 0,
    "is_siteroot": 0,
    "sorting": 0,
    "tstamp": 0,
    "SYS_LASTCHANGED": 0,
    "t3ver_wsid": 0,
    "slug": "",
    "title": "",
    "nav_title": "",
    "subtitle": "",
    "url": "",
}
ELEMENT: Mapping[str, Value] = {
    "uid": 0,
    "pid": 0,
    "deleted": 0,
    "hidden": 0,
    "starttime": 0,
    "endtime": 0,
    "fe_group": "",
    "sys_language_uid": 0,
    "l18n_parent": 0,
    "colPos": 0,
    "sorting": 0,
    "tstamp": 0,
    "CType": "text",
    "header_layout": 0,
    "records": None,
    "header": "",
    "subheader": "",
    "bodytext": None,
    "pi_flexform": None,
    "t3ver_wsid": 0,
}

TableRow = Mapping[str, Value]


class MemoryDatabase:
    """A `Database` over the given rows, which counts the statements."""

    dialect: Dialect = "sqlite"

    def __init__(
        self,
        pages: Iterable[TableRow] = (),
        elements: Iterable[TableRow] = (),
        *,
        without: Iterable[str] = (),
    ) -> None:
        self.statements: list[str] = []
        self._connection = sqlite3.connect(":memory:")
        weakref.finalize(self, self._connection.close)  # an open one would be a warning
        self._connection.row_factory = sqlite3.Row
        self._fill("pages", PAGE, pages, frozenset(without))
        self._fill("tt_content", ELEMENT, elements, frozenset(without))

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        self.statements.append(sql)
        statement, values = with_lists_expanded(
            sql, parameters or {}, lambda name: name if name == "%" else f":{name}"
        )
        return [dict(row) for row in self._connection.execute(statement, values)]

    def columns(self, table: str) -> frozenset[str]:
        found = self._connection.execute(f"SELECT name FROM pragma_table_info('{table}')")  # noqa: S608 - the tests' own names
        return frozenset(str(row["name"]) for row in found)

    def _fill(
        self, table: str, defaults: TableRow, rows: Iterable[TableRow], without: frozenset[str]
    ) -> None:
        columns = [name for name in defaults if name not in without]
        self._connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        self._connection.executemany(
            f"INSERT INTO {table} VALUES ({', '.join(f':{name}' for name in columns)})",  # noqa: S608 - the tests' own names
            [{name: row.get(name, defaults[name]) for name in columns} for row in rows],
        )


def language(
    language_id: int,
    fallback_type: FallbackType = "strict",
    fallbacks: tuple[int, ...] = (),
    *,
    enabled: bool = True,
) -> SiteLanguage:
    return SiteLanguage(
        language_id=language_id,
        base=f"https://www.example.org/{language_id}/",
        enabled=enabled,
        fallback_type=fallback_type,
        fallbacks=fallbacks,
    )


STRICT, FALLBACK, FREE, CHAIN, DISABLED, DEFAULT_FIRST = range(1, 7)  # languages of SITES
SITES = Sites(
    sites=(
        Site(
            identifier="main",
            root_page_uid=1,
            base="https://www.example.org/",
            languages=(
                language(0),
                language(STRICT),
                language(FALLBACK, "fallback", (0,)),
                language(FREE, "free"),
                language(CHAIN, "fallback", (STRICT, 0)),
                language(DISABLED, enabled=False),
                language(DEFAULT_FIRST, "fallback", (0, STRICT)),
            ),
        ),
    )
)
