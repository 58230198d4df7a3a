"""No secret in any log: a run with everything in it, at the most talkative level."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.integration.served import EDITOR, Installation, installed, post
from tests.servers.mariadb import TRUTH_DATABASE, Account, MariaDb

READER = Account(username="logged_reader_user", password="logged-password-of-the-reader")
ROTATED = Account(username=READER.username, password="logged-password-after-rotation")
QUESTION = "Sperrmüllabholung Zauberlehrling"  # searched for, and in no log above DEBUG


@pytest.fixture
def installation(truth_mariadb: MariaDb, truth: Path, tmp_path: Path) -> Installation:
    truth_mariadb.create_reader(READER, TRUTH_DATABASE)
    return installed(truth_mariadb, truth, tmp_path, READER)


def secrets_of(installation: Installation) -> Iterable[str]:
    """Every secret in use: passwords, users' names, keys."""
    yield from (*installation.passwords, READER.username)
    yield json.loads((installation.folder / "typo3.json").read_text())["encryption_key"]
    yield from json.loads(installation.token_secret.read_text())["keys"].values()


def parts(token: str) -> Iterable[str]:
    """A token's parts; its header, which says nothing, and its claims are parts of it, too."""
    yield token
    yield from token.split(".")


@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
def test_no_secret_is_in_any_log(
    installation: Installation, truth_mariadb: MariaDb, level: str
) -> None:
    good, inactive = installation.token(), installation.token(11)
    forged = f"{good[:-4]}AAAA"
    environment = {"POWERTOOLS_LOG_LEVEL": level, "POWERTOOLS_LOGGER_LOG_EVENT": "true"}
    statuses = []
    with installation.served(**environment) as url:

        def ask(*tokens: str, path: str = "/query", scheme: str = "Bearer", **fields: str) -> None:
            answer = post(url, path, fields or {"question": QUESTION}, *tokens, scheme=scheme)
            statuses.append(answer.status)

        ask(good)
        ask(good, path="/fetch-source", source_id="database:1:0")
        ask(good, path="/fetch-source", source_id=good[:150])
        ask(good, path="/keyword-search", query=QUESTION)
        ask(good, question=QUESTION, secret=good)
        for wrong in (forged, "", f"{good}.{good}", f"{good} {good}", "a" * 9000, f"{good}\t"):
            ask(wrong)
        ask(good, forged)
        ask(forged, good)
        ask(good, good)
        ask()
        ask(good, scheme="bearer")
        ask(good, scheme="Basic")
        ask(inactive)
        truth_mariadb.create_reader(ROTATED, TRUTH_DATABASE)  # the secret does not know it yet
        _cut_off(truth_mariadb)
        ask(good)
        ask(installation.token(EDITOR + 1))
        installation.write_database_secret(ROTATED)
        ask(good)
        new_key = _cli(installation, "token", "new-key", "--add-to", str(installation.token_secret))
        ask(installation.token())
    assert set(statuses) == {200, 400, 401, 403, 503}
    command_lines = [
        new_key,
        _cli(installation, "-v", "ask", QUESTION),
        _cli(installation, "-v", "token", "check", forged),
        _cli(installation, "-v", "token", "check", good),
    ]
    log = installation.log.read_text("utf-8", "replace")
    written = log + "".join(done.stderr for done in command_lines)
    assert "token verified" in written
    assert "token refused" in written
    assert "caller not checked" in written
    assert "access denied" in written
    tokens = [part for token in (good, inactive, forged) for part in parts(token)]
    found = [each for each in (*secrets_of(installation), *tokens) if each in written]
    assert found == []
    if level != "DEBUG":
        assert QUESTION not in log


def _cut_off(server: MariaDb) -> None:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM information_schema.processlist WHERE user = %s", (READER.username,)
        )
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")


def _cli(installation: Installation, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "typo3_retrieval_cli", *arguments],
        env={**os.environ, **installation.environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
