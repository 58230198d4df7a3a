"""The recorded site, served from the tests' MariaDB by the local server."""

import http.client
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.servers.mariadb import TRUTH_DATABASE, Account, MariaDb
from typo3_retrieval.edge import tokens
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval_cli.demo.server import running
from typo3_retrieval_cli.system import System

EDITOR = 900  # uid of a be_users row that the tests add


@dataclass(frozen=True, kw_only=True)
class Installation:
    """Settings and secrets in a folder, and what is in them."""

    folder: Path
    environment: Mapping[str, str]
    log: Path
    passwords: list[str] = field(default_factory=list)  # every one that was ever written

    def write_database_secret(self, account: Account) -> None:
        """Put *account* into the secret, in one step as Secrets Manager does."""
        replace(
            self.folder / "database.json",
            {"username": account.username, "password": account.password},
        )
        self.passwords.append(account.password)

    def token(self, user: int = EDITOR, *, ttl: int = 600) -> str:
        """A token signed with the key that is active now."""
        system = System(environment=self.environment)
        return tokens.mint(user, system.token_keys(), now=int(time.time()), ttl=ttl)

    @property
    def token_secret(self) -> Path:
        """The file with the keys that sign tokens."""
        return self.folder / "tokens.json"

    @contextmanager
    def served(self, **more: str) -> Iterator[str]:
        """Run the local server; yield its URL."""
        with running({**self.environment, **more}, log=self.log) as (url, _process):
            yield url


def installed(server: MariaDb, truth: Path, folder: Path, account: Account) -> Installation:
    """Write settings and secrets for the recorded site."""
    recorded = json.loads((truth / "truth.json").read_text())
    replace(folder / "typo3.json", {"encryption_key": "e" * 40 + "-encryption-key"})
    replace(folder / "tokens.json", {"keys": {"first": "first-token-key-" * 3}, "active": "first"})
    environment = {
        **recorded.get("environment", {}),
        "RETRIEVAL_DATABASE_URL": server.url(TRUTH_DATABASE),
        "RETRIEVAL_DATABASE_SECRET": (folder / "database.json").as_uri(),
        "RETRIEVAL_TYPO3_SECRET": (folder / "typo3.json").as_uri(),
        "RETRIEVAL_TOKEN_SECRET": (folder / "tokens.json").as_uri(),
        "RETRIEVAL_SITES": str(truth / "sites"),
        "TYPO3_CONTEXT": "Production",
    }
    made = Installation(folder=folder, environment=environment, log=folder / "server.log")
    made.write_database_secret(account)
    Settings.from_environment(environment)  # a wrong one is told here, and not by a server's log
    server.execute(
        f"REPLACE INTO be_users (uid, username) VALUES ({EDITOR}, 'asking')",  # noqa: S608
        database=TRUTH_DATABASE,
    )
    return made


def replace(path: Path, content: Mapping[str, Any]) -> None:
    """Write a secret so that nobody reads half of it."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(content))
    new.replace(path)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def post(url: str, path: str, fields: object, *tokens_: str, scheme: str = "Bearer") -> Answer:
    """POST *fields* with an Authorization header for each of the tokens."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.netloc, timeout=30)
    body = json.dumps(fields).encode()
    try:
        connection.putrequest("POST", path)
        for each in tokens_:
            connection.putheader("Authorization", f"{scheme} {each}")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.read())
    finally:
        connection.close()
