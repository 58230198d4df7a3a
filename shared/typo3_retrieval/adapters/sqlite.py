"""TYPO3's tables in an SQLite file, opened for reading only."""

import math
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

from typo3_retrieval.adapters.sql import ColumnMemory, with_lists_expanded
from typo3_retrieval.core.deadline import seconds_left
from typo3_retrieval.core.errors import (
    BackendProtocolError,
    BackendUnavailable,
    ConfigurationError,
)
from typo3_retrieval.core.ranking.analysis import lowered
from typo3_retrieval.typo3.database import Dialect, Parameter, Row, StatementTimeout, Value

STATEMENT_SECONDS = 2.0
_INSTRUCTIONS_PER_CHECK = 10_000  # virtual machine instructions between two looks at the clock


class SqliteDatabase:
    """A `Database` over one file; safe to share between threads.

    Raises:
        ConfigurationError: there is no such file. None is created.
    """

    dialect: Dialect = "sqlite"

    def __init__(self, path: Path, *, statement_seconds: float = STATEMENT_SECONDS) -> None:
        if not path.is_file():
            raise ConfigurationError(
                f"RETRIEVAL_DATABASE_URL: there is no database file {path}; nothing was created."
            )
        self._lock = threading.Lock()
        self._seconds = statement_seconds
        self._connection = _opened(path)
        self._connection.row_factory = sqlite3.Row
        # SQLite takes any bytes for text; one odd row must not fail a whole statement.
        self._connection.text_factory = lambda text: text.decode("utf-8", "replace")
        # SQLite's own LOWER() folds ASCII only; MariaDB's knows Unicode, and so must this one.
        self._connection.create_function("LOWER", 1, _lower, deterministic=True)
        self._connection.create_aggregate("BIT_OR", 1, _BitOr)
        self.columns = ColumnMemory(self._columns)

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        """See `Database.rows`."""
        statement, values = with_lists_expanded(
            sql, parameters or {}, lambda name: name if name == "%" else f":{name}"
        )
        with self._lock:
            deadline = time.monotonic() + min(self._seconds, seconds_left())
            try:
                self._connection.set_progress_handler(
                    lambda: time.monotonic() > deadline, _INSTRUCTIONS_PER_CHECK
                )
                found = self._connection.execute(statement, _bindable(values))
                return [dict(row) for row in found]
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    raise StatementTimeout("SQLite: statement ended at its limit") from error
                if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:
                    raise BackendProtocolError(f"SQLite: {error}") from error
                raise BackendUnavailable(f"SQLite: {error}") from error
            except sqlite3.Error as error:
                raise BackendUnavailable(f"SQLite: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _columns(self, table: str) -> frozenset[str]:
        found = self.rows("SELECT name FROM pragma_table_info(%(table)s)", {"table": table})
        return frozenset(str(row["name"]) for row in found)


def _opened(path: Path) -> sqlite3.Connection:
    wrong = f"RETRIEVAL_DATABASE_URL: {path} is not a readable SQLite database."
    try:
        # mode=ro: an index is read, never written, whatever the statement says.
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise ConfigurationError(wrong) from error
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    except sqlite3.Error as error:
        connection.close()
        raise ConfigurationError(wrong) from error
    return connection


def _bindable(values: Mapping[str, Value]) -> Mapping[str, Value]:
    """*values*, those that SQLite's integers cannot hold as what equals none of them."""
    return {
        name: math.copysign(math.inf, value) if _is_too_large(value) else value
        for name, value in values.items()
    }


def _is_too_large(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def _lower(value: Value) -> Value:
    """Lower case of text. A BLOB is read as text whose bytes may be odd, see `text_factory`."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return lowered(value) if isinstance(value, str) else value


class _BitOr:
    """MariaDB's aggregate of this name, which SQLite lacks."""

    def __init__(self) -> None:
        self._bits = 0

    def step(self, bits: int | None) -> None:
        self._bits |= bits or 0

    def finalize(self) -> int:
        return self._bits
