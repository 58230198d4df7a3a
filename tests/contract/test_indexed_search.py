"""The contract for the backend over indexed_search's index, on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.indexes import INDEXED_SEARCH_TABLES, indexed_search_rows, phash, write_site
from tests.contract.site import resources
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.indexed_search import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId


@pytest.fixture(scope="module")
def site_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    return write_site(path, INDEXED_SEARCH_TABLES, indexed_search_rows())


@pytest.fixture(scope="module")
def file_without_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a site has it that searches by MySQL's own full-text key."""
    rows = dict(indexed_search_rows())
    del rows["index_rel"], rows["index_words"]
    path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    return write_site(path, INDEXED_SEARCH_TABLES, rows)


@pytest.fixture(scope="module", params=["site_file", "file_without_words"])
def backend(request: pytest.FixtureRequest) -> Iterator[SearchBackend]:
    database = SqliteDatabase(request.getfixturevalue(request.param))
    yield BACKEND.build(resources(database))
    database.close()


@pytest.fixture
def dead_backend(site_file: Path) -> SearchBackend:
    database = SqliteDatabase(site_file)
    database.close()
    return BACKEND.build(resources(database))


class TestIndexedSearchOnSqlite(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("indexed_search", phash(page_uid, language_id))
