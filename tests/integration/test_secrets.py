"""Secrets from files, the extension, and a Secrets Manager that moto plays."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from moto import mock_aws

from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.core.errors import BackendUnavailable, ConfigurationError
from typo3_retrieval.core.secrets import (
    ANEW,
    REFUSED,
    Credentials,
    DatabaseAddress,
    SecretReference,
    TokenKeys,
    encryption_key,
)

if TYPE_CHECKING:
    from types_boto3_secretsmanager import SecretsManagerClient

SETTING = "RETRIEVAL_DATABASE_SECRET"
RDS = {
    "engine": "mariadb",
    "host": "db.internal",
    "port": 3306,
    "dbname": "typo3",
    "username": "reader",
    "password": "hunter2",
}


class Clock:
    """A time that tests move."""

    now = 1796031600

    def __call__(self) -> int:
        return self.now


def reference(text: str) -> SecretReference:
    return SecretReference(setting=SETTING, reference=text)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator["SecretsManagerClient"]:
    """An empty Secrets Manager."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    with mock_aws():
        yield boto3.client("secretsmanager")


def test_a_secret_is_read_by_name_and_by_arn(store: "SecretsManagerClient") -> None:
    arn = store.create_secret(Name="typo3/database", SecretString=json.dumps(RDS))["ARN"]
    secrets = Secrets(now=Clock())
    assert secrets.read(reference("typo3/database")) == RDS
    assert secrets.read(reference(arn)) == RDS


def test_the_arn_tells_the_region(store: "SecretsManagerClient") -> None:
    elsewhere = boto3.client("secretsmanager", region_name="eu-west-1")
    arn = elsewhere.create_secret(Name="there", SecretString=json.dumps(RDS))["ARN"]
    assert Secrets(now=Clock()).read(reference(arn)) == RDS


def test_a_secret_is_remembered_until_it_is_too_old(store: "SecretsManagerClient") -> None:
    store.create_secret(Name="typo3/database", SecretString='{"password": "old"}')
    clock = Clock()
    secrets = Secrets(now=clock)
    secret = reference("typo3/database")
    assert secrets.read(secret) == {"password": "old"}
    store.put_secret_value(SecretId="typo3/database", SecretString='{"password": "new"}')
    clock.now += 299
    assert secrets.read(secret) == {"password": "old"}
    clock.now += 1
    assert secrets.read(secret) == {"password": "new"}


def test_a_rotated_secret_is_read_at_once_when_that_is_forced(
    store: "SecretsManagerClient",
) -> None:
    store.create_secret(Name="typo3/database", SecretString='{"password": "old"}')
    secrets = Secrets(now=Clock())
    secret = reference("typo3/database")
    secrets.read(secret)
    store.put_secret_value(SecretId="typo3/database", SecretString='{"password": "new"}')
    assert secrets.read(secret) == {"password": "old"}
    assert secrets.read(secret, max_age=REFUSED) == {"password": "new"}
    assert secrets.read(secret) == {"password": "new"}


@pytest.mark.parametrize("text", ["hunter2", '"hunter2"', '["hunter2"]', "{hunter2", ""])
def test_what_is_no_json_object_is_refused_and_not_repeated(
    store: "SecretsManagerClient", text: str
) -> None:
    store.create_secret(Name="typo3/database", SecretString=text or " ")
    with pytest.raises(ConfigurationError, match=SETTING) as caught:
        Secrets(now=Clock()).read(reference("typo3/database"))
    assert caught.value.__context__ is None
    assert "hunter2" not in repr(caught.value)


def test_a_binary_secret_is_refused(store: "SecretsManagerClient") -> None:
    store.create_secret(Name="typo3/database", SecretBinary=b"{}")
    with pytest.raises(ConfigurationError, match=SETTING):
        Secrets(now=Clock()).read(reference("typo3/database"))


def test_a_secret_that_is_not_there_is_the_operators_fault(
    store: "SecretsManagerClient",
) -> None:
    with pytest.raises(ConfigurationError, match=f"{SETTING}.*ResourceNotFoundException"):
        Secrets(now=Clock()).read(reference("typo3/database"))


class Refusing:
    """A client whose store answers with an error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def get_secret_value(self, **_: str) -> None:
        raise self._error


def refusing(error: Exception) -> Secrets:
    return Secrets(now=Clock(), client=lambda _: Refusing(error))  # type: ignore[arg-type, return-value]  # one method is enough


def test_a_denied_secret_is_the_operators_fault() -> None:
    denied = ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetSecretValue")
    with pytest.raises(ConfigurationError, match=f"{SETTING}.*AccessDenied"):
        refusing(denied).read(reference("typo3/database"))


@pytest.mark.parametrize(
    "error",
    [
        ClientError({"Error": {"Code": "ThrottlingException"}}, "GetSecretValue"),
        ClientError({"Error": {"Code": "InternalServiceError"}}, "GetSecretValue"),
        ReadTimeoutError(endpoint_url="https://secretsmanager.invalid"),
    ],
)
def test_a_store_that_does_not_answer_may_answer_later(error: Exception) -> None:
    with pytest.raises(BackendUnavailable, match=SETTING):
        refusing(error).read(reference("typo3/database"))


def test_a_region_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(ConfigurationError, match=f"{SETTING}.*NoRegion"):
        Secrets(now=Clock()).read(reference("typo3/database"))


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "my secret.json").write_text(json.dumps(RDS))
    secret = reference(f"file://{tmp_path}/my%20secret.json")
    assert Secrets(now=Clock()).read(secret) == RDS


@pytest.mark.parametrize("content", [b"hunter2", b"\xff\xfe", b"[" * 60_000, b" " * 70_000])
def test_a_file_without_a_json_object_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret.json").write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"{SETTING} is no JSON object"):
        Secrets(now=Clock()).read(reference(f"file://{tmp_path}/secret.json"))


def test_a_missing_file_is_named_and_not_created(tmp_path: Path) -> None:
    missing = tmp_path / "secret.json"
    with pytest.raises(ConfigurationError, match="No such file"):
        Secrets(now=Clock()).read(reference(f"file://{missing}"))
    assert not missing.exists()


def test_credentials_and_address_are_read_as_rds_writes_them() -> None:
    assert Credentials.of(RDS, SETTING) == Credentials(username="reader", password="hunter2")
    address = DatabaseAddress(host="db.internal", port=3306, name="typo3")
    assert DatabaseAddress.of(RDS, SETTING) == address
    assert DatabaseAddress.of(RDS | {"port": "3306"}, SETTING) == address
    assert DatabaseAddress.of({}, SETTING) == DatabaseAddress()


@pytest.mark.parametrize(
    "document", [{}, {"username": "reader"}, {"username": "", "password": "x"}, {"password": 7}]
)
def test_incomplete_credentials_are_refused(document: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match=SETTING):
        Credentials.of(document, SETTING)


def test_a_port_is_a_number() -> None:
    with pytest.raises(ConfigurationError, match='"port" must be a number') as caught:
        DatabaseAddress.of({"port": "hunter2"}, SETTING)
    assert "hunter2" not in str(caught.value)


def test_an_encryption_key_is_text() -> None:
    assert encryption_key({"encryption_key": "k"}, SETTING) == "k"
    with pytest.raises(ConfigurationError, match=SETTING):
        encryption_key({"encryption_key": None}, SETTING)


def test_no_secret_shows_in_a_repr() -> None:
    keys = TokenKeys.of({"keys": {"a": "hunter2" * 5}, "active": "a"}, SETTING)
    assert "hunter2" not in f"{Credentials.of(RDS, SETTING)!r} {keys!r}"


# --- rotation in Secrets Manager ---------------------------------------------------------------

OLD, NEW = '{"password": "old"}', '{"password": "new"}'


def rotating(store: "SecretsManagerClient", stage: str) -> str:
    """Put a new version under *stage*, as a rotation function does; return its id."""
    return store.put_secret_value(
        SecretId="typo3/database", SecretString=NEW, VersionStages=[stage]
    )["VersionId"]


def test_a_pending_version_is_not_taken_while_the_current_one_is_good(
    store: "SecretsManagerClient",
) -> None:
    store.create_secret(Name="typo3/database", SecretString=OLD)
    rotating(store, "AWSPENDING")
    clock = Clock()
    secrets = Secrets(now=clock)
    for _again in range(3):
        assert secrets.read(reference("typo3/database")) == {"password": "old"}
        clock.now += 300


def test_the_pending_version_is_tried_when_the_current_one_was_refused(
    store: "SecretsManagerClient",
) -> None:
    store.create_secret(Name="typo3/database", SecretString=OLD)
    secrets, secret = Secrets(now=Clock()), reference("typo3/database")
    assert secrets.read(secret) == {"password": "old"}
    rotating(store, "AWSPENDING")
    assert secrets.read(secret, max_age=REFUSED) == {"password": "new"}  # setSecret was done
    assert secrets.read(secret) == {"password": "new"}


def test_a_pending_version_that_is_refused_gives_way_to_the_current_one(
    store: "SecretsManagerClient",
) -> None:
    store.create_secret(Name="typo3/database", SecretString=OLD)
    secrets, secret = Secrets(now=Clock()), reference("typo3/database")
    secrets.read(secret)
    rotating(store, "AWSPENDING")
    assert secrets.read(secret, max_age=REFUSED) == {"password": "new"}
    assert secrets.read(secret, max_age=REFUSED) == {"password": "old"}


def test_a_finished_rotation_is_the_current_version(store: "SecretsManagerClient") -> None:
    first = store.create_secret(Name="typo3/database", SecretString=OLD)["VersionId"]
    secrets, secret = Secrets(now=Clock()), reference("typo3/database")
    secrets.read(secret)
    pending = rotating(store, "AWSPENDING")
    store.update_secret_version_stage(
        SecretId="typo3/database",
        VersionStage="AWSCURRENT",
        MoveToVersionId=pending,
        RemoveFromVersionId=first,
    )
    assert secrets.read(secret, max_age=REFUSED) == {"password": "new"}


def test_a_wrong_secret_is_asked_for_twice_and_no_more(store: "SecretsManagerClient") -> None:
    store.create_secret(Name="typo3/database", SecretString=OLD)
    secrets, secret = Secrets(now=Clock(), client=lambda _: store), reference("typo3/database")
    secrets.read(secret)
    calls: list[object] = []
    store.meta.events.register("before-send.secretsmanager.*", lambda **_: calls.append(1))
    assert secrets.read(secret, max_age=REFUSED) == {"password": "old"}
    assert len(calls) == 2  # current and pending


def test_only_a_refusal_asks_for_a_pending_version(store: "SecretsManagerClient") -> None:
    store.create_secret(Name="typo3/database", SecretString=OLD)
    secrets, secret = Secrets(now=Clock()), reference("typo3/database")
    secrets.read(secret)
    rotating(store, "AWSPENDING")
    assert secrets.read(secret, max_age=ANEW) == {"password": "old"}


# --- the extension -----------------------------------------------------------------------------


class Extension(ThreadingHTTPServer):
    """The AWS Parameters and Secrets extension, as far as it concerns us."""

    answer = (200, json.dumps({"SecretString": json.dumps(RDS), "VersionStages": ["AWSCURRENT"]}))

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ExtensionAnswers)
        self.asked: list[tuple[str, str | None]] = []

    @property
    def environment(self) -> dict[str, str]:
        """What Lambda puts into the function's environment."""
        return {
            "PARAMETERS_SECRETS_EXTENSION_HTTP_PORT": str(self.server_port),
            "AWS_SESSION_TOKEN": "session-token",
            "HTTP_PROXY": "http://127.0.0.1:9",
        }


class ExtensionAnswers(BaseHTTPRequestHandler):
    server: Extension

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["X-Aws-Parameters-Secrets-Token"]))
        status, body = self.server.answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def extension() -> Iterator[Extension]:
    with Extension() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def no_client(_region: str | None) -> "SecretsManagerClient":
    raise AssertionError("the extension should have answered")


def test_the_extension_answers_where_it_is_configured(extension: Extension) -> None:
    clock = Clock()
    secrets = Secrets(now=clock, client=no_client, environ=extension.environment)
    arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:typo3/database-AbCdEf"
    assert secrets.read(reference(arn)) == RDS
    assert secrets.read(reference(arn)) == RDS
    quoted = arn.replace(":", "%3A").replace("/", "%2F")
    assert extension.asked == [(f"/secretsmanager/get?secretId={quoted}", "session-token")]
    clock.now += 300
    secrets.read(reference(arn))
    assert len(extension.asked) == 2


@pytest.mark.parametrize(
    "answer",
    [
        (400, "not ready to serve traffic, please wait"),
        (404, '{"__type": "ResourceNotFoundException"}'),
        (200, "no JSON"),
        (200, "[]"),
        (200, '{"SecretString": null}'),
        (200, '{"SecretBinary": "AAAA"}'),
        (200, " " * 300_000),
    ],
)
def test_secrets_manager_is_asked_when_the_extension_has_no_answer(
    store: "SecretsManagerClient", extension: Extension, answer: tuple[int, str]
) -> None:
    store.create_secret(Name="typo3/database", SecretString=NEW)
    extension.answer = answer
    secrets = Secrets(now=Clock(), environ=extension.environment)
    assert secrets.read(reference("typo3/database")) == {"password": "new"}
    assert len(extension.asked) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"PARAMETERS_SECRETS_EXTENSION_HTTP_PORT": ""},
        {"PARAMETERS_SECRETS_EXTENSION_HTTP_PORT": "2773/../x"},
        {"PARAMETERS_SECRETS_EXTENSION_HTTP_PORT": "9"},  # nobody listens
        {"AWS_SESSION_TOKEN": ""},
    ],
)
def test_secrets_manager_is_asked_when_there_is_no_extension(
    store: "SecretsManagerClient", extension: Extension, changes: dict[str, str]
) -> None:
    store.create_secret(Name="typo3/database", SecretString=NEW)
    secrets = Secrets(now=Clock(), environ=extension.environment | changes)
    assert secrets.read(reference("typo3/database")) == {"password": "new"}
    assert extension.asked == []


@pytest.mark.parametrize("max_age", [REFUSED, ANEW])
def test_the_extensions_memory_is_passed_by_when_ours_is_not_believed(
    store: "SecretsManagerClient", extension: Extension, max_age: int
) -> None:
    store.create_secret(Name="typo3/database", SecretString=NEW)
    secrets = Secrets(now=Clock(), environ=extension.environment)
    assert secrets.read(reference("typo3/database")) == RDS
    assert secrets.read(reference("typo3/database"), max_age=max_age) == {"password": "new"}
    assert len(extension.asked) == 1


def test_a_file_is_not_asked_of_the_extension(extension: Extension, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(OLD)
    secrets = Secrets(now=Clock(), client=no_client, environ=extension.environment)
    assert secrets.read(reference(f"file://{tmp_path}/secret.json")) == {"password": "old"}
    assert extension.asked == []


def test_with_the_extension_boto3_is_not_imported(extension: Extension) -> None:
    script = (
        "import sys, time; from typo3_retrieval.adapters.secrets import Secrets;"
        "from typo3_retrieval.core.secrets import SecretReference as R;"
        "Secrets(now=lambda: 0).read(R(setting='S', reference='typo3/database'));"
        "print(sorted({'boto3', 'botocore', 'httpx', 'urllib.request'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=extension.environment | {"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
