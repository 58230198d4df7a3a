"""Every way in which Solr fails: the next backend answers, in time, and the reason is told."""

import time
from typing import Any

import pytest

from tests.integration.solr.conftest import MakeBackend, solr_site
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
from tests.servers.solr import BROKEN, EMPTY, NO_FILTER, READER, STRANGER, Account, Solr
from tests.unit.core.fakes import ACCESS, FakeBackend, hit
from typo3_retrieval.backends.solr.backend import PARTIAL, SolrBackend
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.errors import BackendError
from typo3_retrieval.core.evidence import Evidence
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.sites import Site

pytest_plugins = ("tests.servers.solr_fixtures",)

QUESTION = RetrievalQuery.of("When is residual waste collected?")
TIMEOUT = "1"  # seconds; what the backend may take
PATIENCE = 3.0  # seconds; what the test gives it, on a loaded machine
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DOCUMENTS = (
    b'{"responseHeader": {"status": 0, "partialResults": true}, "response": {"numFound": 1,'
    b' "docs": [{"id": "h/pages/3/0/0/0", "type": "pages", "uid": 3, "rootline": ["0-1/"],'
    b' "url": "/waste", "title": "Waste", "content": "Residual waste.", "score": 1.0}]}}'
)


def ask(backend: SolrBackend) -> Evidence:
    """What a cascade with another backend below answers, within the time it may take."""
    started = time.monotonic()
    spare = FakeBackend(name="spare", hits=[hit("spare:1")])
    evidence = Cascade([backend, spare]).search(QUESTION, ACCESS)
    assert time.monotonic() - started < PATIENCE
    return evidence


def reason(make_backend: MakeBackend, *sites: Site, **how: Any) -> str:
    """Why the next backend had to answer."""
    backend = make_backend(*sites, timeout=TIMEOUT, **how)
    evidence = ask(backend)
    assert evidence.backend == "spare"
    assert 'Backend "solr" failed and was skipped.' in evidence.notes
    with pytest.raises(BackendError):
        backend.fetch(SourceId.of("solr", "main", "pages", 3, 0), ACCESS)
    return evidence.attempts[0].reason


# --- a server that is none ---------------------------------------------------------------------


def test_nobody_listens(make_backend: MakeBackend) -> None:
    with nobody() as port:
        assert reason(make_backend, solr_site(port, EMPTY)) == "unreachable"


def test_the_name_cannot_be_resolved(make_backend: MakeBackend) -> None:
    unknown = solr_site(8983, EMPTY, host="solr.invalid")  # RFC 6761: never resolves
    assert reason(make_backend, unknown) in ("unreachable", "timeout")


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        pytest.param(hangs, "timeout", id="hang"),
        pytest.param(drips(OK + b"X-Slow: "), "timeout", id="headers drip"),
        pytest.param(drips(OK + b"Content-Length: 99999\r\n\r\n{"), "timeout", id="body drips"),
        pytest.param(resets, "connection broken", id="reset"),
        pytest.param(sends(b""), "connection broken", id="closed"),
        pytest.param(sends(OK + b"Content-Length: 99999\r\n\r\n{}"), "connection broken", id="cut"),
        pytest.param(sends(b"\x16\x03\x01 garbage\r\n\r\n"), "connection broken", id="garbage"),
        pytest.param(
            sends(OK + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
            "protocol error",
            id="no gzip",
        ),
        pytest.param(says("302 Found", b""), "redirect", id="302"),
        pytest.param(says("400 Bad Request", b"{}"), "status 400", id="400"),
        pytest.param(says("404 Not Found", b"<html>", "text/html"), "core missing", id="404"),
        pytest.param(says("500 Server Error", b"{}"), "status 500", id="500"),
        pytest.param(says("503 Service Unavailable", b"{}"), "status 503", id="503"),
        pytest.param(says("200 OK", b"<html>Hello", "text/html"), "no JSON", id="HTML"),
        pytest.param(says("200 OK", b""), "no JSON", id="empty"),
        pytest.param(says("200 OK", b'{"response": []}'), "error in answer", id="odd JSON"),
        pytest.param(
            says("200 OK", b'{"responseHeader": {"status": 0}, "response": {}}'),
            "protocol error",
            id="no documents",
        ),
        pytest.param(
            says(
                "200 OK",
                b'{"responseHeader": {"status": 0, "partialResults": true},'
                b' "response": {"docs": []}}',
            ),
            "time limit",
            id="time limit without a hit",
        ),
    ],
)
def test_it_answers_nonsense_or_not_at_all(
    make_backend: MakeBackend, behaviour: Behaviour, expected: str
) -> None:
    with serving(behaviour) as port:
        assert reason(make_backend, solr_site(port, EMPTY)) == expected


def test_partial_results_are_kept_and_noted(make_backend: MakeBackend) -> None:
    with serving(says("200 OK", DOCUMENTS)) as port:
        evidence = ask(make_backend(solr_site(port, EMPTY), timeout=TIMEOUT))
    assert evidence.backend == "solr"
    assert [str(source.source_id) for source in evidence.sources] == ["solr:main:pages:3:0"]
    assert PARTIAL in evidence.notes


def test_a_server_that_hangs_is_not_asked_again_at_once(make_backend: MakeBackend) -> None:
    with serving(hangs) as port:
        backend = make_backend(solr_site(port, EMPTY), timeout=TIMEOUT)
        ask(backend)
        started = time.monotonic()
        assert ask(backend).attempts[0].reason == "cooling down"
        assert time.monotonic() - started < 0.5


def test_one_core_of_several_that_hangs_fails_in_the_same_time(
    make_backend: MakeBackend, solr_server: Solr
) -> None:
    with serving(hangs) as port:
        other = Site(
            identifier="other",
            root_page_uid=2,
            base="https://other.example.org/",
            languages=solr_site(port, EMPTY).languages,
            settings=solr_site(port, EMPTY).settings,
        )
        backend = make_backend(solr_site(solr_server.port, EMPTY), other, timeout=TIMEOUT)
        evidence = ask(backend)
    assert (evidence.backend, evidence.attempts[0].reason) == ("spare", "timeout")


# --- a real Solr -------------------------------------------------------------------------------


def test_the_core_is_missing(make_backend: MakeBackend, solr_server: Solr) -> None:
    assert reason(make_backend, solr_site(solr_server.port, "nowhere")) == "core missing"


def test_the_core_cannot_be_loaded(make_backend: MakeBackend, solr_server: Solr) -> None:
    assert reason(make_backend, solr_site(solr_server.port, BROKEN)) == "status 500"


def test_the_access_filter_is_not_installed(make_backend: MakeBackend, solr_server: Solr) -> None:
    assert reason(make_backend, solr_site(solr_server.port, NO_FILTER)) == "status 400"


def test_it_is_asked_to_sort_by_an_unknown_parser(
    make_backend: MakeBackend, solr_server: Solr
) -> None:
    site = solr_site(solr_server.port, EMPTY)
    assert reason(make_backend, site, filter_queries="{!nope}x") == "status 400"


def test_it_speaks_no_tls(make_backend: MakeBackend, solr_server: Solr) -> None:
    assert reason(make_backend, solr_site(solr_server.port, EMPTY, scheme="https")) in (
        "unreachable",
        "connection broken",
    )


@pytest.mark.parametrize(
    "account",
    [None, Account(username=READER.username, password="wrong"), STRANGER],
    ids=["no credentials", "401", "403"],
)
def test_the_credentials_are_refused(
    make_backend: MakeBackend, guarded_solr_server: Solr, account: Account | None
) -> None:
    keys = {"username": account.username, "password": account.password} if account else {}
    site = solr_site(guarded_solr_server.port, "core_en", **keys)
    assert reason(make_backend, site) == "credentials refused"
