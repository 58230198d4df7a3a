"""The contract for the backend over TYPO3's own tables, on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.site import CONTENT, PAGES, resources
from tests.contract.tables import write_sqlite
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.database import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId


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
