"""The wire: credentials, one kept client, one deadline, cool-down, and a name for each failure."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.unit.backends.solr.fakes import NOW, FakeSolr, answer, page
from typo3_retrieval.backends.solr.client import MAX_IDLE, SolrClient
from typo3_retrieval.backends.solr.endpoints import Endpoint
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.backends.solr.request import SolrRequest
from typo3_retrieval.core.errors import BackendError, ConfigurationError
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.plugin import BackendProtocolError, BackendUnavailable

EN = Endpoint(scheme="http", host="solr.internal", port=8983, path="", core="core_en")
DE = Endpoint(scheme="http", host="solr.internal", port=8983, path="", core="core_de")
REQUEST = SolrRequest(parameters={"q": "waste"}, filters=(), rows=1)
READER = Credentials(username="reader", password="pässword")
READERS_HEADER = "Basic cmVhZGVyOnDDpHNzd29yZA=="  # reader:pässword in UTF-8


@dataclass
class Wire:
    """A client over a fake Solr, with a clock to turn."""

    solr: FakeSolr = field(default_factory=FakeSolr)
    now: int = NOW
    options: SolrOptions = field(default_factory=SolrOptions)
    secret: Callable[[bool], Mapping[str, object]] | None = None

    def __post_init__(self) -> None:
        self.client = SolrClient(
            options=self.options, now=lambda: self.now, secret=self.secret, http=self.solr.client
        )

    def ask(self, *endpoints: Endpoint, seconds: float = 5) -> list[list[int]]:
        """The uids that each core answers."""
        questions = [(endpoint, REQUEST) for endpoint in endpoints or (EN,)]
        answers = self.client.ask(questions, deadline=time.monotonic() + seconds)
        return [[document.uid for document in each] for each in answers]


def failing(with_: Any) -> Wire:
    return Wire(FakeSolr({"core_en": with_, "core_de": answer(page())}))


def reason(wire: Wire, *endpoints: Endpoint) -> str:
    with pytest.raises(BackendError) as raised:
        wire.ask(*endpoints)
    return raised.value.reason


# --- what is sent ------------------------------------------------------------------------------


def test_a_question_is_posted_as_a_form() -> None:
    wire = Wire()
    assert wire.ask() == [[3]]
    (request,) = wire.solr.requests
    assert str(request.url) == "http://solr.internal:8983/solr/core_en/select"
    assert request.method == "POST"
    assert wire.solr.forms[0]["fq"][0] == "{!typo3access}0,-1"


def test_one_client_is_kept() -> None:
    wire = Wire()
    for _ in range(3):
        wire.ask()
    assert (wire.solr.clients, len(wire.solr.requests)) == (1, 3)


def test_after_a_long_pause_the_connections_are_new() -> None:
    wire = Wire()
    wire.ask()
    wire.now += MAX_IDLE + 1
    wire.ask()
    assert wire.solr.clients == 2


def test_without_credentials_there_is_no_header() -> None:
    wire = Wire()
    wire.ask()
    assert "authorization" not in wire.solr.requests[0].headers


# --- credentials -------------------------------------------------------------------------------


@dataclass
class Rotated:
    """A secret whose remembered copy is old."""

    reads: list[bool] = field(default_factory=list)
    fresh: str = "pässword"

    def __call__(self, refresh: bool) -> Mapping[str, object]:
        self.reads.append(refresh)
        return {"username": "reader", "password": self.fresh if refresh else "old"}


def guarded(request: httpx.Request) -> Any:
    if request.headers.get("authorization") == READERS_HEADER:
        return answer(page())
    return httpx.Response(401, text="<html>Bad credentials</html>")


def test_credentials_go_into_the_header_and_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wire = failing(guarded)
    endpoint = Endpoint(
        scheme="http", host="solr.internal", port=8983, path="", core="core_en", credentials=READER
    )
    assert wire.ask(endpoint) == [[3]]
    (request,) = wire.solr.requests
    assert request.headers["authorization"] == READERS_HEADER
    for text in (str(request.url), request.content.decode(), caplog.text):
        assert "pässword" not in text
        assert "reader" not in text


def test_the_secret_comes_before_the_configurations_keys() -> None:
    wire = failing(guarded)
    wire.secret = lambda _: {"username": "reader", "password": "pässword"}
    wire.__post_init__()
    keys = Credentials(username="someone", password="else")
    endpoint = Endpoint(
        scheme="http", host="solr.internal", port=8983, path="", core="core_en", credentials=keys
    )
    assert wire.ask(endpoint) == [[3]]


def test_a_refused_secret_is_read_anew_once() -> None:
    secret = Rotated()
    wire = Wire(FakeSolr({"core_en": guarded}), secret=secret)
    assert wire.ask() == [[3]]
    assert secret.reads == [False, True]


@pytest.mark.parametrize("status", [401, 403])
def test_a_secret_that_is_refused_twice_is_the_end(status: int) -> None:
    secret = Rotated(fresh="wrong")
    wire = Wire(FakeSolr({"core_en": httpx.Response(status)}), secret=secret)
    assert reason(wire) == "credentials refused"
    assert secret.reads == [False, True]
    assert len(wire.solr.requests) == 2


@pytest.mark.parametrize(
    "secret", [{"username": "reader"}, {"password": "x"}, {"username": "", "password": "x"}]
)
def test_half_a_secret_is_told_without_its_value(secret: Mapping[str, object]) -> None:
    wire = Wire(secret=lambda _: secret)
    with pytest.raises(BackendUnavailable, match="RETRIEVAL_SOLR_SECRET") as raised:
        wire.ask()
    assert raised.value.reason == "no credentials"
    assert not wire.solr.requests


def test_an_unreadable_secret_is_a_failure_of_this_backend() -> None:
    def denied(_: bool) -> Mapping[str, object]:
        raise ConfigurationError("RETRIEVAL_SOLR_SECRET: access denied")

    assert reason(Wire(secret=denied)) == "no credentials"


# --- failures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), "unreachable"),
        (httpx.ConnectError("[Errno -2] Name or service not known"), "unreachable"),
        (httpx.ConnectTimeout("timed out"), "timeout"),
        (httpx.ReadTimeout("timed out"), "timeout"),
        (httpx.ReadError("reset"), "connection broken"),
        (httpx.RemoteProtocolError("illegal status line"), "connection broken"),
        (httpx.InvalidURL("URL too long"), "protocol error"),
        (httpx.DecodingError("not gzip"), "protocol error"),
        (RuntimeError("the client has been closed"), "connection broken"),
        (httpx.Response(302, headers={"location": "http://169.254.169.254/"}), "redirect"),
        (httpx.Response(400, json={"error": {}}), "status 400"),
        (httpx.Response(401), "credentials refused"),
        (httpx.Response(403), "credentials refused"),
        (httpx.Response(404), "core missing"),
        (httpx.Response(405), "core missing"),
        (httpx.Response(418), "status 418"),
        (httpx.Response(500), "status 500"),
        (httpx.Response(503), "status 503"),
        (httpx.Response(200, text="<html>Welcome</html>"), "no JSON"),
        (httpx.Response(200, text=""), "no JSON"),
        (httpx.Response(200, json={"responseHeader": {"status": 0}}), "protocol error"),
        (httpx.Response(200, json={"error": {"code": 500}}), "error in answer"),
    ],
)
def test_every_failure_raises_with_a_short_reason(failure: Any, expected: str) -> None:
    assert reason(failing(failure)) == expected


def test_a_redirect_is_not_followed() -> None:
    wire = failing(httpx.Response(302, headers={"location": "http://169.254.169.254/"}))
    reason(wire)
    assert len(wire.solr.requests) == 1


def test_an_error_of_ours_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    reason(failing(httpx.Response(400)))
    assert "request wrong" in caplog.text


def test_one_failing_core_fails_the_answer() -> None:
    wire = failing(httpx.Response(500))
    assert reason(wire, DE, EN) == "status 500"


# --- time --------------------------------------------------------------------------------------


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Lets hanging answers go at the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def test_all_cores_share_one_deadline(released: threading.Event) -> None:
    wire = failing(lambda _: released.wait(20) and answer())
    started = time.monotonic()
    with pytest.raises(BackendUnavailable) as raised:
        wire.ask(DE, EN, seconds=0.2)
    assert raised.value.reason == "timeout"
    assert time.monotonic() - started < 2


def test_after_a_missed_deadline_the_connections_are_new(released: threading.Event) -> None:
    wire = failing(lambda _: released.wait(20) and answer())
    with pytest.raises(BackendUnavailable):
        wire.ask(EN, seconds=0.2)
    assert wire.ask(DE) == [[3]]
    assert wire.solr.clients == 2


def test_cores_are_asked_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=5)  # passes only when two requests are under way

    def meet(_: httpx.Request) -> Any:
        both.wait()
        return answer(page())

    wire = Wire(FakeSolr({"core_en": meet, "core_de": meet}))
    assert wire.ask(EN, DE) == [[3], [3]]


@pytest.mark.parametrize(
    "down",
    [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.Response(503)],
)
def test_a_core_that_is_down_is_left_alone_for_a_while(down: Any) -> None:
    wire = failing(down)
    reason(wire)
    assert reason(wire) == "cooling down"
    assert len(wire.solr.requests) == 1
    wire.now += wire.options.cool_down
    wire.solr.cores["core_en"] = answer(page())
    assert wire.ask() == [[3]]


def test_another_core_is_asked_meanwhile() -> None:
    wire = failing(httpx.Response(503))
    reason(wire)
    assert wire.ask(DE) == [[3]]


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_failure_that_a_question_may_have_caused_does_not_stop_others(status: int) -> None:
    wire = failing(httpx.Response(status))
    reason(wire)
    reason(wire)
    assert len(wire.solr.requests) == 2


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("typo3_retrieval.backends.solr.client.MAX_ANSWER", 1000)
    wire = failing(httpx.Response(200, content=b" " * 5000))
    with pytest.raises(BackendProtocolError):
        wire.ask()
