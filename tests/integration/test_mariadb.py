"""The tests' own MariaDB: real, loaded, and careful about who may do what."""

import pymysql
import pytest

from tests.servers.mariadb import TRUTH_DATABASE, TRUTH_READER, MariaDb


def test_the_recorded_site_is_loaded(truth_mariadb: MariaDb) -> None:
    with (
        truth_mariadb.connect(TRUTH_DATABASE, TRUTH_READER) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT title FROM pages WHERE uid = 1")
        assert cursor.fetchone() is not None


def test_the_reader_cannot_write(truth_mariadb: MariaDb) -> None:
    with (
        truth_mariadb.connect(TRUTH_DATABASE, TRUTH_READER) as connection,
        connection.cursor() as cursor,
        pytest.raises(pymysql.err.OperationalError, match="DELETE command denied"),
    ):
        cursor.execute("DELETE FROM pages")


@pytest.mark.parametrize("charset", ["latin1", "utf8mb3", "utf8mb4"])
def test_an_empty_database_has_the_charset_that_was_asked_for(
    mariadb_server: MariaDb, charset: str
) -> None:
    mariadb_server.create_database("charset", charset=charset, collation=f"{charset}_general_ci")
    with mariadb_server.connect("charset") as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@character_set_database")
        assert cursor.fetchone() == (charset,)
