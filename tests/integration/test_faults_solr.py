"""Whatever Solr does: the right backend answers every entrance, in time, and says why."""

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.contract.site import CONTENT, PAGES
from tests.contract.tables import write_sqlite
from tests.integration.faults import SECONDS, Entrances, entrances, solr_at
from tests.integration.solr.raw import (
    Behaviour,
    drips,
    hangs,
    nobody,
    resets,
    says,
    sends,
    serving,
)
from typo3_retrieval.adapters.sqlite import SqliteDatabase

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
HTML = b"<html>Hello"
FAULTS = {
    "hang": hangs,
    "headers drip": drips(OK + b"X-Slow: "),
    "body drips": drips(OK + b"Content-Length: 99999\r\n\r\n{"),
    "reset": resets,
    "closed": sends(b""),
    "garbage": sends(b"\x16\x03\x01 garbage\r\n\r\n"),
    "302": says("302 Found", b""),
    "400": says("400 Bad Request", b"{}"),
    "401": says("401 Unauthorized", b"{}"),
    "403": says("403 Forbidden", b"{}"),
    "404": says("404 Not Found", HTML, "text/html"),
    "429": says("429 Too Many Requests", b"{}"),
    "500": says("500 Server Error", b"{}"),
    "503": says("503 Service Unavailable", b"{}"),
    "HTML": says("200 OK", HTML, "text/html"),
    "empty": says("200 OK", b""),
    "wrong shape": says("200 OK", b'{"responseHeader": {"status": 0}, "response": {"docs": 7}}'),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteDatabase]:
    path = tmp_path_factory.mktemp("faults") / "site.sqlite"
    database = SqliteDatabase(write_sqlite(path, {"pages": PAGES, "tt_content": CONTENT}))
    yield database
    database.close()


def shows_a_fallback(stack: Entrances) -> None:
    """What must hold at each entrance while Solr fails and the database works."""
    query = stack.query()
    assert (query.status, query.body["backend"]) == (200, "database")
    assert query.body["sources"]
    assert 'Backend "solr" failed and was skipped.' in query.body["notes"]
    failed, answered = query.body["attempts"]
    assert (failed["outcome"], answered["outcome"]) == ("failed", "answered")
    assert failed["reason"]
    assert query.seconds < SECONDS

    keywords = stack.keywords()
    assert keywords.status == 200
    assert keywords.body["hits"]
    assert keywords.body["degraded"] is True
    assert keywords.seconds < SECONDS

    fetch = stack.fetch("solr:main:pages:2:0")
    assert (fetch.status, fetch.body["detail"]) == (503, "The source's backend does not answer.")
    assert fetch.seconds < SECONDS
    assert stack.fetch("database:2:0").status == 200

    solr, other = stack.probe()
    assert (solr.is_up, other.is_up) == (False, True)
    assert solr.reason == failed["reason"]


@pytest.mark.parametrize("behaviour", FAULTS.values(), ids=FAULTS)
def test_the_next_backend_answers(behaviour: Behaviour, database: SqliteDatabase) -> None:
    with serving(behaviour) as port, entrances(database, solr_at(port)) as stack:
        shows_a_fallback(stack)


def test_refused(database: SqliteDatabase) -> None:
    with nobody() as port, entrances(database, solr_at(port)) as stack:
        shows_a_fallback(stack)


def test_a_name_that_nobody_knows(database: SqliteDatabase) -> None:
    unknown = solr_at(8983, host="solr.invalid")  # RFC 6761: never resolves
    with entrances(database, unknown) as stack:
        shows_a_fallback(stack)


def test_a_name_server_that_hangs(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def hanging(*_: object, **__: object) -> list[object]:
        over.wait(30)
        raise socket.gaierror("temporary failure")

    # The system's resolver has no time limit that a test could reach.
    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    try:
        with entrances(database, solr_at(8983, host="solr.internal")) as stack:
            shows_a_fallback(stack)
    finally:
        over.set()
