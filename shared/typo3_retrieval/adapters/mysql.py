"""TYPO3's tables on MariaDB or MySQL: one kept connection for each execution environment."""

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pymysql
import pymysql.cursors

from typo3_retrieval.adapters.sql import ColumnMemory, with_lists_expanded
from typo3_retrieval.core.errors import BackendError, BackendProtocolError, BackendUnavailable
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.typo3.database import Dialect, Parameter, Row, StatementTimeout

CONNECT_SECONDS = 2
STATEMENT_SECONDS = 2.0
_SOCKET_MARGIN = 2.0  # the server ends a slow statement; the socket only a silent server

# Error numbers of server and client, from their reference manuals.
# Wrong user or password, no way to log in, password expired, account locked (MySQL, MariaDB):
# what a rotation that is not known yet looks like.
_REFUSED = {1045, 1698, 1862, 3118, 4151}
_TIME_LIMIT = {1969, 3024}  # MariaDB max_statement_time, MySQL max_execution_time
_LOST = {0, 2006, 2013, 2014, 2055}  # gone away; (0, '') is a socket that PyMySQL gave up
_SCHEMA = {1054, 1146, 1176, 1191}  # no such column, table, key, FULLTEXT index


class MysqlDatabase:
    """A `Database` over one connection, which is opened at the first statement.

    A Lambda environment may have been frozen for minutes: a connection that was lost since
    its last use is opened again once, and the statement repeated; all statements are reads.

    Args:
        host: the server's.
        port: the server's.
        name: the database's.
        credentials: gives user and password; called with True when the server refused the
            ones that were remembered, as it does after a rotation.
        statement_seconds: the server ends a statement that takes longer.
    """

    dialect: Dialect = "mysql"

    def __init__(
        self,
        *,
        host: str,
        port: int,
        name: str,
        credentials: Callable[[bool], Credentials],
        statement_seconds: float = STATEMENT_SECONDS,
    ) -> None:
        self._host, self._port, self._name = host, port, name
        self._credentials = credentials
        self._seconds = statement_seconds
        self._connection: pymysql.Connection[pymysql.cursors.DictCursor] | None = None
        self._lock = threading.Lock()
        self.columns = ColumnMemory(self._columns)

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        """See `Database.rows`."""
        statement, values = with_lists_expanded(
            sql, parameters or {}, lambda name: "%%" if name == "%" else f"%({name})s"
        )
        with self._lock:
            kept = self._connection is not None
            try:
                return self._run(statement, values)
            except pymysql.MySQLError as error:
                self._forget(error)
                if not kept or _number(error) not in _LOST:
                    raise _translated(error) from _cause(error)
            try:  # the kept connection was dead: once more on a new one
                return self._run(statement, values)
            except pymysql.MySQLError as error:
                self._forget(error)
                raise _translated(error) from _cause(error)

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _run(self, statement: str, values: Mapping[str, Any]) -> Sequence[Row]:
        if self._connection is None:
            self._connection = self._connect()
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall()

    def _connect(self) -> "pymysql.Connection[pymysql.cursors.DictCursor]":
        try:
            return self._open(self._credentials(False))
        except pymysql.OperationalError as error:
            if _number(error) not in _REFUSED:
                raise
        return self._open(self._credentials(True))  # once: a wrong secret must not loop

    def _open(self, credentials: Credentials) -> "pymysql.Connection[pymysql.cursors.DictCursor]":
        connection = pymysql.connect(
            host=self._host,
            port=self._port,
            database=self._name,
            user=credentials.username,
            password=credentials.password,
            charset="utf8mb4",
            autocommit=True,  # each SELECT sees the present, not a snapshot of the first one
            connect_timeout=CONNECT_SECONDS,
            read_timeout=self._seconds + _SOCKET_MARGIN,
            write_timeout=self._seconds + _SOCKET_MARGIN,
            cursorclass=pymysql.cursors.DictCursor,
        )
        limit = (
            f"max_statement_time = {self._seconds:f}"
            if "MariaDB" in connection.get_server_info()  # type: ignore[no-untyped-call]  # stubs
            else f"max_execution_time = {round(self._seconds * 1000)}"
        )
        with connection.cursor() as cursor:
            cursor.execute(f"SET SESSION {limit}")
        return connection

    def _forget(self, error: pymysql.MySQLError) -> None:
        """Drop the connection unless the server has answered over it."""
        answered = _SCHEMA | _TIME_LIMIT
        if self._connection is not None and _number(error) not in answered:
            with contextlib.suppress(pymysql.Error):  # it was closed already
                self._connection.close()
            self._connection = None

    def _columns(self, table: str) -> frozenset[str]:
        found = self.rows(
            "SELECT column_name AS name FROM information_schema.columns"
            " WHERE table_schema = DATABASE() AND table_name = %(table)s",
            {"table": table},
        )
        return frozenset(str(row["name"]) for row in found)


def _number(error: pymysql.MySQLError) -> int:
    return error.args[0] if error.args and isinstance(error.args[0], int) else -1


def _cause(error: pymysql.MySQLError) -> pymysql.MySQLError | None:
    """What may stand behind the translated error: not a refusal, which names the user."""
    return None if _number(error) in _REFUSED else error


def _translated(error: pymysql.MySQLError) -> BackendError:
    """The error for the cascade. Its text holds no statement and no value."""
    number = _number(error)
    if number in _TIME_LIMIT:
        return StatementTimeout(f"database: statement ended at its limit ({number})")
    if number in _SCHEMA:
        return BackendProtocolError(
            f"database: schema does not fit ({number})", reason="schema does not fit"
        )
    if number in _REFUSED:
        return BackendUnavailable(f"database: access denied ({number})", reason="access denied")
    return BackendUnavailable(f"database: {type(error).__name__} {number}")
