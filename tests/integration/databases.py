"""Connections to databases of the tests' MariaDB, for backends that are tested over them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.servers.mariadb import HOST, ROOT, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.core.secrets import Credentials

Connect = Callable[[str], MysqlDatabase]  # by the database's name


def connected(port: int, name: str) -> MysqlDatabase:
    """A database of the server on *port*; the first statement opens the connection."""
    return MysqlDatabase(
        host=HOST,
        port=port,
        name=name,
        credentials=lambda _: Credentials(username=ROOT.username, password=ROOT.password),
    )


def unreachable() -> MysqlDatabase:
    """A database on a port where nothing listens."""
    return connected(1, "typo3")


@contextmanager
def sql_mode(server: MariaDb, mode: str) -> Iterator[None]:
    """Give new connections this mode."""
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@GLOBAL.sql_mode")
        row = cursor.fetchone()
        cursor.execute("SET GLOBAL sql_mode = %s", (mode,))
        try:
            yield
        finally:
            cursor.execute("SET GLOBAL sql_mode = %s", row)
