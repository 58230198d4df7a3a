"""What stands on a page: overlays, columns, types, and how many statements it takes."""

from collections.abc import Iterable, Sequence

import pytest

from tests.unit.typo3.rows import (
    CHAIN,
    FALLBACK,
    FREE,
    FUTURE,
    NOW,
    PAST,
    SITES,
    STRICT,
    MemoryDatabase,
    TableRow,
)
from typo3_retrieval.typo3.content import ContentElement, visible_content
from typo3_retrieval.typo3.database import Value
from typo3_retrieval.typo3.pages import load_pages
from typo3_retrieval.typo3.visibility import Verdict, judge_page

TRANSLATIONS: Sequence[TableRow] = [
    {"uid": 1000 + language, "pid": 1, "l10n_parent": 3, "sys_language_uid": language}
    for language in (STRICT, FALLBACK, FREE)
]
PAGES: Sequence[TableRow] = [{"uid": 1}, {"uid": 3, "pid": 1}, *TRANSLATIONS]


def element(uid: int, **fields: Value) -> TableRow:
    return {"uid": uid, "pid": 3, "sorting": uid, "bodytext": f"text {uid}", **fields}


def german(uid: int, parent: int, **fields: Value) -> TableRow:
    return element(uid, **{"l18n_parent": parent, "sys_language_uid": STRICT, **fields})


def verdicts(database: MemoryDatabase, *keys: tuple[int, int]) -> list[Verdict]:
    tree = load_pages(database, (uid for uid, _ in keys))
    return [judge_page(tree, SITES, uid, language, NOW) for uid, language in keys]


def shown(
    *elements: TableRow,
    language: int = 0,
    columns: Iterable[int] = (0,),
    pages: Iterable[TableRow] = (),
) -> list[int]:
    """The uids of what stands on page 3."""
    database = MemoryDatabase([*PAGES, *pages], elements)
    content = visible_content(
        database, verdicts(database, (3, language)), now=NOW, columns=frozenset(columns)
    )
    return [each.uid for each in content[3, language]]


def read(row: TableRow, fields: Sequence[str] | None = None, *more_types: str) -> ContentElement:
    """What page 3 shows of one element."""
    database = MemoryDatabase(PAGES, [row])
    content = visible_content(
        database,
        verdicts(database, (3, 0)),
        now=NOW,
        fields=fields or ("header", "subheader", "bodytext"),
        more_types=frozenset(more_types),
    )
    return content[3, 0][0]


def test_elements_come_in_page_order() -> None:
    rows = [
        element(1, colPos=1, sorting=1),
        element(2, sorting=9),
        element(3, sorting=8),
        element(4, sorting=8),
    ]
    assert shown(*rows, columns=(0, 1)) == [3, 4, 2, 1]


def test_only_the_columns_that_the_template_prints_count() -> None:
    rows = [element(1), element(2, colPos=1), element(3, colPos=999)]
    assert shown(*rows) == [1]
    assert shown(*rows, columns=(1, 2)) == [2]


@pytest.mark.parametrize(
    "fields",
    [
        {"deleted": 1},
        {"hidden": 1},
        {"starttime": FUTURE},
        {"endtime": PAST},
        {"fe_group": "1"},
        {"fe_group": "-2"},
        {"t3ver_wsid": 1},
        {"pid": 1},
        {"CType": "unknown"},
        {"CType": "div"},
    ],
)
def test_one_rule_hides_an_element(fields: dict[str, Value]) -> None:
    assert shown(element(1, **fields)) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"fe_group": "0,-1"},
        {"fe_group": "-1"},
        {"starttime": PAST, "endtime": FUTURE},
        {"endtime": NOW + 1},
        {"sys_language_uid": -1},
        {"header_layout": 100},
    ],
)
def test_these_do_not_hide_an_element(fields: dict[str, Value]) -> None:
    assert shown(element(1, **fields)) == [1]


class TestLanguages:
    def test_strict_shows_translations_free_elements_and_those_of_all_languages(self) -> None:
        rows = [
            element(1),
            german(2, parent=1),
            element(3),
            german(4, parent=0),
            element(5, sys_language_uid=-1),
            element(6, sys_language_uid=FALLBACK),
        ]
        assert shown(*rows, language=STRICT) == [2, 4, 5]

    def test_fallback_shows_the_default_text_and_no_free_elements(self) -> None:
        language = {"sys_language_uid": FALLBACK}
        rows = [
            element(1),
            element(2, l18n_parent=1, **language),
            element(3),
            element(4, **language),
            element(5, sys_language_uid=-1),
        ]
        assert shown(*rows, language=FALLBACK) == [2, 3, 5]

    def test_free_shows_the_language_as_it_is(self) -> None:
        language = {"sys_language_uid": FREE}
        rows = [
            element(1, hidden=1),
            element(2, l18n_parent=1, **language),
            element(3),
            element(4, **language),
            element(5, sys_language_uid=-1),
        ]
        assert shown(*rows, language=FREE) == [2, 4, 5]

    def test_the_default_language_shows_no_translation(self) -> None:
        assert shown(element(1), german(2, parent=1), german(3, parent=0)) == [1]

    def test_a_page_row_by_fallback_has_the_content_of_its_language(self) -> None:
        rows = [element(1), german(2, parent=1), element(3), german(4, parent=0)]
        assert shown(*rows, language=CHAIN) == [2, 3]

    def test_a_page_in_the_default_language_by_fallback_has_its_content(self) -> None:
        database = MemoryDatabase(
            [{"uid": 1}, {"uid": 3, "pid": 1}],
            [element(1), element(2, l18n_parent=1, sys_language_uid=FALLBACK)],
        )
        content = visible_content(database, verdicts(database, (3, FALLBACK)), now=NOW)
        assert [each.uid for each in content[3, FALLBACK]] == [1]

    @pytest.mark.parametrize(
        "default",
        [
            element(1, hidden=1),
            element(1, deleted=1),
            element(1, starttime=FUTURE),
            element(1, fe_group="1"),
            element(1, colPos=7),
            element(1, pid=1),
        ],
    )
    def test_a_translation_falls_with_what_it_translates(self, default: TableRow) -> None:
        assert shown(default, german(2, parent=1), language=STRICT) == []

    @pytest.mark.parametrize(
        "fields", [{"hidden": 1}, {"deleted": 1}, {"endtime": PAST}, {"fe_group": "1"}]
    )
    def test_a_hidden_translation_is_none(self, fields: dict[str, Value]) -> None:
        row = element(2, l18n_parent=1, sys_language_uid=FALLBACK, **fields)
        assert shown(element(1), german(3, parent=1, **fields), language=STRICT) == []
        assert shown(element(1), row, language=FALLBACK) == [1]

    def test_a_translation_takes_place_and_column_of_what_it_translates(self) -> None:
        rows = [
            element(1, sorting=1),
            element(2, sorting=2),
            german(3, parent=2, sorting=1, colPos=5),
            german(4, parent=1, sorting=2),
        ]
        assert shown(*rows, language=STRICT) == [4, 3]

    def test_of_two_translations_the_older_counts(self) -> None:
        rows = [element(1), german(3, parent=1), german(2, parent=1)]
        assert shown(*rows, language=STRICT) == [2]

    def test_an_element_for_all_languages_is_not_translated(self) -> None:
        rows = [element(1, sys_language_uid=-1), german(2, parent=1)]
        assert shown(*rows, language=STRICT) == [1]


class TestTypes:
    @pytest.mark.parametrize(
        ("ctype", "texts"),
        [
            ("text", ("Head", "Sub", "Body")),
            ("textmedia", ("Head", "Sub", "Body")),
            ("table", ("Head", "Sub", "Body")),
            ("html", ("Body",)),
            ("header", ("Head", "Sub")),
            ("image", ("Head", "Sub")),
            ("uploads", ("Head", "Sub")),
            ("list", ("Head", "Sub")),
            ("menu_section_pages", ("Head", "Sub")),
        ],
    )
    def test_a_type_prints_its_fields(self, ctype: str, texts: tuple[str, ...]) -> None:
        row = element(1, CType=ctype, header="Head", subheader="Sub", bodytext="Body")
        assert read(row).texts() == texts

    def test_a_hidden_header_is_not_printed(self) -> None:
        row = element(1, header="Head", subheader="Sub", header_layout=100)
        assert read(row).texts() == ("text 1",)

    def test_types_of_the_site_can_be_named(self) -> None:
        row = element(1, CType="site_teaser", header="Head")
        assert read(row, None, "site_teaser").texts() == ("Head", "text 1")
        assert read(row, None, "*").texts() == ("Head", "text 1")

    def test_any_type_does_not_include_those_that_print_nothing(self) -> None:
        with pytest.raises(IndexError):
            read(element(1, CType="div", header="Head"), None, "*")

    def test_further_fields_can_be_asked_for_and_lacking_ones_do_no_harm(self) -> None:
        row = element(1, header="Head", pi_flexform="Flex")
        found = read(row, ("bodytext", "pi_flexform", "lacking", "x FROM pages --"))
        assert found.texts() == ("text 1", "Flex")
        assert found.header == ""

    def test_an_element_tells_where_it_is_from(self) -> None:
        found = read(element(1, header="Head", tstamp=PAST))
        assert found == ContentElement(
            uid=1,
            page_uid=3,
            language_id=0,
            ctype="text",
            header="Head",
            bodytext="text 1",
            last_changed=PAST,
        )


class TestInsertedRecords:
    elsewhere: Sequence[TableRow] = [{"uid": 8, "pid": 1}, {"uid": 9}]

    def test_they_are_shown_in_the_order_of_their_names_without_a_header_of_their_own(
        self,
    ) -> None:
        rows = [
            element(1),
            element(2, CType="shortcut", header="Own", records="tt_content_4, 5 ,pages_6,7x,"),
            element(3),
            element(4, pid=8, colPos=99),
            element(5, pid=9),
        ]
        assert shown(*rows, pages=self.elsewhere) == [1, 4, 5, 3]

    @pytest.mark.parametrize(
        "fields", [{"hidden": 1}, {"fe_group": "1"}, {"t3ver_wsid": 1}, {"pid": 77}]
    )
    def test_what_is_hidden_stays_hidden(self, fields: dict[str, Value]) -> None:
        rows = [element(2, CType="shortcut", records="4"), element(4, **{"pid": 8, **fields})]
        assert shown(*rows, pages=self.elsewhere) == []

    @pytest.mark.parametrize("fields", [{"hidden": 1}, {"fe_group": "1"}, {"endtime": PAST}])
    def test_what_lies_on_a_closed_page_stays_there(self, fields: dict[str, Value]) -> None:
        rows = [element(2, CType="shortcut", records="4"), element(4, pid=8)]
        assert shown(*rows, pages=[{"uid": 8, "pid": 1, **fields}]) == []

    def test_a_folder_and_a_restricted_ancestor_do_not_close_it(self) -> None:
        pages = [
            {"uid": 8, "pid": 9, "doktype": 254},
            {"uid": 9, "hidden": 1, "extendToSubpages": 1},
        ]
        rows = [element(2, CType="shortcut", records="4"), element(4, pid=8)]
        assert shown(*rows, pages=pages) == [4]

    def test_they_are_shown_in_the_language_of_the_page(self) -> None:
        rows = [
            element(2, CType="shortcut", records="4,6,8"),
            german(3, parent=2, CType="shortcut", records="4,6,8"),
            element(4, pid=8),
            german(5, parent=4, pid=8),
            element(6, pid=8),
            element(8, pid=8, sys_language_uid=FREE),
        ]
        assert shown(*rows, language=STRICT, pages=self.elsewhere) == [5]
        assert shown(*rows, language=CHAIN, pages=self.elsewhere) == [5, 6]
        assert shown(*rows, pages=self.elsewhere) == [4, 6]

    def test_free_mode_shows_them_as_they_are(self) -> None:
        language = {"sys_language_uid": FREE}
        rows = [
            element(2, CType="shortcut", records="4,5", **language),
            element(4, pid=8),
            german(5, parent=4, pid=8),
        ]
        assert shown(*rows, language=FREE, pages=self.elsewhere) == [4, 5]

    def test_they_may_be_nested(self) -> None:
        rows = [
            element(2, CType="shortcut", records="4"),
            element(4, pid=8, CType="shortcut", records="5"),
            element(5, pid=9),
        ]
        assert shown(*rows, pages=self.elsewhere) == [5]

    def test_loops_end(self) -> None:
        rows = [
            element(2, CType="shortcut", records="4,2"),
            element(4, pid=8, CType="shortcut", records="2,4,5"),
            element(5, pid=9),
        ]
        assert set(shown(*rows, pages=self.elsewhere)) == {5}

    @pytest.mark.parametrize("number", [2**32, 10**20, "9" * 5000])
    def test_a_number_that_no_row_can_have_is_not_asked_for(self, number: int | str) -> None:
        rows = [element(2, CType="shortcut", records=f"{number},4"), element(4, pid=8)]
        assert shown(*rows, pages=self.elsewhere) == [4]

    def test_hostile_nesting_ends(self) -> None:
        rows = [
            element(uid, CType="shortcut", records=f"{uid + 1},{uid + 1}") for uid in range(1, 60)
        ]
        assert shown(*rows) == []


class TestStatements:
    def test_one_statement_serves_all_pages_and_languages(self) -> None:
        database = MemoryDatabase(PAGES, [element(1), german(2, parent=1)])
        judged = verdicts(database, (3, 0), (3, STRICT), (1, 0))
        database.statements.clear()
        content = visible_content(database, judged, now=NOW)
        assert {key: [each.uid for each in row] for key, row in content.items()} == {
            (3, 0): [1],
            (3, STRICT): [2],
            (1, 0): [],
        }
        assert len(database.statements) == 1

    def test_inserted_records_of_all_pages_take_one_more(self) -> None:
        rows = [
            element(1, CType="shortcut", records="4"),
            element(2, pid=1, CType="shortcut", records="5"),
            element(4, pid=8),
            element(5, pid=8),
        ]
        database = MemoryDatabase([*PAGES, {"uid": 8}], rows)
        judged = verdicts(database, (3, 0), (1, 0))
        database.statements.clear()
        visible_content(database, judged, now=NOW)
        assert len(database.statements) == 2

    def test_inserted_records_of_the_same_pages_take_none(self) -> None:
        database = MemoryDatabase(PAGES, [element(1, CType="shortcut", records="2"), element(2)])
        judged = verdicts(database, (3, 0))
        database.statements.clear()
        visible_content(database, judged, now=NOW)
        assert len(database.statements) == 1

    def test_hidden_pages_are_not_read(self) -> None:
        database = MemoryDatabase([{"uid": 1}, {"uid": 3, "pid": 1, "hidden": 1}], [element(1)])
        judged = verdicts(database, (3, 0), (99, 0))
        database.statements.clear()
        assert visible_content(database, judged, now=NOW) == {}
        assert not database.statements


def test_content_from_another_page_is_read_there() -> None:
    pages = [{"uid": 1}, {"uid": 3, "pid": 1, "content_from_pid": 8}, {"uid": 8, "pid": 1}]
    database = MemoryDatabase(pages, [element(1), element(2, pid=8)])
    content = visible_content(database, verdicts(database, (3, 0)), now=NOW)
    assert [(each.uid, each.page_uid) for each in content[3, 0]] == [(2, 8)]


def test_a_schema_without_some_columns_will_do() -> None:
    lacking = ("subheader", "records", "header_layout")
    database = MemoryDatabase(PAGES, [element(1, header="Head")], without=lacking)
    content = visible_content(database, verdicts(database, (3, 0)), now=NOW)
    assert content[3, 0][0].texts() == ("Head", "text 1")
