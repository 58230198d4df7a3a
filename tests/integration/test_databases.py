"""The adapters on real databases, and the contract of the backend `database` on MariaDB."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.site import CONTENT, PAGES, resources
from tests.contract.tables import create_statements, insert_statement
from tests.servers.mariadb import HOST, ROOT, TRUTH_DATABASE, TRUTH_READER, Account, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.database import BACKEND
from typo3_retrieval.backends.database.backend import CONTENT_FIELDS, PAGE_FIELDS
from typo3_retrieval.backends.database.candidates import Scope, find_candidates
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.errors import BackendError, BackendProtocolError, BackendUnavailable
from typo3_retrieval.core.ranking.analysis import analyzer
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.database import Database, StatementTimeout
from typo3_retrieval.typo3.word_classes import Scan

NAME = "adapters"
READER = Account(username="adapters_reader", password="first")
SLOW = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
    " SELECT COUNT(*) AS many FROM n a, n b, n c WHERE a.i + b.i + c.i = 7"
)


def credentials_of(account: Account) -> Callable[[bool], Credentials]:
    return lambda refresh: Credentials(username=account.username, password=account.password)


def opened(
    server: MariaDb,
    name: str = NAME,
    *,
    account: Account = READER,
    credentials: Callable[[bool], Credentials] | None = None,
    statement_seconds: float = 5.0,
) -> MysqlDatabase:
    return MysqlDatabase(
        host=HOST,
        port=server.port,
        name=name,
        credentials=credentials or credentials_of(account),
        statement_seconds=statement_seconds,
    )


@pytest.fixture(scope="module")
def server(mariadb_server: MariaDb) -> MariaDb:
    """The server with a small table and a reader."""
    mariadb_server.create_database(NAME)
    mariadb_server.create_reader(READER, NAME)
    mariadb_server.execute(
        "CREATE TABLE pages (uid int unsigned PRIMARY KEY, title varchar(255))",
        "INSERT INTO pages VALUES (1, 'Öffnungszeiten'), (2, '100 % Wolle'), (3, 'a_b'), (4, NULL)",
        database=NAME,
    )
    return mariadb_server


@pytest.fixture
def database(server: MariaDb) -> Iterator[MysqlDatabase]:
    database = opened(server)
    yield database
    database.close()


def uids(database: Database, where: str, **parameters: str | int | list[int]) -> list[object]:
    sql = f"SELECT uid FROM pages WHERE {where} ORDER BY uid"  # noqa: S608  # the tests' own
    return [row["uid"] for row in database.rows(sql, parameters)]


def connection_id(database: Database) -> int:
    (row,) = database.rows("SELECT CONNECTION_ID() AS id")
    return int(row["id"] or 0)


class TestReading:
    def test_lists_and_empty_lists(self, database: MysqlDatabase) -> None:
        assert uids(database, "uid IN %(uids)s", uids=[1, 3, 99]) == [1, 3]
        assert uids(database, "uid IN %(uids)s", uids=[]) == []

    def test_percent_signs_with_and_without_parameters(self, database: MysqlDatabase) -> None:
        assert uids(database, "title LIKE '%% \\%% %%'") == [2]
        assert uids(database, "title LIKE '%% \\%% %%' AND uid = %(uid)s", uid=2) == [2]
        assert uids(database, "title = %(title)s", title="100 % Wolle") == [2]

    @pytest.mark.parametrize(
        "text", ["Sommerfest 🎉", "x' OR '1'='1", '"', "%(uid)s", "%s", "%", "\\", "\\'", ""]
    )
    def test_any_text_is_a_value(self, database: MysqlDatabase, text: str) -> None:
        (row,) = database.rows("SELECT %(text)s AS text", {"text": text})
        assert row["text"] == text

    def test_bytes_are_bytes(self, database: MysqlDatabase) -> None:
        (row,) = database.rows(
            "SELECT INSTR(CAST('aÄ' AS BINARY), %(b)s) AS i", {"b": "Ä".encode()}
        )
        assert row["i"] == 2

    def test_columns_of_a_table(self, database: MysqlDatabase) -> None:
        assert database.columns("pages") == {"uid", "title"}
        assert database.columns("nope") == frozenset()

    @pytest.mark.parametrize("value", [2**63, 2**64, 10**30])
    def test_a_number_too_large_for_it_equals_nothing(
        self, database: MysqlDatabase, value: int
    ) -> None:
        assert uids(database, "uid IN %(uids)s", uids=[1, value]) == [1]

    def test_what_another_connection_writes_is_seen(
        self, server: MariaDb, database: MysqlDatabase
    ) -> None:
        assert uids(database, "uid = 77") == []
        server.execute("INSERT INTO pages VALUES (77, 'new')", database=NAME)
        assert uids(database, "uid = 77") == [77]
        server.execute("DELETE FROM pages WHERE uid = 77", database=NAME)

    def test_threads_share_it(self, database: MysqlDatabase) -> None:
        wrong = list[object]()

        def read(number: int) -> None:
            for _ in range(25):
                (row,) = database.rows("SELECT %(number)s AS number", {"number": number})
                if row["number"] != number:
                    wrong.append(row)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


class TestTheKeptConnection:
    def test_it_is_used_again(self, database: MysqlDatabase) -> None:
        assert connection_id(database) == connection_id(database)

    def test_a_killed_one_is_opened_again_once_and_the_statement_repeated(
        self, server: MariaDb, database: MysqlDatabase
    ) -> None:
        for _ in range(2):
            killed = connection_id(database)
            server.execute(f"KILL {killed}")
            assert uids(database, "uid = 1") == [1]
            assert connection_id(database) != killed

    def test_one_that_timed_out_on_the_server_is_opened_again(
        self, server: MariaDb, database: MysqlDatabase
    ) -> None:
        database.rows("SET SESSION wait_timeout = 1")
        first = connection_id(database)
        time.sleep(1.5)
        assert connection_id(database) != first

    def test_a_new_one_has_the_time_limit_too(self, server: MariaDb) -> None:
        database = opened(server, statement_seconds=0.2)
        server.execute(f"KILL {connection_id(database)}")
        with pytest.raises(StatementTimeout):
            database.rows(SLOW)
        database.close()

    def test_after_close_it_opens_again(self, database: MysqlDatabase) -> None:
        database.close()
        assert uids(database, "uid = 1") == [1]

    @pytest.mark.parametrize("sql", ["SELECT nope FROM pages", "SELECT uid FROM nope"])
    def test_it_survives_a_statement_that_does_not_fit(
        self, database: MysqlDatabase, sql: str
    ) -> None:
        first = connection_id(database)
        with pytest.raises(BackendProtocolError):
            database.rows(sql)
        assert connection_id(database) == first


class TestSecrets:
    """Called with True, the door to the secret must fetch it anew."""

    def test_a_rotated_password_is_fetched_once(self, server: MariaDb) -> None:
        asked = list[bool]()

        def credentials(refresh: bool) -> Credentials:
            asked.append(refresh)
            return Credentials(
                username=READER.username, password=READER.password if refresh else "old"
            )

        database = opened(server, credentials=credentials)
        assert uids(database, "uid = 1") == [1]
        assert asked == [False, True]
        database.close()

    def test_a_wrong_password_is_refused_without_a_loop(self, server: MariaDb) -> None:
        asked = list[bool]()

        def credentials(refresh: bool) -> Credentials:
            asked.append(refresh)
            return Credentials(username=READER.username, password="hunter2")

        database = opened(server, credentials=credentials)
        for turn in (1, 2):
            with pytest.raises(BackendUnavailable) as raised:
                database.rows("SELECT 1")
            assert raised.value.reason == "access denied"
            assert asked == [False, True] * turn
            assert not {"hunter2", READER.username, HOST} & set(str(raised.value).split())

    def test_a_password_that_changes_under_a_dead_connection_is_fetched(
        self, server: MariaDb
    ) -> None:
        account = Account(username="rotating", password="before")
        server.create_reader(account, NAME)
        passwords = {False: "before", True: "after"}
        database = opened(
            server,
            credentials=lambda refresh: Credentials(
                username=account.username, password=passwords[refresh]
            ),
        )
        killed = connection_id(database)
        server.create_reader(Account(username="rotating", password="after"), NAME)
        server.execute(f"KILL {killed}")
        assert uids(database, "uid = 1") == [1]
        database.close()

    def test_a_secret_that_cannot_be_read_is_told_as_it_is(self, server: MariaDb) -> None:
        def credentials(refresh: bool) -> Credentials:
            raise BackendUnavailable("the secret store does not answer", reason="no secret")

        with pytest.raises(BackendUnavailable, match="secret store"):
            opened(server, credentials=credentials).rows("SELECT 1")


class TestFailing:
    def test_a_slow_statement_is_ended_by_the_server(self, server: MariaDb) -> None:
        database = opened(server, statement_seconds=0.2)
        started = time.monotonic()
        with pytest.raises(StatementTimeout) as raised:
            database.rows(SLOW)
        assert time.monotonic() - started < 2.0
        assert raised.value.reason == "timeout"
        assert uids(database, "uid = 1") == [1]
        database.close()

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT nope FROM pages WHERE title = %(q)s",
            "SELECT uid FROM nope WHERE title = %(q)s",
            "SELECT uid FROM pages WHERE MATCH (title) AGAINST (%(q)s)",
            "SELEC %(q)s",
        ],
    )
    def test_a_message_holds_neither_statement_nor_value(
        self, database: MysqlDatabase, sql: str
    ) -> None:
        with pytest.raises(BackendError) as raised:
            database.rows(sql, {"q": "my private question"})
        told = f"{raised.value} {raised.value.reason}"
        assert "private" not in told
        assert "SELEC" not in told

    def test_a_missing_fulltext_index_is_a_protocol_error(self, database: MysqlDatabase) -> None:
        with pytest.raises(BackendProtocolError):
            database.rows("SELECT uid FROM pages WHERE MATCH (title) AGAINST ('a')")

    def test_the_reader_cannot_write(self, database: MysqlDatabase) -> None:
        with pytest.raises(BackendUnavailable):
            database.rows("DELETE FROM pages")
        assert uids(database, "uid = 1") == [1]

    def test_an_unknown_database_is_unavailable(self, server: MariaDb) -> None:
        with pytest.raises(BackendUnavailable):
            opened(server, "nope", account=ROOT).rows("SELECT 1")

    def test_a_closed_port_is_unavailable(self) -> None:
        database = unreachable()
        with pytest.raises(BackendUnavailable):
            database.rows("SELECT 1")
        with pytest.raises(BackendUnavailable):
            database.columns("pages")

    def test_a_silent_server_is_given_up(self) -> None:
        with socket.create_server((HOST, 0)) as silent:
            database = MysqlDatabase(
                host=HOST,
                port=silent.getsockname()[1],
                name=NAME,
                credentials=credentials_of(READER),
                statement_seconds=0.1,
            )
            started = time.monotonic()
            with pytest.raises(BackendUnavailable):
                database.rows("SELECT 1")
            assert time.monotonic() - started < 5.0


def unreachable() -> MysqlDatabase:
    with socket.create_server((HOST, 0)) as once:
        port = once.getsockname()[1]
    return MysqlDatabase(host=HOST, port=port, name=NAME, credentials=credentials_of(READER))


# A new server as it comes, and an old one that was set up for an old TYPO3.
SETUPS = {
    "utf8mb4, strict": ("utf8mb4", "ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES,NO_ZERO_DATE"),
    "utf8mb3, lax": ("utf8mb3", ""),
}


@pytest.fixture(scope="module", params=list(SETUPS.values()), ids=list(SETUPS))
def contract_database(
    mariadb_server: MariaDb, request: pytest.FixtureRequest
) -> Iterator[MysqlDatabase]:
    charset, sql_mode = request.param
    name = f"contract_{charset}"
    mariadb_server.create_database(name, charset=charset, collation=f"{charset}_unicode_ci")
    with mariadb_server.connect(name) as connection, connection.cursor() as cursor:
        for statement in create_statements():
            cursor.execute(statement)
        for table, rows in (("pages", PAGES), ("tt_content", CONTENT)):
            for row in rows:
                cursor.execute(insert_statement(table, row, "%s"), list(row.values()))
        cursor.execute("SELECT @@GLOBAL.sql_mode")
        (before,) = cursor.fetchone() or ("",)
        cursor.execute("SET GLOBAL sql_mode = %s", (sql_mode,))
        mariadb_server.create_reader(READER)
        database = opened(mariadb_server, name)
        yield database
        database.close()
        cursor.execute("SET GLOBAL sql_mode = %s", (before,))


@pytest.fixture
def backend(contract_database: MysqlDatabase) -> SearchBackend:
    return BACKEND.build(resources(contract_database))


@pytest.fixture
def dead_backend() -> SearchBackend:
    return BACKEND.build(resources(unreachable()))


class TestDatabaseOnMariaDb(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("database", page_uid, language_id)


@pytest.mark.parametrize(
    ("language", "language_id", "question"),
    [
        ("en", 0, "When is bulky waste collected?"),
        ("en", 0, "opening hours of the university library"),
        ("de", 1, "Wann wird der Sperrmüll abgeholt?"),
        ("de", 1, "Straße Größe Öffnungszeiten ÜBERFÜHRUNG"),
        ("en", 0, "İstanbul Łódź Σίσυφος Привет party 🎉"),
    ],
)
@pytest.mark.parametrize("root_uid", [None, 1])
def test_both_databases_find_the_same_candidates(
    truth_sqlite: Path,
    truth_mariadb: MariaDb,
    language: str,
    language_id: int,
    question: str,
    root_uid: int | None,
) -> None:
    scope = Scope(language_ids=frozenset({0, language_id}), root_uid=root_uid, now=1_796_031_660)
    terms = analyzer(language).question(question)

    def found(database: Database) -> Scan:
        return find_candidates(
            database, terms, scope, page_fields=PAGE_FIELDS, content_fields=CONTENT_FIELDS
        )

    sqlite = SqliteDatabase(truth_sqlite)
    mysql = opened(truth_mariadb, TRUTH_DATABASE, account=TRUTH_READER)
    try:
        assert found(mysql).keys
        assert found(mysql) == found(sqlite)
    finally:
        sqlite.close()
        mysql.close()
