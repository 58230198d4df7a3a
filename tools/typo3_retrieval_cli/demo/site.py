"""Makes the demo site: a SQLite database, a site configuration, secrets with random keys."""

import json
import secrets
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from typo3_retrieval_cli.demo.rows import rows

SITE = "lindenau"
EDITOR, DISABLED_EDITOR, FORMER_EDITOR = 10, 11, 12  # uids of be_users rows

_SOURCES = resources.files(__package__)


def create(folder: Path) -> dict[str, str]:
    """Make the site in *folder*, anew if it is there, and return the environment to use it.

    The secrets are made here, once per folder, and are readable by their owner only.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / "typo3.sqlite"
    _write_database(database)
    return {
        "RETRIEVAL_DATABASE_URL": f"sqlite://{quote(database.as_posix())}",
        "RETRIEVAL_SITES": str(_write_configuration(folder / "sites" / SITE)),
        "RETRIEVAL_TYPO3_SECRET": _secret(
            folder / "typo3-secret.json", {"encryption_key": secrets.token_hex(48)}
        ),
        "RETRIEVAL_TOKEN_SECRET": _secret(
            folder / "token-secret.json",
            {"keys": {"demo": secrets.token_urlsafe(48)}, "active": "demo"},
        ),
        "TYPO3_CONTEXT": "Production",
    }


def _write_database(path: Path) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_source("schema.sql"))
        for table, row in rows(_source("lindenau.yaml")):
            names = ", ".join(row)
            values = ", ".join(f":{name}" for name in row)
            # S608: table and column names come from our own file, values are parameters.
            connection.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", row)  # noqa: S608


def _write_configuration(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(_source("sites", SITE, "config.yaml"), encoding="utf-8")
    return folder.parent


def _secret(path: Path, content: Mapping[str, object]) -> str:
    if not path.exists():  # a kept demo keeps its keys: tokens in use stay valid
        path.touch(mode=0o600)
        path.write_text(json.dumps(content), encoding="utf-8")
    return path.as_uri()


def _source(*parts: str) -> str:
    return _SOURCES.joinpath(*parts).read_text(encoding="utf-8")
