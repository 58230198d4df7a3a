"""Who is an active backend user, asked of a real table."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.edge.fakes import NOW
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.core.errors import BackendError
from typo3_retrieval.typo3.backend_users import BackendUsers

TABLE = "CREATE TABLE be_users (uid, deleted, disable, starttime, endtime)"
# uid, deleted, disable, starttime, endtime
ROWS = [
    (1, 0, 0, 0, 0),
    (2, 1, 0, 0, 0),  # deleted
    (3, 0, 1, 0, 0),  # disabled
    (4, 0, 0, NOW + 1, 0),  # begins in a second
    (5, 0, 0, NOW, 0),  # begins now
    (6, 0, 0, 0, NOW),  # ends now
    (7, 0, 0, 0, NOW + 1),  # ends in a second
]


@contextlib.contextmanager
def users_of(path: Path) -> Iterator[BackendUsers]:
    with contextlib.closing(SqliteDatabase(path)) as database:
        yield BackendUsers(database, now=lambda: NOW)


@pytest.fixture
def users(tmp_path: Path) -> Iterator[BackendUsers]:
    """Backend users of every state."""
    with sqlite3.connect(tmp_path / "typo3.sqlite") as connection:
        connection.execute(TABLE)
        connection.executemany("INSERT INTO be_users VALUES (?, ?, ?, ?, ?)", ROWS)
    connection.close()
    with users_of(tmp_path / "typo3.sqlite") as found:
        yield found


@pytest.mark.parametrize("uid", [1, 5, 7])
def test_an_active_user_is_one(users: BackendUsers, uid: int) -> None:
    assert users.is_active(uid)


@pytest.mark.parametrize("uid", [0, 2, 3, 4, 6, 8])
def test_any_other_user_is_none(users: BackendUsers, uid: int) -> None:
    assert not users.is_active(uid)


def test_a_database_without_the_table_is_a_failure_and_no_answer(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "empty.sqlite").close()
    with users_of(tmp_path / "empty.sqlite") as users, pytest.raises(BackendError):
        users.is_active(1)
