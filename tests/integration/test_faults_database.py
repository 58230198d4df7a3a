"""Whatever the database does: an answer in time, and broken is never told as empty."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from tests.contract.site import CONTENT, PAGES, SITES
from tests.contract.tables import create_statements, insert_statement
from tests.integration.faults import SECONDS, Entrances, entrances, solr_at
from tests.integration.proxy import DRIP, GARBAGE, HANG, PASS, RESET, Proxy, proxied
from tests.integration.solr.raw import Behaviour, hangs, nobody, says, serving
from tests.servers.mariadb import HOST, Account, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.core.secrets import Credentials

NAME = "faults"
READER = Account(username="faults_reader", password="first")
ROTATED = Account(username=READER.username, password="second")
NOT_CHECKED = "Freshness was not checked: no database is reachable."
DOCUMENTS = (
    b'{"responseHeader": {"status": 0}, "response": {"numFound": 1, "docs": [{"id":'
    b' "h/pages/2/0/0/0", "type": "pages", "uid": 2, "rootline": ["0-1/"], "url": "/page-2",'
    b' "title": "Bulky waste", "content": "Bulky waste is collected.", "score": 1.0}]}}'
)


@pytest.fixture(scope="module")
def server(mariadb_server: MariaDb) -> MariaDb:
    """The server with the contract's site."""
    mariadb_server.create_database(NAME)
    mariadb_server.create_reader(READER, NAME)
    mariadb_server.execute(*create_statements(), database=NAME)
    with mariadb_server.connect(NAME) as connection, connection.cursor() as cursor:
        for table, rows in (("pages", PAGES), ("tt_content", CONTENT)):
            for row in rows:
                cursor.execute(insert_statement(table, row, "%s"), tuple(row.values()))
    return mariadb_server


def credentials(first: Account, second: Account | None = None) -> Callable[[bool], Credentials]:
    """The secret: *first* as it is remembered, *second* after a forced look."""

    def read(refresh: bool) -> Credentials:
        account = (second or first) if refresh else first
        return Credentials(username=account.username, password=account.password)

    return read


@contextmanager
def opened(
    port: int,
    *,
    host: str = HOST,
    secret: Callable[[bool], Credentials] | None = None,
    seconds: float = 0.5,
) -> Iterator[MysqlDatabase]:
    database = MysqlDatabase(
        host=host,
        port=port,
        name=NAME,
        credentials=secret or credentials(READER),
        statement_seconds=seconds,
    )
    try:
        yield database
    finally:
        database.close()


def answers(stack: Entrances) -> None:
    """What holds at each entrance when nothing is wrong, or no longer."""
    query = stack.query()
    assert (query.status, query.body["backend"], query.body["notes"]) == (200, "database", [])
    assert query.body["sources"]
    assert stack.keywords().body["hits"]
    assert stack.fetch("database:2:0").status == 200
    assert stack.probe()[0].is_up


def is_told_as_broken(stack: Entrances, *reasons: str) -> None:
    """What holds at each entrance while the only backend fails."""
    query = stack.query()
    assert (query.status, query.body["backend"]) == (200, "none")
    assert query.body["degraded"] is True
    assert query.body["notes"] == [
        'Backend "database" failed and was skipped.',
        "No search backend available.",
    ]
    assert query.body["attempts"][0]["reason"] in reasons
    assert query.seconds < SECONDS

    keywords = stack.keywords()
    assert keywords.status == 200
    assert (keywords.body["available"], keywords.body["degraded"]) == (False, True)
    assert keywords.seconds < SECONDS

    fetch = stack.fetch("database:2:0")
    assert fetch.status == 503
    assert fetch.seconds < SECONDS

    (probed,) = stack.probe()
    assert not probed.is_up
    assert probed.expected


@pytest.fixture
def wire(server: MariaDb) -> Iterator[Proxy]:
    with proxied(server.port) as proxy:
        yield proxy


def drips_greeting(wire: socket.socket, over: threading.Event) -> None:
    """A greeting of 74 bytes is promised, and comes slowly: never a pause that is a time-out."""
    wire.sendall(b"\x4a\x00\x00\x00\x0a")
    while not over.wait(0.05):
        wire.sendall(b"1")


def resets_at_once(wire: socket.socket, _: threading.Event) -> None:
    """Take the connection and break it off."""
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class TestItCannotBeReached:
    def test_refused(self) -> None:
        with nobody() as port, opened(port) as database, entrances(database) as stack:
            is_told_as_broken(stack, "unavailable")

    def test_a_name_that_nobody_knows(self) -> None:
        # RFC 6761: never resolves
        with opened(3306, host="db.invalid") as database, entrances(database) as stack:
            is_told_as_broken(stack, "unavailable", "timeout")

    def test_a_name_server_that_hangs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        over = threading.Event()

        def hanging(*_: object, **__: object) -> list[object]:
            over.wait(30)
            raise socket.gaierror("temporary failure")

        monkeypatch.setattr(socket, "getaddrinfo", hanging)
        try:
            with opened(3306, host="db.internal") as database, entrances(database) as stack:
                is_told_as_broken(stack, "timeout", "still busy")
        finally:
            over.set()

    @pytest.mark.parametrize(
        "behaviour",
        [
            pytest.param(hangs, id="hang"),
            pytest.param(drips_greeting, id="drip"),
            pytest.param(resets_at_once, id="reset"),
            pytest.param(lambda wire, _: wire.sendall(b"HTTP/1.1 400 no\r\n\r\n"), id="garbage"),
        ],
    )
    def test_what_listens_is_no_database(self, behaviour: Behaviour) -> None:
        with serving(behaviour) as port, opened(port) as database, entrances(database) as stack:
            is_told_as_broken(stack, "unavailable", "timeout", "cooling down", "protocol error")


class TestItFailsWhileItAnswers:
    @pytest.mark.parametrize("mode", [HANG, DRIP, RESET, GARBAGE])
    def test_the_answer_comes_in_time_and_so_does_the_next(self, wire: Proxy, mode: str) -> None:
        with opened(wire.port) as database, entrances(database) as stack:
            answers(stack)
            wire.mode = mode
            is_told_as_broken(
                stack, "unavailable", "timeout", "cooling down", "still busy", "protocol error"
            )
            wire.mode = PASS
            recovers(stack)

    @pytest.mark.parametrize("mode", [HANG, DRIP])
    def test_solr_still_answers_without_the_live_check(self, wire: Proxy, mode: str) -> None:
        with ExitStack() as stack:
            port = stack.enter_context(serving(says("200 OK", DOCUMENTS)))
            database = stack.enter_context(opened(wire.port))
            service = stack.enter_context(entrances(database, solr_at(port)))
            assert service.query().body["notes"] == []
            wire.mode = mode
            query = service.query()
            assert query.body["backend"] == "solr"
            assert NOT_CHECKED in query.body["notes"]
            assert query.seconds < SECONDS


def recovers(stack: Entrances) -> None:
    """It answers again within some seconds; a hanging server rests for five."""
    for _ in range(60):
        if stack.query().body["backend"] == "database":
            return
        threading.Event().wait(0.2)
    raise AssertionError("it did not recover")


class TestTheServerSaysNo:
    def test_gone_away_means_one_new_connection(self, server: MariaDb, wire: Proxy) -> None:
        with opened(wire.port) as database, entrances(database) as stack:
            answers(stack)
            (row,) = database.rows("SELECT CONNECTION_ID() AS id")
            server.execute(f"KILL {int(row['id'] or 0)}")
            answers(stack)
            assert wire.connections == 2

    def test_a_rotated_password_is_read_anew_once(self, server: MariaDb, wire: Proxy) -> None:
        secret = credentials(Account(username=READER.username, password="old"), READER)
        with opened(wire.port, secret=secret) as database, entrances(database) as stack:
            answers(stack)
            assert wire.connections == 2

    def test_a_wrong_password_is_no_loop(self, wire: Proxy) -> None:
        secret = credentials(Account(username=READER.username, password="wrong"))
        with opened(wire.port, secret=secret) as database, entrances(database) as stack:
            query = stack.query()
            assert query.body["attempts"][0]["reason"] == "access denied"
            assert wire.connections == 2
            is_told_as_broken(stack, "access denied")

    def test_a_read_only_server_is_all_we_need(self, server: MariaDb) -> None:
        server.execute("SET GLOBAL read_only = 1")
        try:
            with opened(server.port) as database, entrances(database) as stack:
                answers(stack)
        finally:
            server.execute("SET GLOBAL read_only = 0")

    def test_a_locked_table_ends_at_the_limit(self, server: MariaDb) -> None:
        with (
            server.connect(NAME) as other,
            other.cursor() as cursor,
            opened(server.port) as database,
            entrances(database) as stack,
        ):
            answers(stack)
            cursor.execute("LOCK TABLES pages WRITE, tt_content WRITE")
            is_told_as_broken(stack, "timeout")
            cursor.execute("UNLOCK TABLES")
            answers(stack)

    def test_a_slow_statement_ends_at_the_limit_on_the_server(self, server: MariaDb) -> None:
        server.execute(
            "RENAME TABLE pages TO pages_",
            "CREATE VIEW pages AS SELECT * FROM pages_ WHERE SLEEP(0.5) = 0",
            database=NAME,
        )
        try:
            with opened(server.port) as database, entrances(database) as stack:
                is_told_as_broken(stack, "timeout")
                running = server_processes(server)
                assert not [each for each in running if "SLEEP" in each]
        finally:
            server.execute("DROP VIEW pages", "RENAME TABLE pages_ TO pages", database=NAME)

    def test_a_missing_table_is_not_nothing_found(self, server: MariaDb) -> None:
        server.execute("RENAME TABLE tt_content TO tt_content_", database=NAME)
        try:
            with opened(server.port) as database, entrances(database) as stack:
                query = stack.query()
                assert (query.body["backend"], query.body["degraded"]) == ("none", True)
                assert query.body["attempts"][0]["reason"] == "no TYPO3 tables"
                assert stack.keywords().body == {"hits": [], "available": False, "degraded": True}
                assert stack.fetch("database:2:0").status == 404
                assert not stack.probe()[0].is_up
        finally:
            server.execute("RENAME TABLE tt_content_ TO tt_content", database=NAME)

    def test_a_table_that_goes_missing_is_a_failure(self, server: MariaDb) -> None:
        with opened(server.port) as database, entrances(database) as stack:
            answers(stack)
            server.execute("RENAME TABLE tt_content TO tt_content_", database=NAME)
            try:
                is_told_as_broken(stack, "schema does not fit")
            finally:
                server.execute("RENAME TABLE tt_content_ TO tt_content", database=NAME)


def server_processes(server: MariaDb) -> list[str]:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT info FROM information_schema.processlist WHERE db = %s", (NAME,))
        return [str(row[0]) for row in cursor.fetchall()]


@pytest.mark.parametrize("jump", [-86_400, 86_400])
def test_a_clock_that_jumps_changes_nothing(server: MariaDb, jump: int) -> None:
    now = [1_800_000_000]
    with opened(server.port) as database, entrances(database, now=lambda: now[0]) as stack:
        before = stack.query().body["sources"]
        now[0] += jump
        after = stack.query()
        assert (after.body["backend"], after.body["notes"]) == ("database", [])
        assert {source["source_id"] for source in before[:3]} & {
            source["source_id"] for source in after.body["sources"]
        }


def test_without_a_configured_database_nobody_pretends() -> None:
    with entrances(None) as stack:
        query = stack.query()
        assert (query.status, query.body["degraded"]) == (200, True)
        assert query.body["attempts"][0]["outcome"] == "unavailable"


def test_a_site_that_could_not_be_read_is_told_with_every_answer(server: MariaDb) -> None:
    note = 'Site "shop" could not be read and was left out.'
    with (
        opened(server.port) as database,
        entrances(database, replace(SITES, notes=(note,))) as stack,
    ):
        assert stack.query().body["notes"] == [note]
