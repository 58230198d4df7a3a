"""Password and token key are changed while requests run, on a real MariaDB: nobody notices."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws
from typer.testing import CliRunner

from tests.integration.served import Answer, Installation, installed, post
from tests.servers.mariadb import HOST, TRUTH_DATABASE, Account, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.core.secrets import Credentials, SecretReference
from typo3_retrieval_cli.main import app

if TYPE_CHECKING:
    from types_boto3_secretsmanager import SecretsManagerClient

ROUNDS = 4  # how often each thing is changed while requests run
PAUSE = 0.4  # seconds between two changes
OLD = Account(username="rotating", password="old-password-of-the-reader")


def cut_off(server: MariaDb, username: str) -> None:
    """End the user's connections, so that the next statement has to log in again."""
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id FROM information_schema.processlist WHERE user = %s", (username,))
        for (number,) in cursor.fetchall():
            cursor.execute(f"KILL {number}")


@pytest.fixture
def installation(truth_mariadb: MariaDb, truth: Path, tmp_path: Path) -> Installation:
    truth_mariadb.create_reader(OLD, TRUTH_DATABASE)
    return installed(truth_mariadb, truth, tmp_path, OLD)


@contextmanager
def asking(url: str, token: Callable[[], str]) -> Iterator[list[Answer]]:
    """Ask without a pause, in two threads, with the token of the moment."""
    answers: list[Answer] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            answers.append(post(url, "/query", {"question": "Abfall"}, token()))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield answers
        time.sleep(PAUSE)
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def failed(answers: list[Answer]) -> list[Answer]:
    """Those that are not what they should be; a search that a backend failed is one."""
    return [each for each in answers if each.status != 200 or each.json["degraded"]]


def test_password_and_token_key_change_while_requests_run(
    installation: Installation, truth_mariadb: MariaDb
) -> None:
    secret = str(installation.token_secret)
    with installation.served() as url, asking(url, installation.token) as answers:
        for number in range(ROUNDS):
            new = Account(username=OLD.username, password=f"new-password-{number}-of-the-reader")
            truth_mariadb.create_reader(new, TRUTH_DATABASE)
            installation.write_database_secret(new)
            cut_off(truth_mariadb, OLD.username)
            time.sleep(PAUSE)
            made = CliRunner().invoke(
                app, ["token", "new-key", "--add-to", secret, "--id", f"key-{number}"]
            )
            assert made.exit_code == 0, made.output
            time.sleep(PAUSE)
    assert len(answers) > ROUNDS
    assert failed(answers) == []


def test_a_token_of_a_new_key_is_accepted_at_once_and_the_old_one_still(
    installation: Installation,
) -> None:
    with installation.served() as url:
        old = installation.token()
        assert post(url, "/query", {"question": "Abfall"}, old).status == 200
        secret = str(installation.token_secret)
        CliRunner().invoke(app, ["token", "new-key", "--add-to", secret, "--id", "newer"])
        for token in (installation.token(), old):
            assert post(url, "/query", {"question": "Abfall"}, token).status == 200


def test_two_users_take_turns(installation: Installation, truth_mariadb: MariaDb) -> None:
    other = Account(username="rotating_2", password="password-of-the-other-reader")
    truth_mariadb.create_reader(other, TRUTH_DATABASE)
    with installation.served() as url, asking(url, installation.token) as answers:
        time.sleep(PAUSE)
        installation.write_database_secret(other)
        truth_mariadb.execute(f"DROP USER '{OLD.username}'@'%'")
        cut_off(truth_mariadb, OLD.username)
        time.sleep(PAUSE)
        truth_mariadb.create_reader(OLD, TRUTH_DATABASE)
        installation.write_database_secret(OLD)
        truth_mariadb.execute(f"ALTER USER '{other.username}'@'%' ACCOUNT LOCK")
        cut_off(truth_mariadb, other.username)
    assert failed(answers) == []


# --- the steps of a rotation in Secrets Manager --------------------------------------------------


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator["SecretsManagerClient"]:
    """An empty Secrets Manager."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        yield boto3.client("secretsmanager")


def document(password: str) -> str:
    return json.dumps({"username": OLD.username, "password": password})


def test_each_step_of_a_rotation_is_survived(
    store: "SecretsManagerClient", truth_mariadb: MariaDb
) -> None:
    truth_mariadb.create_reader(OLD, TRUTH_DATABASE)
    first = store.create_secret(Name="db", SecretString=document(OLD.password))["VersionId"]
    reference = SecretReference(setting="RETRIEVAL_DATABASE_SECRET", reference="db")
    secrets, logins = Secrets(now=lambda: int(time.time())), []

    def credentials(refresh: bool) -> Credentials:
        logins.append(refresh)
        return Credentials.of(secrets.read(reference, max_age=0 if refresh else 300), "S")

    database = MysqlDatabase(
        host=HOST, port=truth_mariadb.port, name=TRUTH_DATABASE, credentials=credentials
    )

    def logged_in_anew() -> int:
        cut_off(truth_mariadb, OLD.username)
        logins.clear()
        assert database.rows("SELECT 1 AS one") == [{"one": 1}]
        return len(logins)

    assert database.rows("SELECT 1 AS one") == [{"one": 1}]
    new = Account(username=OLD.username, password="rotated-password")
    pending = store.put_secret_value(  # createSecret
        SecretId="db", SecretString=document(new.password), VersionStages=["AWSPENDING"]
    )["VersionId"]
    assert logged_in_anew() == 1
    truth_mariadb.create_reader(new, TRUTH_DATABASE)  # setSecret: the current one is refused now
    assert logged_in_anew() == 2
    store.update_secret_version_stage(  # finishSecret
        SecretId="db",
        VersionStage="AWSCURRENT",
        MoveToVersionId=pending,
        RemoveFromVersionId=first,
    )
    assert logged_in_anew() == 1
    database.close()


def test_a_password_that_stays_wrong_is_tried_twice_and_not_told(
    store: "SecretsManagerClient", truth_mariadb: MariaDb
) -> None:
    truth_mariadb.create_reader(OLD, TRUTH_DATABASE)
    logins = []

    def credentials(refresh: bool) -> Credentials:
        logins.append(refresh)
        return Credentials(username=OLD.username, password="wrong-password")

    database = MysqlDatabase(
        host=HOST, port=truth_mariadb.port, name=TRUTH_DATABASE, credentials=credentials
    )
    with pytest.raises(BackendUnavailable, match="access denied") as caught:
        database.rows("SELECT 1")
    assert logins == [False, True]
    assert caught.value.__suppress_context__  # the driver's own message names the user
    assert OLD.username not in str(caught.value)
