"""The recorded site in every database that it should behave the same in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.recorded import Recorded
from tests.servers.mariadb import HOST, ROOT, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.typo3.database import Database

STRICT_MODE = "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY"


@pytest.fixture(scope="module")
def recorded(truth: Path) -> Recorded:
    return Recorded(truth)


@pytest.fixture(scope="module")
def narrow_mariadb(mariadb_server: MariaDb, truth: Path) -> str:
    """The name of a database whose tables have the character set of older installations."""
    name = "visibility_utf8mb3"
    mariadb_server.create_database(name)
    mariadb_server.load_dump(truth / "mariadb.sql.gz", name)
    convert = "CONVERT TO CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci"
    mariadb_server.execute(
        "SET SESSION sql_mode = ''",  # an emoji becomes a question mark
        *(f"ALTER TABLE {table} {convert}" for table in ("pages", "tt_content")),
        database=name,
    )
    return name


@pytest.fixture(
    scope="module", params=["sqlite", "mariadb strict", "mariadb lax", "mariadb utf8mb3"]
)
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    if request.param == "sqlite":
        sqlite = SqliteDatabase(request.getfixturevalue("truth_sqlite"))
        yield sqlite
        sqlite.close()
        return
    server: MariaDb = request.getfixturevalue("truth_mariadb")
    narrow = request.param == "mariadb utf8mb3"
    name = request.getfixturevalue("narrow_mariadb") if narrow else "typo3"
    with server.connect(name) as connection, connection.cursor() as cursor:
        cursor.execute("ANALYZE TABLE pages, tt_content")  # a fresh load has no statistics yet
        cursor.execute("SELECT @@GLOBAL.sql_mode")
        ((before,),) = cursor.fetchall()
        cursor.execute("SET GLOBAL sql_mode = %s", ("" if "lax" in request.param else STRICT_MODE,))
        mariadb = MysqlDatabase(
            host=HOST,
            port=server.port,
            name=name,
            credentials=lambda _: Credentials(username=ROOT.username, password=ROOT.password),
        )
        yield mariadb
        mariadb.close()
        cursor.execute("SET GLOBAL sql_mode = %s", (before,))
