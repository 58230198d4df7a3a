"""TYPO3's tables with the columns that are read, in a DDL that SQLite and MariaDB both take."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from typo3_retrieval.typo3.database import Value

_NUMBER = "int unsigned NOT NULL DEFAULT 0"
_SIGNED = "int NOT NULL DEFAULT 0"
_STRING = "varchar(255) NOT NULL DEFAULT ''"
_TEXT = "longtext DEFAULT NULL"

_BOTH = {
    "uid": "int NOT NULL PRIMARY KEY",
    "pid": _NUMBER,
    "tstamp": _NUMBER,
    "deleted": _NUMBER,
    "hidden": _NUMBER,
    "starttime": _NUMBER,
    "endtime": _NUMBER,
    "fe_group": "varchar(255) NOT NULL DEFAULT '0'",
    "sorting": _SIGNED,
    "sys_language_uid": _SIGNED,
    "l10n_source": _NUMBER,
    "t3ver_oid": _NUMBER,
    "t3ver_wsid": _NUMBER,
    "t3ver_state": _SIGNED,
}


def _all(names: str, kind: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), kind)


TABLES: Mapping[str, Mapping[str, str]] = {
    "pages": {
        **_BOTH,
        **_all("l10n_parent shortcut shortcut_mode content_from_pid mount_pid", _NUMBER),
        **_all("mount_pid_ol doktype extendToSubpages no_search is_siteroot", _NUMBER),
        **_all("l18n_cfg SYS_LASTCHANGED", _NUMBER),
        **_all("title nav_title subtitle url author author_email", _STRING),
        **_all("slug keywords description abstract", _TEXT),
    },
    "tt_content": {
        **_BOTH,
        **_all("l18n_parent colPos header_layout", _NUMBER),
        **_all("CType header subheader list_type", _STRING),
        **_all("bodytext header_link pi_flexform records", _TEXT),
    },
}


def create_statements() -> Sequence[str]:
    """The tables, as both databases understand them."""
    return [
        f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})"
        for table, columns in TABLES.items()
    ]


def insert_statement(table: str, row: Mapping[str, Value], placeholder: str) -> str:
    """The statement that writes *row*; *placeholder* is the driver's."""
    unknown = row.keys() - TABLES[table].keys()
    assert not unknown, f"{table} has no {unknown}"
    marks = ", ".join([placeholder] * len(row))
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608  # own names


def write_sqlite(path: Path, tables: Mapping[str, Iterable[Mapping[str, Value]]]) -> Path:
    """Write a new database file with these rows, by table."""
    connection = sqlite3.connect(path)
    try:
        for statement in create_statements():
            connection.execute(statement)
        for table, rows in tables.items():
            for row in rows:
                connection.execute(insert_statement(table, row, "?"), tuple(row.values()))
        connection.commit()
    finally:
        connection.close()
    return path
