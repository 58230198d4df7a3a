import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.core.errors import (
    BackendProtocolError,
    BackendUnavailable,
    ConfigurationError,
)
from typo3_retrieval.typo3.database import Database, StatementTimeout

SLOW = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000)"
    " SELECT COUNT(*) AS many FROM n"
)

Open = Callable[..., SqliteDatabase]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a name with % and ? and #.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE pages (uid INTEGER PRIMARY KEY, title TEXT)")
    titles = ["Öffnungszeiten", "100 % Wolle", "STRASSE", "Sommerfest 🎉", None]
    connection.executemany("INSERT INTO pages (title) VALUES (?)", [(each,) for each in titles])
    # SQLite takes any bytes as text.
    connection.execute("INSERT INTO pages (title) VALUES (CAST(x'41ff42' AS TEXT))")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def opened(file: Path) -> Iterator[Open]:
    databases: list[SqliteDatabase] = []

    def open_(path: Path = file, *, statement_seconds: float = 2.0) -> SqliteDatabase:
        databases.append(SqliteDatabase(path, statement_seconds=statement_seconds))
        return databases[-1]

    yield open_
    for database in databases:
        database.close()


def uids(database: Database, where: str, **parameters: str | int | list[int]) -> list[object]:
    sql = f"SELECT uid FROM pages WHERE {where} ORDER BY uid"  # noqa: S608  # the tests' own
    return [row["uid"] for row in database.rows(sql, parameters)]


class TestOpening:
    def test_a_missing_file_stops_the_start_and_none_is_created(self, tmp_path: Path) -> None:
        path = tmp_path / "missing.sqlite"
        with pytest.raises(ConfigurationError, match=r"RETRIEVAL_DATABASE_URL.*missing\.sqlite"):
            SqliteDatabase(path)
        assert not path.exists()

    def test_a_folder_is_no_database(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="RETRIEVAL_DATABASE_URL"):
            SqliteDatabase(tmp_path)

    def test_another_kind_of_file_stops_the_start(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("This is no database, and longer than a header.\n" * 50)
        with pytest.raises(ConfigurationError, match="not a readable SQLite database"):
            SqliteDatabase(path)

    def test_an_empty_file_has_no_tables(self, opened: Open, tmp_path: Path) -> None:
        path = tmp_path / "empty.sqlite"
        path.touch()
        assert opened(path).columns("pages") == frozenset()


class TestReading:
    def test_rows_come_by_name(self, opened: Open) -> None:
        rows = opened().rows("SELECT uid, title FROM pages WHERE uid = %(uid)s", {"uid": 3})
        assert [dict(row) for row in rows] == [{"uid": 3, "title": "STRASSE"}]

    def test_lists_and_empty_lists(self, opened: Open) -> None:
        database = opened()
        assert uids(database, "uid IN %(uids)s", uids=[1, 3, 99]) == [1, 3]
        assert uids(database, "uid IN %(uids)s", uids=[]) == []

    def test_lower_case_knows_umlauts(self, opened: Open) -> None:
        assert uids(opened(), "uid < 6 AND INSTR(LOWER(title), %(word)s) > 0", word="öff") == [1]

    def test_lower_case_of_nothing_is_nothing(self, opened: Open) -> None:
        (row,) = opened().rows("SELECT LOWER(title) AS low FROM pages WHERE uid = 5")
        assert row["low"] is None

    def test_bits_are_joined(self, opened: Open) -> None:
        (row,) = opened().rows("SELECT BIT_OR(uid) AS bits FROM pages WHERE uid IN (1, 4)")
        assert row["bits"] == 5

    def test_percent_signs(self, opened: Open) -> None:
        database = opened()
        assert uids(database, "title LIKE '%% \\%% %%' ESCAPE '\\'") == [2]
        assert uids(database, "title = %(title)s", title="100 % Wolle") == [2]

    @pytest.mark.parametrize("text", ["Sommerfest 🎉", "x' OR '1'='1", "%(uid)s", ":uid", "\\", ""])
    def test_any_text_is_a_value(self, opened: Open, text: str) -> None:
        (row,) = opened().rows("SELECT %(text)s AS text", {"text": text})
        assert row["text"] == text

    def test_columns_of_a_table(self, opened: Open) -> None:
        assert opened().columns("pages") == {"uid", "title"}

    @pytest.mark.parametrize("table", ["nope", "", "pages'); DROP TABLE pages; --"])
    def test_no_table_has_no_columns(self, opened: Open, table: str) -> None:
        assert opened().columns(table) == frozenset()

    def test_odd_bytes_in_one_row_do_not_fail_the_others(self, opened: Open) -> None:
        database = opened()
        (row,) = database.rows("SELECT title FROM pages WHERE uid = 6")
        assert row["title"] == "A\ufffdB"
        folded = "INSTR(LOWER(CAST(title AS BLOB)), %(word)s) > 0"
        assert uids(database, folded, word="wolle") == [2]
        assert uids(database, folded, word="a\ufffdb") == [6]

    def test_threads_share_it(self, opened: Open) -> None:
        database, wrong = opened(), list[object]()

        def read(number: int) -> None:
            for _ in range(50):
                (row,) = database.rows("SELECT %(number)s AS number", {"number": number})
                if row["number"] != number:
                    wrong.append(row)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []

    def test_what_another_process_writes_is_seen(self, opened: Open, file: Path) -> None:
        database = opened()
        assert uids(database, "uid = 77") == []
        writer = sqlite3.connect(file)
        writer.execute("INSERT INTO pages VALUES (77, 'new')")
        writer.commit()
        writer.close()
        assert uids(database, "uid = 77") == [77]


class TestFailing:
    def test_nothing_can_be_written(self, opened: Open) -> None:
        database = opened()
        for statement in ("DELETE FROM pages", "DROP TABLE pages", "CREATE TABLE x (y)"):
            with pytest.raises(BackendUnavailable, match="readonly"):
                database.rows(statement)
        assert len(uids(database, "1")) == 6

    def test_a_slow_statement_is_ended(self, opened: Open) -> None:
        database = opened(statement_seconds=0.05)
        with pytest.raises(StatementTimeout) as raised:
            database.rows(SLOW)
        assert raised.value.reason == "timeout"

    def test_the_next_statement_has_its_own_time(self, opened: Open) -> None:
        database = opened(statement_seconds=0.05)
        for _ in range(2):
            with pytest.raises(StatementTimeout):
                database.rows(SLOW)
            assert uids(database, "uid = 1") == [1]

    @pytest.mark.parametrize(
        "sql", ["SELECT uid FROM nope", "SELECT nope FROM pages", "SELEC", "SELECT NOPE(1)"]
    )
    def test_a_statement_that_does_not_fit_is_a_protocol_error(
        self, opened: Open, sql: str
    ) -> None:
        with pytest.raises(BackendProtocolError):
            opened().rows(sql)

    def test_a_message_holds_no_value(self, opened: Open) -> None:
        database = opened()
        for sql in ("SELECT nope FROM pages WHERE title = %(q)s", "SELECT LOWER(%(q)s, 1)"):
            with pytest.raises(BackendProtocolError) as raised:
                database.rows(sql, {"q": "my private question"})
            assert "private" not in str(raised.value)

    def test_after_it_was_closed_it_is_unavailable(self, opened: Open) -> None:
        database = opened()
        database.close()
        with pytest.raises(BackendUnavailable):
            database.rows("SELECT 1")

    @pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30])
    def test_a_number_too_large_for_it_equals_nothing(self, opened: Open, value: int) -> None:
        database = opened()
        assert uids(database, "uid = %(uid)s", uid=value) == []
        assert uids(database, "uid IN %(uids)s", uids=[1, value]) == [1]
