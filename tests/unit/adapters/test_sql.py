from collections.abc import Mapping

import pytest

from typo3_retrieval.adapters.sql import ColumnMemory, with_lists_expanded
from typo3_retrieval.typo3.database import Parameter, Value


def expanded(sql: str, **parameters: Parameter) -> tuple[str, Mapping[str, Value]]:
    return with_lists_expanded(sql, parameters, lambda name: name if name == "%" else f":{name}")


def test_a_value_becomes_the_drivers_placeholder() -> None:
    assert expanded("uid = %(uid)s", uid=3) == ("uid = :uid", {"uid": 3})


def test_a_sequence_becomes_a_list_of_placeholders() -> None:
    assert expanded("uid IN %(uids)s", uids=[3, 4]) == (
        "uid IN (:uids_0, :uids_1)",
        {"uids_0": 3, "uids_1": 4},
    )


def test_an_empty_sequence_equals_nothing() -> None:
    assert expanded("uid IN %(uids)s", uids=[]) == ("uid IN (NULL)", {})


@pytest.mark.parametrize("value", ["abc", b"abc"])
def test_text_and_bytes_are_values_not_sequences(value: str | bytes) -> None:
    assert expanded("title = %(title)s", title=value) == ("title = :title", {"title": value})


def test_a_placeholder_may_come_twice() -> None:
    assert expanded("%(a)s %(a)s", a=1) == (":a :a", {"a": 1})


def test_a_doubled_percent_sign_is_one() -> None:
    assert expanded("title LIKE '%%(a)s%%'")[0] == "title LIKE '%(a)s%'"


def test_parameters_that_the_statement_does_not_name_are_left_out() -> None:
    assert expanded("SELECT 1", a=1, b=[2]) == ("SELECT 1", {})


def test_a_missing_parameter_is_the_programmers_fault() -> None:
    with pytest.raises(KeyError, match="uid"):
        expanded("uid = %(uid)s")


def test_a_values_text_is_never_read_as_a_placeholder() -> None:
    assert expanded("%(a)s %(b)s", a="%(b)s", b=1) == (":a :b", {"a": "%(b)s", "b": 1})


class TestColumnMemory:
    def test_a_table_is_read_once_in_ten_minutes(self) -> None:
        read = list[str]()
        time = 0.0

        def columns(table: str) -> frozenset[str]:
            read.append(table)
            return frozenset({"uid"})

        memory = ColumnMemory(columns, clock=lambda: time)
        assert memory("pages") == memory("pages") == {"uid"}
        time = 600.0
        memory("pages")
        assert read == ["pages"]
        time = 601.0
        memory("pages")
        memory("tt_content")
        assert read == ["pages", "pages", "tt_content"]
