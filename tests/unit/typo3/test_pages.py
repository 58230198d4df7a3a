"""Pages, rootlines and translations, and the one statement that loads them."""

import pytest

from tests.unit.typo3.rows import PAGE, MemoryDatabase
from typo3_retrieval.core.errors import BackendProtocolError
from typo3_retrieval.typo3.pages import MAX_DEPTH, Page, PageTree, load_pages


def _loaded(database: MemoryDatabase, *uids: int) -> set[int]:
    return {page.uid for page in load_pages(database, uids)}


def test_a_page_comes_with_its_ancestors_and_all_their_translations_in_one_statement() -> None:
    database = MemoryDatabase(
        [
            {"uid": 1},
            {"uid": 2, "pid": 1},
            {"uid": 3, "pid": 2},
            {"uid": 4, "pid": 1, "title": "not asked for"},
            {"uid": 1001, "sys_language_uid": 1, "l10n_parent": 1},
            {"uid": 1003, "pid": 2, "sys_language_uid": 1, "l10n_parent": 3},
        ]
    )
    assert _loaded(database, 3) == {1, 2, 3, 1001, 1003}
    assert len(database.statements) == 1


def test_a_translation_brings_its_page() -> None:
    database = MemoryDatabase(
        [
            {"uid": 1},
            {"uid": 3, "pid": 1},
            {"uid": 1003, "pid": 1, "sys_language_uid": 1, "l10n_parent": 3},
        ]
    )
    tree = load_pages(database, [1003])
    assert tree.default_page(1003) == tree.page(3)


@pytest.mark.parametrize(
    "pointer",
    [
        {"doktype": 4, "shortcut": 7},
        {"doktype": 7, "mount_pid": 7},
        {"content_from_pid": 7},
    ],
)
def test_a_page_brings_what_it_points_to_with_its_ancestors(pointer: dict[str, int]) -> None:
    rows = [{"uid": 1}, {"uid": 6}, {"uid": 7, "pid": 6}, {"uid": 3, "pid": 1, **pointer}]
    assert _loaded(MemoryDatabase(rows), 3) == {1, 3, 6, 7}


def test_a_translation_brings_what_it_points_to() -> None:
    translation = {"uid": 1003, "sys_language_uid": 1, "l10n_parent": 3, "doktype": 4}
    rows = [{"uid": 3}, {"uid": 8}, {**translation, "shortcut": 8}]
    assert _loaded(MemoryDatabase(rows), 3) == {3, 8, 1003}


def test_a_shortcut_field_of_another_doktype_points_nowhere() -> None:
    assert _loaded(MemoryDatabase([{"uid": 3, "shortcut": 7}, {"uid": 7}]), 3) == {3}


def test_cycles_end() -> None:
    rows = [
        {"uid": 1, "pid": 2},
        {"uid": 2, "pid": 1, "doktype": 4, "shortcut": 3},
        {"uid": 3, "pid": 3, "doktype": 4, "shortcut": 2},
    ]
    assert _loaded(MemoryDatabase(rows), 1) == {1, 2, 3}


def test_rows_of_a_workspace_are_not_loaded() -> None:
    rows = [
        {"uid": 1, "t3ver_wsid": 1},
        {"uid": 2, "pid": 1},
        {"uid": 1002, "sys_language_uid": 1, "l10n_parent": 2, "t3ver_wsid": 1},
    ]
    assert _loaded(MemoryDatabase(rows), 1, 2) == {2}


def test_a_deleted_row_is_loaded_so_that_it_can_be_named() -> None:
    tree = load_pages(MemoryDatabase([{"uid": 1, "deleted": 1}]), [1])
    page = tree.page(1)
    assert page is not None
    assert page.deleted == 1


@pytest.mark.parametrize("uids", [(), (0,), (-1, 0), (2**32,), (10**30,)])
def test_nothing_is_asked_for_no_page(uids: tuple[int, ...]) -> None:
    database = MemoryDatabase()
    assert not list(load_pages(database, uids))
    assert not database.statements


def test_a_schema_without_some_fields_will_do() -> None:
    lacking = ("l10n_source", "nav_title", "SYS_LASTCHANGED")
    tree = load_pages(MemoryDatabase([{"uid": 1, "title": "Home"}], without=lacking), [1])
    assert tree.page(1) == Page(uid=1, title="Home")


@pytest.mark.parametrize("column", ["hidden", "fe_group", "extendToSubpages", "t3ver_wsid"])
def test_a_column_that_hides_must_be_there(column: str) -> None:
    with pytest.raises(BackendProtocolError, match=column):
        load_pages(MemoryDatabase([{"uid": 1}], without=(column,)), [1])


def test_every_column_arrives_in_its_field() -> None:
    text = {"fe_group", "slug", "title", "nav_title", "subtitle", "url"}
    row = {
        name: name if name in text else number
        for number, name in enumerate(PAGE, start=1)
        if name not in {"t3ver_wsid", "l10n_parent", "sys_language_uid", "content_from_pid"}
    }
    page = load_pages(MemoryDatabase([row]), [1]).page(1)
    assert page is not None
    renamed = {
        "extendToSubpages": "extend_to_subpages",
        "SYS_LASTCHANGED": "last_changed",
    }
    assert {name: getattr(page, renamed.get(name, name)) for name in row} == row


def test_empty_columns_become_empty_values() -> None:
    row = {"uid": 1, "slug": None, "fe_group": None, "starttime": None}
    assert load_pages(MemoryDatabase([row]), [1]).page(1) == Page(uid=1, fe_group="")


def test_text_that_a_driver_gives_as_bytes_is_decoded() -> None:
    assert Page.of_row({"uid": 1, "title": "Größe".encode()}).title == "Größe"


def test_a_rootline_goes_from_the_page_up() -> None:
    tree = PageTree([Page(uid=1), Page(uid=2, pid=1), Page(uid=3, pid=2)])
    assert [page.uid for page in tree.rootline(3) or ()] == [3, 2, 1]


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param([Page(uid=3, pid=2)], id="missing ancestor"),
        pytest.param([Page(uid=3, pid=2), Page(uid=2, deleted=1)], id="deleted ancestor"),
        pytest.param([Page(uid=3, deleted=1)], id="deleted page"),
        pytest.param([Page(uid=3, pid=3)], id="own parent"),
        pytest.param([Page(uid=3, pid=2), Page(uid=2, pid=3)], id="cycle"),
        pytest.param([Page(uid=uid, pid=uid + 1) for uid in range(3, 300)], id="too deep"),
        pytest.param([], id="no such page"),
    ],
)
def test_a_broken_rootline_is_none(pages: list[Page]) -> None:
    assert PageTree(pages).rootline(3) is None


def test_a_rootline_may_be_as_deep_as_typo3_allows() -> None:
    deep = [Page(uid=uid, pid=uid - 1) for uid in range(1, MAX_DEPTH + 1)]
    assert len(PageTree(deep).rootline(MAX_DEPTH) or ()) == MAX_DEPTH


def test_of_two_translations_the_younger_counts_and_deleted_ones_never() -> None:
    tree = PageTree(
        [
            Page(uid=12, l10n_parent=3, language_id=1),
            Page(uid=11, l10n_parent=3, language_id=1),
            Page(uid=13, l10n_parent=3, language_id=1, deleted=1),
        ]
    )
    assert [page.uid for page in tree.translations(3, 1)] == [11, 12]
    translation = tree.translation(3, 1)
    assert translation is not None
    assert translation.uid == 12
    assert tree.translation(3, 2) is None


def test_a_deleted_translation_leads_to_no_page() -> None:
    gone = Page(uid=11, l10n_parent=3, language_id=1, deleted=1)
    assert PageTree([Page(uid=3), gone]).default_page(11) == gone
