"""The contract for the backend over ke_search's index, on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.indexes import KE_SEARCH_TABLE, ke_search_id, ke_search_rows, write_site
from tests.contract.site import resources
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.ke_search import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId


@pytest.fixture(scope="module")
def site_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    return write_site(path, [KE_SEARCH_TABLE], {"tx_kesearch_index": list(ke_search_rows())})


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


class TestKeSearchOnSqlite(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("ke_search", ke_search_id(page_uid, language_id))
