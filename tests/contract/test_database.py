"""The contract for the backend over TYPO3's own tables, on SQLite."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.contract.backend_contract import SearchBackendContract, hits
from tests.contract.site import CONTENT, PAGES, element, page, resources
from tests.contract.tables import write_sqlite
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.database import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.database import Value


@pytest.fixture(scope="module")
def site_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    return write_sqlite(path, {"pages": PAGES, "tt_content": CONTENT})


@pytest.fixture(scope="module")
def backend(site_file: Path) -> Iterator[SearchBackend]:
    database = SqliteDatabase(site_file)
    yield BACKEND.build(resources(database))
    database.close()


@pytest.fixture
def dead_backend(site_file: Path) -> SearchBackend:
    database = SqliteDatabase(site_file)
    database.close()
    return BACKEND.build(resources(database))


class TestDatabaseOnSqlite(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("database", page_uid, language_id)


CROWD = range(1_000, 1_400)  # more than the pages of one kind that are looked at


@pytest.mark.parametrize(
    ("parent", "crowding"),
    [
        ({"fe_group": "1", "extendToSubpages": 1}, {}),  # an intranet beside the public site
        ({"deleted": 1}, {}),
        ({"doktype": 6}, {}),
        ({}, {"fe_group": "1"}),
        ({}, {"hidden": 1}),
        ({}, {"no_search": 1}),
        ({}, {"doktype": 254}),
    ],
    ids=str,
)
def test_pages_that_nobody_sees_do_not_crowd_out_the_others(
    tmp_path: Path, parent: Mapping[str, Value], crowding: Mapping[str, Value]
) -> None:
    pages = [
        page(1, "Home", pid=0, slug="/", is_siteroot=1),
        page(2, "Intranet", **parent),
        *(page(uid, "Waste", pid=2, **crowding) for uid in CROWD),
        page(9_000, "Waste"),
    ]
    content = [element(uid, uid, "Bulky waste") for uid in (*CROWD, 9_000)]
    path = write_sqlite(tmp_path / "crowd.sqlite", {"pages": pages, "tt_content": content})
    database = SqliteDatabase(path)
    found = hits(BACKEND.build(resources(database)), "bulky waste")
    database.close()
    assert [hit.page_uid for hit in found] == [9_000]


@pytest.mark.parametrize(
    "parent",
    [{"no_search": 1}, {"doktype": 254}, {"doktype": 199}, {"hidden": 1}, {"fe_group": "1"}],
)
def test_a_page_below_one_that_is_not_shown_is_found(
    tmp_path: Path, parent: Mapping[str, Value]
) -> None:
    extends = 0 if parent.keys() & {"hidden", "fe_group"} else 1
    pages = [
        page(1, "Home", pid=0, slug="/", is_siteroot=1),
        page(2, "Parent", extendToSubpages=extends, **parent),
        page(3, "Bulky waste", pid=2),
    ]
    path = write_sqlite(tmp_path / "below.sqlite", {"pages": pages})
    database = SqliteDatabase(path)
    found = hits(BACKEND.build(resources(database)), "bulky waste")
    database.close()
    assert [hit.page_uid for hit in found] == [3]
