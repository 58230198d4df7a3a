"""token new-key and token public-keys."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.running import run
from typo3_retrieval.core.secrets import TokenKeys
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.system import System

NOW = 1_800_000_000
ID = "2027-01-15-080000"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return site.create(tmp_path)


@pytest.fixture
def system(environment: dict[str, str]) -> System:
    return System(environment=environment, now=lambda: NOW)


def content(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_a_new_secret_is_what_the_authorizer_reads(system: System) -> None:
    made = [json.loads(run(system, "token", "new-key").stdout) for _again in range(2)]

    assert [TokenKeys.of(each, "S").active for each in made] == [ID, ID]
    assert made[0]["keys"][ID] != made[1]["keys"][ID]


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_a_new_key_pair_signs_and_its_public_part_verifies(
    tmp_path: Path, environment: dict[str, str], algorithm: str
) -> None:
    signing, verifying = tmp_path / "signing.json", tmp_path / "verifying.json"
    environment |= {"RETRIEVAL_TOKEN_ALGORITHM": algorithm}
    signing.write_text(run(System({}), "token", "new-key", "--algorithm", algorithm).stdout)
    private = System(environment | {"RETRIEVAL_TOKEN_SECRET": signing.as_uri()}, now=lambda: NOW)
    public = System(environment | {"RETRIEVAL_TOKEN_SECRET": verifying.as_uri()}, now=lambda: NOW)

    verifying.write_text(run(private, "token", "public-keys").stdout)
    minted = run(private, "token", "mint", "--user", "10").stdout.strip()

    assert run(public, "token", "check", minted).exit_code == 0
    assert set(content(verifying)["keys"][0]) <= {"kty", "crv", "x", "y", "n", "e"} | {
        *("kid", "use", "alg")
    }
    refused = run(public, "token", "mint", "--user", "10")
    assert refused.exit_code == 2
    assert "only verify" in refused.stderr


def test_a_shared_key_has_no_public_part(system: System) -> None:
    assert run(system, "token", "public-keys").exit_code == 1


def test_a_file_gets_a_key_that_signs_and_keeps_those_that_verify(
    system: System, tmp_path: Path
) -> None:
    path = tmp_path / "token-secret.json"
    before = content(path)
    old = run(system, "token", "mint", "--user", "10").stdout.strip()

    made = run(system, "token", "new-key", "--add-to", str(path), "--id", "next")
    new = run(system, "token", "mint", "--user", "10").stdout.strip()

    assert made.stdout == "next\n"
    assert content(path)["keys"].items() > before["keys"].items()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.glob("*token-secret*")] == [path.name]
    for token, kid in ((old, "demo"), (new, "next")):
        checked = json.loads(run(system, "token", "check", token, "--json").stdout)
        assert checked["key"] == kid
    assert not [key for key in content(path)["keys"].values() if key in made.output]


def test_a_key_whose_tokens_have_run_out_is_dropped(system: System, tmp_path: Path) -> None:
    path = tmp_path / "token-secret.json"
    old = run(system, "token", "mint", "--user", "10").stdout.strip()

    run(system, "token", "new-key", "--add-to", str(path), "--id", "next", "--drop", "demo")

    assert content(path)["keys"].keys() == {"next"}
    assert run(system, "token", "check", old).exit_code == 1


def test_a_secret_may_come_by_stdin_and_goes_to_stdout(system: System) -> None:
    made = run(
        system, *("token", "new-key", "--add-to", "-"), raw=b'{"keys": {"a": "x"}, "active": "a"}'
    )

    assert json.loads(made.stdout)["active"] == ID
    assert list(json.loads(made.stdout)["keys"]) == ["a", ID]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--id", "a b"),
        ("--id", "../a"),
        ("--algorithm", "none"),
        ("--add-to", "nowhere.json"),
        ("--add-to", "-"),
    ],
)
def test_wrong_usage_is_status_2(system: System, arguments: tuple[str, ...]) -> None:
    result = run(system, "token", "new-key", *arguments, raw=b"hunter2")

    assert result.exit_code == 2
    assert "hunter2" not in result.output


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"keys": []}', '{"keys": {"next": "x"}}', '{"keys": "hunter2"}']
)
def test_what_cannot_take_the_key_stays_as_it_is(system: System, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)

    result = run(system, "token", "new-key", "--add-to", str(path), "--id", "next")

    assert result.exit_code == 2
    assert path.read_text() == text
    assert "hunter2" not in result.output
