"""Who may see one row by itself: the Python form, and that the SQL form says the same."""

from itertools import product

import pytest

from tests.unit.typo3.rows import FUTURE, NOW, PAGE, PAST, MemoryDatabase, TableRow
from typo3_retrieval.core.errors import BackendProtocolError
from typo3_retrieval.typo3.enable_fields import (
    access_time,
    enable_fields_sql,
    hidden_because,
    is_for_everybody,
    switched_off_because,
)
from typo3_retrieval.typo3.pages import Page

GROUPS = ["", "0", "-1", "-2", "1", "1,2", "99", " 1", "0,-1", "-1,-2", "1,0", "2,-1,3", " "]
GROUPS += ["0 ", " 0", "-1 ", "10", "-10", "1,10", "01", "0,", ",", ",,1", "1,-11", "100,0,3", "%"]


@pytest.mark.parametrize("fe_group", ["", "0", "-1", "0,-1", "-1,-2", "1,0", "5,-1,7"])
def test_a_list_with_everybody_or_hide_at_login_is_for_everybody(fe_group: str) -> None:
    assert is_for_everybody(fe_group)


@pytest.mark.parametrize("fe_group", ["-2", "1", "1,2", "99", " 1", " 0", " ", "10", "-11", ","])
def test_any_other_list_is_for_nobody_without_login(fe_group: str) -> None:
    assert not is_for_everybody(fe_group)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (Page(uid=1), ""),
        (Page(uid=1, deleted=1, hidden=1), "deleted"),
        (Page(uid=1, hidden=1, fe_group="1"), "hidden"),
        (Page(uid=1, starttime=NOW), ""),
        (Page(uid=1, starttime=NOW + 1), "not started"),
        (Page(uid=1, endtime=NOW + 1), ""),
        (Page(uid=1, endtime=NOW), "ended"),
        (Page(uid=1, endtime=NOW - 1), "ended"),
        (Page(uid=1, fe_group="1,2"), "fe_group 1,2"),
    ],
)
def test_the_first_rule_that_hides_a_row_is_named(row: Page, reason: str) -> None:
    assert hidden_because(row, NOW) == reason


def test_the_groups_of_a_page_translation_do_not_count() -> None:
    assert switched_off_because(Page(uid=1, fe_group="1"), NOW) == ""


def test_seconds_do_not_count() -> None:
    assert access_time(NOW) == access_time(NOW + 59) == NOW
    assert access_time(NOW + 60) == NOW + 60


def test_both_forms_agree_on_every_row() -> None:
    switches = product((0, 1), (0, 1), (0, PAST, NOW, FUTURE), (0, PAST, NOW, FUTURE), (0, 1))
    names = ("deleted", "hidden", "starttime", "endtime", "sys_language_uid")
    rows = [
        {**PAGE, **dict(zip(names, values, strict=True)), "fe_group": group, "uid": index}
        for index, (values, group) in enumerate(product(switches, GROUPS))
    ]
    database = MemoryDatabase(rows)
    condition = enable_fields_sql("p", database.columns("pages"))
    found = database.rows(f"SELECT uid FROM pages p WHERE {condition}", {"now": NOW})  # noqa: S608 - our own condition
    by_sql = {row["uid"] for row in found}
    by_python = set()
    for row in rows:
        page = Page(
            uid=int(str(row["uid"])),
            deleted=int(str(row["deleted"])),
            hidden=int(str(row["hidden"])),
            starttime=int(str(row["starttime"])),
            endtime=int(str(row["endtime"])),
            fe_group=str(row["fe_group"]),
        )
        rule = switched_off_because if row["sys_language_uid"] else hidden_because
        if not rule(page, NOW):
            by_python.add(page.uid)
    assert by_sql == by_python


def test_the_groups_of_a_content_translation_do_count() -> None:
    restricted: TableRow = {"uid": 1, "fe_group": "1", "sys_language_uid": 1}
    database = MemoryDatabase(elements=[restricted])
    condition = enable_fields_sql("c", database.columns("tt_content"), for_table="tt_content")
    statement = f"SELECT uid FROM tt_content c WHERE {condition}"  # noqa: S608 - our own condition
    assert not database.rows(statement, {"now": NOW})


def test_a_null_group_is_for_everybody() -> None:
    database = MemoryDatabase([{"uid": 1, "fe_group": None}])
    condition = enable_fields_sql("p", database.columns("pages"))
    assert database.rows(f"SELECT uid FROM pages p WHERE {condition}", {"now": NOW})  # noqa: S608 - our own condition


def test_rows_of_a_workspace_are_left_out() -> None:
    database = MemoryDatabase([{"uid": 1, "t3ver_wsid": 1}, {"uid": 2}])
    condition = enable_fields_sql("p", database.columns("pages"))
    found = database.rows(f"SELECT uid FROM pages p WHERE {condition}", {"now": NOW})  # noqa: S608 - our own condition
    assert [row["uid"] for row in found] == [2]


@pytest.mark.parametrize("column", ["deleted", "hidden", "fe_group", "endtime", "t3ver_wsid"])
def test_a_rule_without_its_column_is_a_failure_and_hides_nothing_less(column: str) -> None:
    # A database user who may not read a column does not see that it is there.
    there = MemoryDatabase([]).columns("pages") - {column}
    with pytest.raises(BackendProtocolError, match=f"pages has no column {column}"):
        enable_fields_sql("p", there)
