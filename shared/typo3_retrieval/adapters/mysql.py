"""TYPO3's tables on MariaDB or MySQL: one kept connection for each execution environment."""

import contextlib
import math
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pymysql
import pymysql.cursors

from typo3_retrieval.adapters.sql import ColumnMemory, with_lists_expanded
from typo3_retrieval.core.deadline import current_deadline, seconds_left
from typo3_retrieval.core.errors import BackendError, BackendProtocolError, BackendUnavailable
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.typo3.database import Dialect, Parameter, Row, StatementTimeout

CONNECT_SECONDS = 2
STATEMENT_SECONDS = 2.0
SILENT_SECONDS = 5.0  # after a server that accepts no connection: nobody waits for it again
_SILENCE = 0.5  # seconds; a server that refuses does so at once
_LEAST_SECONDS = 0.05  # for a statement; no limit can be 0, which means none
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
        self._is_mariadb = False  # MySQL; known when a connection was opened
        self._silent_since = -math.inf  # epoch, seconds
        self._lock = threading.Lock()
        self.columns = ColumnMemory(self._columns)

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        """See `Database.rows`."""
        statement, values = with_lists_expanded(
            sql, parameters or {}, lambda name: "%%" if name == "%" else f"%({name})s"
        )
        with self._mine(), current_deadline().stoppable(self._break_off):
            kept = self._connection is not None
            try:
                return self._run(statement, values)
            except pymysql.MySQLError as error:
                self._forget(error)
                if not kept or _number(error) not in _LOST or not seconds_left():
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

    @contextlib.contextmanager
    def _mine(self) -> Iterator[None]:
        """Hold the connection; who holds it longer than we can wait is stopped by its own end."""
        if not seconds_left():
            raise BackendUnavailable("database: no time was left", reason="timeout")
        if not self._lock.acquire(timeout=min(seconds_left(), threading.TIMEOUT_MAX)):
            raise BackendUnavailable("database: the connection is in use", reason="timeout")
        try:
            yield
        finally:
            self._lock.release()

    def _break_off(self) -> None:
        """End what the connection waits for, from another thread: a slow drip, a silent server."""
        # PyMySQL's own close() would leave the waiting thread to wait.
        wire = getattr(self._connection, "_sock", None)
        if wire is not None:
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def _run(self, statement: str, values: Mapping[str, Any]) -> Sequence[Row]:
        connection = self._connection or self._connect()
        seconds = max(_LEAST_SECONDS, min(self._seconds, seconds_left()))
        # The server ends a slow statement, the socket a silent server; PyMySQL reads this before
        # each answer, but has no public way to change it.
        patience = min(self._seconds + _SOCKET_MARGIN, seconds + _SOCKET_MARGIN / 4)
        setattr(connection, "_read_timeout", patience)  # noqa: B010  # the stubs do not know it
        with connection.cursor() as cursor:
            cursor.execute(_limited(statement, seconds, mariadb=self._is_mariadb), values)
            return cursor.fetchall()

    def _connect(self) -> "pymysql.Connection[pymysql.cursors.DictCursor]":
        if 0 <= time.time() - self._silent_since < SILENT_SECONDS:
            raise BackendUnavailable(
                "database: accepted no connection a moment ago, and is not asked yet",
                reason="cooling down",
                cools_down=False,
            )
        try:
            return self._open(self._credentials(False))
        except pymysql.OperationalError as error:
            if _number(error) not in _REFUSED:
                raise
        return self._open(self._credentials(True))  # once: a wrong secret must not loop

    def _open(self, credentials: Credentials) -> "pymysql.Connection[pymysql.cursors.DictCursor]":
        patience = min(CONNECT_SECONDS, max(_LEAST_SECONDS, seconds_left()))
        connection = self._connection = pymysql.connect(
            host=self._host,
            port=self._port,
            database=self._name,
            user=credentials.username,
            password=credentials.password,
            charset="utf8mb4",
            autocommit=True,  # each SELECT sees the present, not a snapshot of the first one
            connect_timeout=patience,
            read_timeout=patience,  # of the handshake; each statement sets its own
            write_timeout=patience,
            cursorclass=pymysql.cursors.DictCursor,
            defer_connect=True,  # so that it can be broken off while it opens
        )
        started = time.monotonic()
        try:
            connection.connect()
        except pymysql.MySQLError:
            self._connection = None
            if time.monotonic() - started >= min(_SILENCE, patience):
                self._silent_since = time.time()
            raise
        # No SET SESSION: RDS Proxy would pin the session to one connection of the database.
        self._is_mariadb = "MariaDB" in connection.get_server_info()  # type: ignore[no-untyped-call]  # stubs
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


# What may hide a parenthesis or a keyword in our own statements, then what is looked for.
_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|`[^`]*`|[()]|\bSELECT\b""", re.IGNORECASE
)


def _limited(statement: str, seconds: float, *, mariadb: bool) -> str:
    """*statement* with a time limit of its own, which leaves the session as it is.

    MariaDB has a prefix, MySQL a hint behind the first word of the statement's own SELECT.
    """
    if mariadb:
        return f"SET STATEMENT max_statement_time={seconds:.3f} FOR {statement}"
    depth = 0
    for token in _TOKEN.finditer(statement):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0 and token[0].upper() == "SELECT":
            hint = f" /*+ MAX_EXECUTION_TIME({math.ceil(seconds * 1000)}) */"
            return statement[: token.end()] + hint + statement[token.end() :]
    return statement


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
