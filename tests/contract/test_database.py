"""The contract for the backend over TYPO3's own tables, on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.site import CONTENT, PAGES, resources
from tests.contract.tables import write_sqlite
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends import database as backend_module
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId


@pytest.fixture(scope="module")
def site_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    return write_sqlite(path, {"pages": PAGES, "tt_content": CONTENT})


class TestDatabaseOnSqlite(SearchBackendContract):
    @pytest.fixture(scope="class")
    def backend(self, site_file: Path) -> Iterator[SearchBackend]:
        database = SqliteDatabase(site_file)
        yield backend_module.BACKEND.build(resources(database))
        database.close()

    @pytest.fixture
    def dead_backend(self, site_file: Path) -> SearchBackend:
        database = SqliteDatabase(site_file)
        backend = backend_module.BACKEND.build(resources(database))
        database.close()
        return backend

    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("database", page_uid, language_id)
