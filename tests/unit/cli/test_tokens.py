"""token mint and token check."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.cli.running import run
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.system import System

NOW = 1_800_000_000


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return site.create(tmp_path)


@pytest.fixture
def system(environment: dict[str, str]) -> System:
    return System(environment=environment, now=lambda: NOW)


def test_the_token_stands_alone_on_stdout_and_is_valid(system: System) -> None:
    minted = run(system, "token", "mint", "--user", "10", "--ttl", "15m")

    checked = run(system, "token", "check", minted.stdout.strip(), "--json")

    assert len(minted.stdout.split()) == 1
    assert json.loads(checked.stdout) == {
        "valid": True,
        "user": "10",
        "issued": "2027-01-15T08:00:00Z",
        "expires": "2027-01-15T08:15:00Z",
        "key": "demo",
    }


def test_a_token_may_come_by_stdin(system: System) -> None:
    minted = run(system, "token", "mint", "--user", "10")

    result = run(system, "token", "check", "-", raw=b"Bearer " + minted.stdout_bytes)

    assert result.exit_code == 0


def test_an_expired_token_is_a_failure(system: System, environment: dict[str, str]) -> None:
    minted = run(system, "token", "mint", "--user", "10", "--ttl", "90s")
    later = System(environment=environment, now=lambda: NOW + 3600)

    result = run(later, "token", "check", minted.stdout.strip(), "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"error": "The token is not valid: expired."}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--user", "0"),
        ("--user", "editor"),
        ("--user", "10", "--ttl", "soon"),
        ("--user", "10", "--ttl", "0"),
        ("--user", "10", "--ttl", "13h"),
        (),
    ],
)
def test_wrong_usage_is_status_2(system: System, arguments: Sequence[str]) -> None:
    result = run(system, "token", "mint", *arguments)

    assert result.exit_code == 2
    assert result.stdout == ""


def test_without_keys_the_variable_is_named() -> None:
    result = run(System(environment={}), "token", "mint", "--user", "10")

    assert result.exit_code == 2
    assert "RETRIEVAL_TOKEN_SECRET" in result.stderr
