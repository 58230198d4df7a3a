"""Documents made into the database of a TYPO3 site, on SQLite or MariaDB."""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.typo3.database import Database, Value
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites
from typo3_retrieval_cli.evaluation.data_sets import Document
from typo3_retrieval_cli.evaluation.mariadb import Server
from typo3_retrieval_cli.evaluation.site_rows import root_uid, rows_of
from typo3_retrieval_cli.evaluation.tables import (
    TABLES,
    TABLES_OF,
    Engine,
    create_statement,
    key_statements,
)

Progress = Callable[[str], None]

# Longer than in operation: how good a ranking is must not depend on what else the machine does.
PATIENT = 20.0  # seconds of a statement
_LOADED_AT_ONCE = 20_000  # rows
_LOCALES = {"en": "en_GB.UTF-8", "de": "de_DE.UTF-8"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSite:
    """A site of documents, ready to be asked."""

    database: Database
    sites: Sites


def tables_for(backends: Sequence[str]) -> list[str]:
    """The tables that these backends read, each once."""
    named = (table for backend in backends for table in TABLES_OF.get(backend, ()))
    return list(dict.fromkeys(("pages", "tt_content", *named)))


@contextmanager
def on_sqlite(
    documents: Sequence[Document],
    language: str,
    tables: Sequence[str],
    progress: Progress,
    *,
    statement_seconds: float = PATIENT,
) -> Iterator[MadeSite]:
    """Make the site in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="typo3-retrieval-") as folder:
        path = Path(folder) / "site.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            for table in tables:
                progress(table)
                connection.execute(create_statement(table))
                for names, rows in _in_order(table, documents):
                    marks = ", ".join("?" * len(names))
                    # S608: names of our own.
                    connection.executemany(
                        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",  # noqa: S608
                        rows,
                    )
                for statement in key_statements(table, "sqlite"):
                    connection.execute(statement)
            connection.commit()
        database = SqliteDatabase(path, statement_seconds=statement_seconds)
        with closing(database):
            yield MadeSite(database=database, sites=site_of(documents, language))


@contextmanager
def on_mariadb(
    server: Server,
    documents: Sequence[Document],
    language: str,
    tables: Sequence[str],
    engine: Engine,
    progress: Progress,
    *,
    statement_seconds: float = PATIENT,
) -> Iterator[MadeSite]:
    """Make the site in a database of its own, which is dropped afterwards.

    Args:
        server: where.
        documents: its pages.
        language: ISO 639-1 code.
        tables: see `tables_for`.
        engine: of ke_search's table; TYPO3's own are InnoDB.
        progress: told each table's name.
        statement_seconds: after which a statement of a backend is ended.
    """
    with server.scratch_database() as name:
        with closing(server.connect(name)) as connection, connection.cursor() as cursor:
            for table in tables:
                progress(table)
                kind = engine if TABLES[table].fulltext else "innodb"
                cursor.execute(f"{create_statement(table)} ENGINE={kind}")
                for names, rows in _in_order(table, documents):
                    server.load(cursor, table, names, rows)
                for statement in key_statements(table, "mysql"):
                    cursor.execute(statement)
                cursor.execute(f"ANALYZE TABLE {table}")
                cursor.fetchall()
        with closing(server.reader(name, statement_seconds)) as database:
            yield MadeSite(database=database, sites=site_of(documents, language))


def site_of(documents: Sequence[Document], language: str) -> Sites:
    """The configuration of the one site."""
    base = "https://evaluation.example/"
    return Sites(
        sites=(
            Site(
                identifier="evaluation",
                root_page_uid=root_uid(documents),
                base=base,
                languages=(
                    SiteLanguage(language_id=0, base=base, locale=_LOCALES.get(language, language)),
                ),
            ),
        )
    )


def _in_order(
    table: str, documents: Sequence[Document]
) -> Iterator[tuple[tuple[str, ...], list[tuple[Value, ...]]]]:
    """The rows in handfuls whose columns are the same."""
    rows = rows_of(table, documents)
    while handful := list(islice(rows, _LOADED_AT_ONCE)):
        names = tuple(handful[-1])
        alike = [row for row in handful if tuple(row) == names]
        for row in handful:  # the home page has other columns than the rest
            if tuple(row) != names:
                yield tuple(row), [tuple(row.values())]
        yield names, [_values(row) for row in alike]


def _values(row: Mapping[str, Value]) -> tuple[Value, ...]:
    return tuple(row.values())
