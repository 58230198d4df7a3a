"""Authorization headers over the wire: one, of one form, or nobody gets in."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.served import Answer, post
from typo3_retrieval.edge import tokens
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.demo.server import running
from typo3_retrieval_cli.system import System


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return site.create(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def url(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("log") / "server.log"
    with running(environment, log=log) as (url, _process):
        yield url


@pytest.fixture(scope="module")
def token(environment: dict[str, str]) -> str:
    keys = System(environment=environment).token_keys()
    return tokens.mint(site.EDITOR, keys, now=int(time.time()), ttl=600)


def asked(url: str, *given: str, scheme: str = "Bearer") -> Answer:
    return post(url, "/query", {"question": "bulky waste"}, *given, scheme=scheme)


def test_one_token_gets_in(url: str, token: str) -> None:
    assert asked(url, token).status == 200


@pytest.mark.parametrize("given", ["valid forged", "forged valid", "valid valid", "valid none"])
def test_two_headers_are_refused_whichever_is_looked_at(url: str, token: str, given: str) -> None:
    words = {"valid": token, "forged": f"{token[:-4]}AAAA", "none": ""}
    answer = asked(url, *(words[each] for each in given.split()))
    assert answer.status == 401
    assert set(answer.json) == {"type", "title", "status", "detail", "request_id"}


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Basic", "Token", "Bearer Bearer", ""])
def test_another_scheme_is_refused(url: str, token: str, scheme: str) -> None:
    assert asked(url, token, scheme=scheme).status == 401


def test_a_header_of_more_than_eight_kilobytes_is_refused(url: str, token: str) -> None:
    longest = tokens.MAX_BYTES - len("Bearer ")
    for length in (longest, longest + 1, 2 * longest):
        assert asked(url, token.ljust(length, "A")).status == 401


def test_a_sample_of_changed_tokens_gets_nobody_in(url: str, token: str) -> None:
    # Each byte changed to each other one: tests/unit/edge/test_tokens.py.
    statuses = {
        asked(url, token[:place] + chr(ord(token[place]) ^ 1) + token[place + 1 :]).status
        for place in range(0, len(token), 7)
    }
    assert statuses == {401}


def test_a_database_that_is_away_is_503_and_nobody_gets_in(
    environment: dict[str, str], token: str, tmp_path: Path
) -> None:
    secret = tmp_path / "database.json"
    secret.write_text(json.dumps({"username": "reader", "password": "hunter2"}))
    away = {
        "RETRIEVAL_DATABASE_URL": "mysql://127.0.0.1:1/typo3",
        "RETRIEVAL_DATABASE_SECRET": secret.as_uri(),
    }
    with contextlib.ExitStack() as stack:
        url, _process = stack.enter_context(running(environment | away, log=tmp_path / "log"))
        answer = asked(url, token)
    assert answer.status == 503
    assert answer.json["detail"] == "Who calls cannot be found out now; try again later."
