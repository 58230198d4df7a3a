"""A MariaDB for measurements: the configured one, or the tests' own when run from a checkout."""

import importlib
import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.edge.settings import DATABASE_SECRET, DATABASE_URL, MysqlUrl, Settings
from typo3_retrieval.typo3.database import Value

if TYPE_CHECKING:
    import pymysql
    import pymysql.cursors

_PORT = 3306
_BUFFER_POOL = 512 * 2**20  # bytes, of the tests' server: a usual one has more than its 64 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server on which databases may be made."""

    host: str
    port: int
    credentials: Credentials

    @contextmanager
    def scratch_database(self) -> Iterator[str]:
        """Make a database with a name that nobody has; drop it afterwards."""
        name = f"typo3_retrieval_{secrets.token_hex(6)}"
        self._run(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
        try:
            yield name
        finally:
            self._run(f"DROP DATABASE {name}")

    def _run(self, statement: str) -> None:
        # A connection each time: hours may lie between two.
        with closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute(statement)

    def connect(self, database: str | None = None) -> "pymysql.Connection[pymysql.cursors.Cursor]":
        """Open a connection that may write.

        Raises:
            ConfigurationError: the server refuses.
        """
        import pymysql

        try:
            return pymysql.connect(
                host=self.host,
                port=self.port,
                user=self.credentials.username,
                password=self.credentials.password,
                database=database,
                charset="utf8mb4",
                autocommit=True,
                local_infile=True,
            )
        except pymysql.MySQLError as error:
            raise ConfigurationError(
                f"{DATABASE_URL}: the server refuses; a measurement makes databases of its own"
                " there, so the user needs the right to create them."
            ) from error

    def reader(self, database: str, statement_seconds: float) -> MysqlDatabase:
        """The database as backends see it."""
        return MysqlDatabase(
            host=self.host,
            port=self.port,
            name=database,
            credentials=lambda refresh: self.credentials,
            statement_seconds=statement_seconds,
        )

    def load(
        self,
        cursor: "pymysql.cursors.Cursor",
        table: str,
        names: Sequence[str],
        rows: Sequence[tuple[Value, ...]],
    ) -> None:
        """Write *rows*, by the way that takes least time."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".tsv") as file:
            file.writelines("\t".join(map(_field, row)) + "\n" for row in rows)
            file.flush()
            cursor.execute(
                f"LOAD DATA LOCAL INFILE %s INTO TABLE {table} CHARACTER SET utf8mb4"
                f" ({', '.join(names)})",
                (str(Path(file.name)),),
            )


@contextmanager
def server(environment: Mapping[str, str]) -> Iterator[Server]:
    """The server that the settings name, else the tests' own for as long as it is needed.

    Raises:
        ConfigurationError: there is neither.
    """
    settings = Settings.from_environment(environment)
    if isinstance(settings.database, MysqlUrl) and settings.database_secret is not None:
        reference = settings.database_secret
        document = Secrets(now=lambda: int(time.time())).read(reference)
        yield Server(
            host=settings.database.host or "127.0.0.1",
            port=settings.database.port or _PORT,
            credentials=Credentials.of(document, reference.setting),
        )
        return
    try:
        tests = importlib.import_module("tests.servers.mariadb")
    except ImportError as error:
        raise ConfigurationError(
            f"{DATABASE_URL} names no MariaDB server (mysql://host:port, with {DATABASE_SECRET});"
            " only a checkout of the project has one of its own."
        ) from error
    with tests.running() as running:
        running.execute(f"SET GLOBAL innodb_buffer_pool_size = {_BUFFER_POOL}")
        yield Server(
            host=tests.HOST,
            port=running.port,
            credentials=Credentials(username=tests.ROOT.username, password=tests.ROOT.password),
        )


def _field(value: Value) -> str:
    """A value as LOAD DATA reads it."""
    if value is None:
        return r"\N"
    text = str(value)
    for character, written in (("\\", r"\\"), ("\t", r"\t"), ("\n", r"\n"), ("\r", r"\r")):
        text = text.replace(character, written)
    return text.replace("\0", "")
