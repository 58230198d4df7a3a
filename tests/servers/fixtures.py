"""Fixtures over the real servers and the recorded site; a plugin of tests/conftest.py."""

import gzip
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers import REPOSITORY, TRUTH, mariadb
from tests.servers.mariadb import TRUTH_DATABASE, TRUTH_READER, MariaDb


@pytest.fixture(scope="session")
def truth() -> Path:
    """The folder with what was recorded from a real TYPO3."""
    if not TRUTH.is_dir():
        pytest.skip(f"the recorded site is not at {TRUTH}")
    return TRUTH


@pytest.fixture(scope="session")
def truth_sqlite(truth: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded site as an SQLite file. The whole session shares it: only read."""
    target = tmp_path_factory.mktemp("truth") / "site.sqlite"
    with gzip.open(truth / "site.sqlite.gz", "rb") as packed, target.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    target.chmod(0o444)
    return target


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDb]:
    """A real, empty MariaDB; make a database in it, or take `truth_mariadb`."""
    # The download in a process of its own: in this one sockets reach loopback only.
    subprocess.run([sys.executable, "-m", "tests.servers", "fetch"], cwd=REPOSITORY, check=True)
    with mariadb.running() as server:
        yield server


@pytest.fixture(scope="session")
def truth_mariadb(mariadb_server: MariaDb, truth: Path) -> MariaDb:
    """The server, with the recorded site in TRUTH_DATABASE, which TRUTH_READER may read."""
    mariadb_server.create_database(TRUTH_DATABASE)
    mariadb_server.load_dump(truth / "mariadb.sql.gz", TRUTH_DATABASE)
    mariadb_server.create_reader(TRUTH_READER, TRUTH_DATABASE)
    return mariadb_server


@pytest.fixture(scope="session")
def truth_mariadb_url(truth_mariadb: MariaDb) -> str:
    """RETRIEVAL_DATABASE_URL of the recorded site in MariaDB; TRUTH_READER belongs to it."""
    return truth_mariadb.url(TRUTH_DATABASE)


@pytest.fixture(scope="session")
def truth_mariadb_secret(truth_mariadb: MariaDb, tmp_path_factory: pytest.TempPathFactory) -> str:
    """RETRIEVAL_DATABASE_SECRET to go with `truth_mariadb_url`: a ``file://`` address."""
    return truth_mariadb.write_secret(tmp_path_factory.mktemp("secret"), TRUTH_READER)
