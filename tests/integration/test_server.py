"""The local server over real HTTP: every route of template.yaml, on the demo site."""

import http.client
import json
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.bootstrap import token_keys
from typo3_retrieval.edge import tokens
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.demo.server import running

BULKY_WASTE = "When is bulky waste collected?"
SWIMMING_POOL = "Will the outdoor swimming pool be closed?"  # only hidden pages tell


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def is_problem(self) -> bool:
        return (
            self.headers["content-type"].startswith("application/problem+json")
            and {"type", "title", "status", "detail", "request_id"} <= set(self.json)
            and self.json["status"] == self.status
            and bool(self.json["request_id"])
        )


class Client:
    """A client with a token. Each call has a connection of its own unless *keep* says no."""

    def __init__(self, url: str, token: str | None, *, keep: bool = False) -> None:
        self.token = token
        self.keep = keep
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)

    def call(
        self, method: str, path: str, body: bytes | Iterable[bytes] | None = None, **headers: str
    ) -> Answer:
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        self.connection.request(method, path, body=body, headers=headers)
        response = self.connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(status=response.status, headers=found, body=response.read())
        if not self.keep:
            self.connection.close()
        return answer

    def post(self, path: str, request: object, **headers: str) -> Answer:
        return self.call("POST", path, json.dumps(request).encode(), **headers)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def environment(folder: Path) -> dict[str, str]:
    return site.create(folder)


@pytest.fixture(scope="module")
def url(environment: dict[str, str], folder: Path) -> Iterator[str]:
    with running(environment, log=folder / "server.log") as (url, _):
        yield url


def minted(
    environment: Mapping[str, str], user: int = site.EDITOR, *, age: int = 0, ttl: int = 600
) -> str:
    now = int(time.time()) - age
    keys = token_keys(Settings.from_environment(environment), Secrets(now=lambda: now))
    return tokens.mint(user, keys, now=now, ttl=ttl)


@pytest.fixture(scope="module")
def client(url: str, environment: dict[str, str]) -> Client:
    return Client(url, minted(environment))


# --- the routes ------------------------------------------------------------------------------


def test_a_question_is_answered_with_a_cited_page(client: Client) -> None:
    answer = client.post("/query", {"question": BULKY_WASTE})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["backend"] == "database"
    assert answer.json["sources"][0]["url"] == (
        "https://www.lindenau.example/citizen-services/waste-collection"
    )


def test_a_german_question_cites_the_german_page(client: Client) -> None:
    answer = client.post("/query", {"question": "Was kostet ein Reisepass?", "language": "de"})

    first = answer.json["sources"][0]
    assert first["language"] == "de"
    assert first["url"] == (
        "https://www.lindenau.example/de/buergerservice/reisepass-und-personalausweis"
    )


def test_the_best_source_can_be_read_in_full(client: Client) -> None:
    best = client.post("/query", {"question": BULKY_WASTE}).json["sources"][0]

    answer = client.post("/fetch-source", {"source_id": best["source_id"]})

    assert answer.status == 200
    assert answer.json["url"] == best["url"]
    assert "no plastic bags" in answer.json["text"]
    assert answer.json["next_offset"] is None


def test_keywords_find_hits(client: Client) -> None:
    answer = client.post("/keyword-search", {"query": "semester ticket", "limit": 1})

    assert [hit["page_uid"] for hit in answer.json["hits"]] == [13]
    assert answer.json["available"] is True


@pytest.mark.parametrize(("index_backed", "available"), [("true", False), ("false", True)])
def test_availability_tells_indexes_from_tables(
    client: Client, index_backed: str, available: bool
) -> None:
    answer = client.call("GET", f"/keyword-search/availability?index_backed={index_backed}")

    assert answer.json == {"available": available}


def test_health(client: Client) -> None:
    assert client.call("GET", "/health").json["status"] == "ok"


def test_text_is_for_those_who_accept_it(client: Client) -> None:
    answer = client.post("/query", {"question": BULKY_WASTE}, Accept="text/plain")

    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.body.decode().startswith(f'Evidence for "{BULKY_WASTE}" (backend: database, ')


def test_a_connection_is_kept(url: str, environment: dict[str, str]) -> None:
    client = Client(url, minted(environment), keep=True)
    with closing(client.connection):
        client.call("GET", "/health")
        kept = client.connection.sock

        client.post("/query", {"question": "x"})  # an error answer ends no connection either

        assert client.call("GET", "/health").status == 200
        assert client.connection.sock is kept


# --- what nobody may see ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "question", [SWIMMING_POOL, "budget draft", "Haushaltsentwurf", "holiday request personnel"]
)
def test_hidden_and_restricted_pages_are_in_no_answer(client: Client, question: str) -> None:
    answer = client.post("/query", {"question": question, "max_sources": 20})

    assert answer.json["degraded"] is False
    assert not {source["page_uid"] for source in answer.json["sources"]} & {40, 41, 42, 43}


def test_a_hidden_element_is_in_no_text(client: Client) -> None:
    answer = client.post("/fetch-source", {"source_id": "database:3:0"})

    assert "25 euros" not in answer.json["text"]


@pytest.mark.parametrize("page", [31, 32, 40, 41, 42, 43, 44, 9999])
def test_why_a_source_is_not_there_is_never_told(client: Client, page: int) -> None:
    answer = client.post("/fetch-source", {"source_id": f"database:{page}:0"})

    assert answer.status == 404
    assert answer.is_problem
    assert answer.json["detail"] == "Source not found or not permitted."


# --- who may ask -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/query"),
        ("POST", "/fetch-source"),
        ("POST", "/keyword-search"),
        ("GET", "/keyword-search/availability"),
        ("GET", "/health"),
    ],
)
def test_every_route_needs_a_token(url: str, method: str, path: str) -> None:
    answer = Client(url, None).call(method, path, b"{}" if method == "POST" else None)

    assert answer.status == 401
    assert answer.is_problem
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("header", ["Bearer nonsense", "Basic YTpi", "Bearer", "bearer a.b.c"])
def test_an_invalid_token_is_401(url: str, header: str) -> None:
    answer = Client(url, None).call("GET", "/health", Authorization=header)

    assert answer.status == 401
    assert answer.is_problem


def test_a_token_of_another_key_is_401(url: str, tmp_path: Path) -> None:
    stranger = minted(site.create(tmp_path))

    assert Client(url, stranger).call("GET", "/health").status == 401


def test_an_expired_token_is_401(url: str, environment: dict[str, str]) -> None:
    expired = minted(environment, age=3600, ttl=60)

    assert Client(url, expired).call("GET", "/health").status == 401


@pytest.mark.parametrize("user", [site.DISABLED_EDITOR, site.FORMER_EDITOR, 9999])
def test_a_user_who_is_not_active_is_403(url: str, environment: dict[str, str], user: int) -> None:
    answer = Client(url, minted(environment, user)).call("GET", "/health")

    assert answer.status == 403
    assert answer.is_problem


def test_a_user_who_is_switched_off_loses_access(
    url: str, environment: dict[str, str], folder: Path
) -> None:
    with closing(sqlite3.connect(folder / "typo3.sqlite")) as connection, connection:
        connection.execute("INSERT INTO be_users (uid, username, disable) VALUES (20, 'a', 1)")
        token = minted(environment, 20)
        connection.commit()

        assert Client(url, token).call("GET", "/health").status == 403


# --- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "body"),
        (b'{"question": "a', "JSON"),
        (b"[]", ""),
        (b'{"question": 5}', "question"),
        (b'{"question": null}', "question"),
        (b"{}", "question"),
        (b'{"question": "waste", "maxSources": 3}', "maxSources"),
        (b'{"question": "waste", "max_sources": "3"}', "max_sources"),
        (b'{"question": "a"}', "Question too short (minimum 2 characters)."),
        (b'{"question": " a "}', "Question too short (minimum 2 characters)."),
        (b'{"question": "waste", "site": "atlantis"}', "lindenau"),
        (b'{"question": "waste", "language": "xx"}', "de"),
        (b'{"question": "waste", "language": 9}', "0"),
        (b'{"question": "\xff"}', "UTF-8"),
    ],
)
def test_bad_input_is_400_and_says_what_is_wrong(client: Client, body: bytes, named: str) -> None:
    answer = client.call("POST", "/query", body)

    assert answer.status == 400
    assert answer.is_problem
    assert named in answer.json["detail"]


def test_a_long_question_is_cut_with_a_note(client: Client) -> None:
    answer = client.post("/query", {"question": f"{BULKY_WASTE} {'x' * 300}"})

    assert answer.status == 200
    assert any("200" in note for note in answer.json["notes"])


@pytest.mark.parametrize("source_id", ["", "database", "database:3:0\n", "../etc", "a" * 300])
def test_an_id_outside_its_grammar_is_400(client: Client, source_id: str) -> None:
    answer = client.post("/fetch-source", {"source_id": source_id})

    assert answer.status == 400
    assert answer.json["detail"] == "Invalid source_id."


@pytest.mark.parametrize(
    "request_", [{}, {"query": ""}, {"query": "bridge", "limit": -5}, {"query": "bridge", "x": 1}]
)
def test_a_keyword_search_refuses_nothing(client: Client, request_: dict[str, Any]) -> None:
    assert client.post("/keyword-search", request_).status == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/nowhere"), ("GET", "/query"), ("DELETE", "/health"), ("POST", "/")],
)
def test_an_unknown_route_is_a_problem(client: Client, method: str, path: str) -> None:
    answer = client.call(method, path)

    assert answer.status in (403, 404)
    assert answer.is_problem


def test_a_body_over_ten_megabytes_is_413(url: str, environment: dict[str, str]) -> None:
    client = Client(url, minted(environment))

    answer = client.call("POST", "/query", b" " * (10 * 1024 * 1024 + 1))

    assert answer.status == 413
    assert answer.is_problem


def test_a_body_may_come_in_chunks(url: str, environment: dict[str, str]) -> None:
    client = Client(url, minted(environment))
    chunks = [b'{"query": ', b'"bridge"}']

    answer = client.call("POST", "/keyword-search", iter(chunks))

    assert answer.json["hits"][0]["page_uid"] == 30


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: -1",
        b"Content-Length: 1_0",
        b"Content-Length: many",
        b"Transfer-Encoding: gzip",
        b"Transfer-Encoding: chunked\r\n\r\nzz",
    ],
)
def test_a_length_that_is_none_is_400(url: str, head: bytes) -> None:
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(b"POST /query HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n")

        answer = connection.recv(1000)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"connection: close" in answer


# --- the page --------------------------------------------------------------------------------


def test_the_page_needs_no_token_and_holds_none(url: str) -> None:
    answer = Client(url, None).call("GET", "/")

    page = answer.body.decode()
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert '<option value="lindenau">' in page
    assert '<option value="de">' in page
    assert '<input id="token" type="password"' in page
    assert 'value=""' in page


def test_the_page_loads_nothing_from_elsewhere(url: str) -> None:
    answer = Client(url, None).call("GET", "/")

    policy = answer.headers["content-security-policy"]
    nonce = policy.partition("script-src 'nonce-")[2].partition("'")[0]
    page = answer.body.decode()
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert page.count(f'nonce="{nonce}"') == 2
    assert "http://" not in page.replace("https?:", "")
    assert "//www." not in page


def test_the_page_is_refused_under_a_foreign_name(url: str) -> None:
    assert Client(url, None).call("GET", "/", Host="attacker.example").status == 421


def test_a_demo_token_is_put_into_the_page(environment: dict[str, str], tmp_path: Path) -> None:
    with running(environment, f"--demo-token={site.EDITOR}", log=tmp_path / "server.log") as (
        url,
        _,
    ):
        page = Client(url, None).call("GET", "/").body.decode()
        token = page.partition('spellcheck="false"')[2].partition('value="')[2].partition('"')[0]

        assert Client(url, token).call("GET", "/health").status == 200
