"""The authorizer: who gets in, who does not, and what is imported for it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest

from tests.unit.edge.fakes import KEYS, NOW, TOKEN_SECRET, FakeDatabase, FakeSecrets, event
from typo3_retrieval.bootstrap import build_authorizer
from typo3_retrieval.core.errors import BackendUnavailable, ConfigurationError
from typo3_retrieval.core.secrets import ANEW, SecretReference, TokenKeys
from typo3_retrieval.edge.authorizer import Authorizer, Undecided, authorizer_handler
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.edge.tokens import mint
from typo3_retrieval.typo3.database import Parameter, Row

SETTINGS = Settings(
    token_secret=SecretReference(setting="RETRIEVAL_TOKEN_SECRET", reference="tokens")
)
TOKEN_MODE = Settings(token_secret=SETTINGS.token_secret, backend_users="token")
TOKEN = mint(10, KEYS, now=NOW, ttl=3600)
# botocore alone is an empty shell, which Powertools looks at; its work is in the session.
UNWANTED = {"boto3", "botocore.session", "httpx", "pydantic", "sqlite3", "yaml"}
FUNCTION = Path(__file__).parents[3] / "functions" / "authorizer"


class Clock:
    """A time that tests move."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


def secrets() -> FakeSecrets:
    return FakeSecrets({"tokens": TOKEN_SECRET})


def authorizer(
    database: FakeDatabase | None = None,
    *,
    settings: Settings = SETTINGS,
    source: FakeSecrets | None = None,
    clock: Clock | None = None,
) -> Authorizer:
    return build_authorizer(
        settings,
        secrets=source or secrets(),
        database=database or FakeDatabase(),
        now=clock or Clock(),
    )


def asked(authorization: object = f"Bearer {TOKEN}", **changes: Any) -> dict[str, Any]:
    return event("token_authorizer", authorizationToken=authorization, **changes)


def test_an_active_user_may_ask_every_route_of_the_stage() -> None:
    assert authorizer_handler(authorizer())(asked(), None) == {
        "principalId": "10",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Action": "execute-api:Invoke",
                    "Effect": "Allow",
                    "Resource": ["arn:aws:execute-api:eu-central-1:123456789012:a1b2c3d4e5/v1/*/*"],
                }
            ],
        },
        "context": {"sub": "10", "exp": str(NOW + 3600)},
    }


def test_a_user_who_is_not_active_is_denied() -> None:
    policy = authorizer(FakeDatabase(users=set())).policy(asked())
    assert policy["policyDocument"]["Statement"][0]["Effect"] == "Deny"


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        10,
        "Bearer ",
        TOKEN,
        f"bearer {TOKEN}",
        f"BEARER {TOKEN}",
        f"Basic {TOKEN}",
        f"Bearer  {TOKEN}",
        f"Bearer {TOKEN} ",
        f"Bearer {TOKEN}\n",
        f"Bearer {TOKEN},Bearer {TOKEN}",
        f"Bearer {TOKEN}.",
        f"Bearer {TOKEN}{'=' * 8192}",
        f"Bearer {TOKEN} Bearer {TOKEN}",
        f"Bearer {TOKEN}, {TOKEN}",
        f"\tBearer {TOKEN}",
        f"Bearer\t{TOKEN}",
        f"Bearer\u00a0{TOKEN}",
        f"Bearer {TOKEN}\x00",
        "Bearer " + "a" * (8192 - 6),
        "Bearer a.b",
        "Bearer \ud800.b.c",
    ],
)
def test_any_other_header_is_unauthorized(header: object) -> None:
    # The words are API Gateway's: any other message becomes a 500.
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer_handler(authorizer())(asked(header), None)


@pytest.mark.parametrize("arn", ["", "arn:aws:execute-api", "*", "arn:aws:x/v1", None])
def test_an_event_without_an_api_lets_nobody_in(arn: object) -> None:
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        authorizer_handler(authorizer())(asked(methodArn=arn), None)


def test_an_unreachable_database_lets_nobody_in() -> None:
    database = FakeDatabase(error=BackendUnavailable("refused"))
    with pytest.raises(Undecided):
        authorizer_handler(authorizer(database))(asked(), None)


def test_unreadable_keys_let_nobody_in() -> None:
    source = FakeSecrets(error=BackendUnavailable("timed out"))
    with pytest.raises(Undecided):
        authorizer_handler(authorizer(source=source))(asked(), None)


def test_keys_that_became_unusable_let_nobody_in() -> None:
    source = secrets()
    handler = authorizer_handler(authorizer(source=source))
    source.documents["tokens"] = {"keys": {}, "active": ""}
    with pytest.raises(Undecided):
        handler(asked(), None)


def test_what_lambda_logs_of_a_failure_quotes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    class Quoting(FakeDatabase):
        def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> list[Row]:
            raise RuntimeError(f"cannot ask for {TOKEN} as reader with hunter2")

    with pytest.raises(Undecided) as caught:
        authorizer_handler(authorizer(Quoting()))(asked(), None)
    logged = "".join(format_exception(caught.value)) + capsys.readouterr().err
    assert "RuntimeError" in logged  # for the operator
    assert not [each for each in (TOKEN, "hunter2", "reader with") if each in logged]


def test_who_is_remembered_may_ask_while_the_database_is_away() -> None:
    database = FakeDatabase()
    checks = authorizer(database)
    checks.policy(asked())
    database.error = BackendUnavailable("refused")
    assert checks.policy(asked())["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    with pytest.raises(BackendUnavailable):
        checks.policy(asked(f"Bearer {mint(11, KEYS, now=NOW, ttl=60)}"))


def test_an_active_user_is_remembered_for_a_minute() -> None:
    database, clock = FakeDatabase(), Clock()
    checks = authorizer(database, clock=clock)
    for seconds in (0, 59):
        clock.now = NOW + seconds
        checks.policy(asked())
    assert database.asked == 1
    clock.now = NOW + 60
    checks.policy(asked())
    assert database.asked == 2


def test_a_user_who_is_not_active_is_not_remembered() -> None:
    database = FakeDatabase(users=set())
    checks = authorizer(database)
    checks.policy(asked())
    database.users.add(10)
    assert checks.policy(asked())["policyDocument"]["Statement"][0]["Effect"] == "Allow"


def test_in_token_mode_the_signature_is_enough() -> None:
    database = FakeDatabase(users=set())
    policy = authorizer(database, settings=TOKEN_MODE).policy(asked())
    assert policy["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    assert database.asked == 0


def test_a_new_key_is_found_at_once() -> None:
    source = secrets()
    checks = authorizer(source=source)
    newer = TokenKeys(keys={**KEYS.keys, "2026-12": "p" * 32}, active="2026-12")
    source.documents["tokens"] = {"keys": newer.keys, "active": newer.active}
    checks.policy(asked(f"Bearer {mint(10, newer, now=NOW, ttl=60)}"))


def test_invented_key_ids_may_not_flood_the_secret_store() -> None:
    source, clock = secrets(), Clock()
    handler = authorizer_handler(authorizer(source=source, clock=clock))
    for number in range(5):
        stranger = TokenKeys(keys={f"invented-{number}": "x" * 32}, active=f"invented-{number}")
        with pytest.raises(Exception, match=r"^Unauthorized$"):
            handler(asked(f"Bearer {mint(10, stranger, now=NOW, ttl=60)}"), None)
    assert source.ages.count(ANEW) == 1
    clock.now += 1
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(asked(f"Bearer {mint(10, stranger, now=NOW, ttl=60)}"), None)
    assert source.ages.count(ANEW) == 2


def test_many_new_keys_in_one_second_are_each_found_at_once() -> None:
    source = secrets()
    checks = authorizer(source=source)
    for number in range(3):
        newer = TokenKeys(keys={**KEYS.keys, f"new-{number}": "p" * 32}, active=f"new-{number}")
        source.documents["tokens"] = {"keys": newer.keys, "active": newer.active}
        checks.policy(asked(f"Bearer {mint(10, newer, now=NOW, ttl=60)}"))


def test_the_start_needs_the_token_secret() -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_TOKEN_SECRET is missing"):
        authorizer(settings=Settings())


@pytest.mark.parametrize(
    "secret",
    [
        {},
        {"keys": [], "active": "a"},
        {"keys": {"a": "short"}, "active": "a"},
        {"keys": {"a": "x" * 32}},
        {"keys": {"a": "x" * 32}, "active": "b"},
    ],
)
def test_the_start_needs_usable_keys(secret: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_TOKEN_SECRET"):
        authorizer(source=FakeSecrets({"tokens": secret}))


def test_looking_users_up_needs_a_database() -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_DATABASE_URL is missing"):
        build_authorizer(SETTINGS, secrets=secrets())


def test_the_log_holds_no_token(capsys: pytest.CaptureFixture[str]) -> None:
    handler = authorizer_handler(authorizer())
    handler(asked(), None)
    with pytest.raises(Exception, match=r"^Unauthorized$"):
        handler(asked(f"Bearer {TOKEN}x"), None)
    written = capsys.readouterr().err
    assert "token accepted" in written
    assert "token refused" in written
    assert not [part for part in TOKEN.split(".") if part in written]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """What the deployed authorizer finds in its environment."""
    (tmp_path / "tokens.json").write_text(json.dumps(TOKEN_SECRET))
    return {
        "PATH": os.environ["PATH"],
        "RETRIEVAL_TOKEN_SECRET": f"file://{tmp_path}/tokens.json",
        "RETRIEVAL_DATABASE_URL": "mysql://127.0.0.1/typo3",
        "RETRIEVAL_DATABASE_SECRET": "typo3/database",
    }


def imported(environment: dict[str, str]) -> set[str]:
    """The modules that the handler's import loads."""
    script = "import handler, json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=FUNCTION,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_the_authorizer_in_token_mode_imports_no_driver(environment: dict[str, str]) -> None:
    modules = imported(environment | {"RETRIEVAL_BACKEND_USERS": "token"})
    assert modules & (UNWANTED | {"pymysql"}) == set()
    assert not [name for name in modules if name.startswith("typo3_retrieval.backends")]


def test_the_authorizer_imports_its_database_and_no_backend(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "database.json").write_text('{"username": "reader", "password": "hunter2"}')
    secret = {"RETRIEVAL_DATABASE_SECRET": f"file://{tmp_path}/database.json"}
    modules = imported(environment | secret)
    assert "pymysql" in modules
    assert modules & UNWANTED == set()
    assert not [name for name in modules if name.startswith("typo3_retrieval.backends")]
