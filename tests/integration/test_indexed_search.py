"""indexed_search's tables on a real MariaDB, and tables that are not as they should be."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from tests.contract.backend_contract import ACCESS, SearchBackendContract, hits
from tests.contract.indexes import (
    FILE_TABLES,
    INDEXED_SEARCH_TABLES,
    indexed_search_rows,
    inserts,
    phash,
    site_inserts,
)
from tests.contract.site import COMMON, Row, resources
from tests.contract.tables import create_statements
from tests.integration.databases import Connect, connected, sql_mode, unreachable
from tests.servers.mariadb import MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.backends.indexed_search import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId

KEYS = (
    "ALTER TABLE index_rel ADD KEY wid (wid, phash)",
    "ALTER TABLE index_words ADD KEY baseword (baseword)",
    "ALTER TABLE index_section ADD KEY page_id (page_id)",
)
TEXT_KEY = "ALTER TABLE index_fulltext ADD FULLTEXT fulltextdata (fulltextdata)"


@pytest.fixture(scope="module")
def connect(mariadb_server: MariaDb) -> Iterator[Connect]:
    opened: list[MysqlDatabase] = []

    def connection(name: str) -> MysqlDatabase:
        opened.append(connected(mariadb_server.port, name))
        return opened[-1]

    yield connection
    for each in opened:
        each.close()


def fill(
    server: MariaDb, name: str, rows: Mapping[str, Sequence[Row]], charset: str = "utf8mb4"
) -> None:
    """Make a database with the contract's site and an index of it."""
    server.create_database(name, charset=charset, collation=f"{charset}_unicode_ci")
    tables = (*create_statements(), *FILE_TABLES, *INDEXED_SEARCH_TABLES, *KEYS)
    server.execute(*tables, database=name)
    with server.connect(name) as connection, connection.cursor() as cursor:
        for statement, values in site_inserts("%s"):
            cursor.execute(statement, values)
        for statement, values in inserts(rows, "%s"):
            cursor.execute(statement, values)


def without_words() -> dict[str, Sequence[Row]]:
    """The rows of a site that searches by MySQL's own full-text key."""
    words = {"index_rel", "index_words"}
    return {name: rows for name, rows in indexed_search_rows().items() if name not in words}


@pytest.fixture(
    scope="module", params=["words utf8mb4", "words utf8mb3", "key utf8mb4", "texts utf8mb4"]
)
def name_of_site(request: pytest.FixtureRequest, mariadb_server: MariaDb) -> str:
    """The name of a database with the site."""
    kept, charset = request.param.split()
    name = f"indexed_search_{kept}_{charset}"
    rows = indexed_search_rows() if kept == "words" else without_words()
    fill(mariadb_server, name, rows, charset)
    if kept == "key":
        mariadb_server.execute(TEXT_KEY, database=name)
    return name


@pytest.fixture(scope="module")
def backend(name_of_site: str, connect: Connect) -> SearchBackend:
    return BACKEND.build(resources(connect(name_of_site)))


@pytest.fixture
def dead_backend() -> SearchBackend:
    return BACKEND.build(resources(unreachable()))


class TestIndexedSearchOnMariaDb(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("indexed_search", phash(page_uid, language_id))


@pytest.fixture
def own_site(mariadb_server: MariaDb) -> str:
    """A database that a test may change."""
    fill(mariadb_server, "indexed_search_own", indexed_search_rows())
    return "indexed_search_own"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("TRUNCATE index_phash", "the index is empty"),
        ("DROP TABLE index_phash", "no table index_phash"),
        ("DROP TABLE index_fulltext", "no table index_fulltext"),
        (
            "ALTER TABLE index_phash DROP COLUMN static_page_arguments, DROP COLUMN data_page_mp",
            "index_phash lacks data_page_mp, static_page_arguments",
        ),
        (
            "ALTER TABLE index_phash CHANGE phash old varchar(32), ADD phash int DEFAULT 7",
            "integer hashes of TYPO3 12 or before",
        ),
    ],
)
def test_tables_that_do_not_fit_are_unavailable_with_the_reason(
    mariadb_server: MariaDb, own_site: str, connect: Connect, change: str, reason: str
) -> None:
    mariadb_server.execute(change, database=own_site)
    availability = BACKEND.build(resources(connect(own_site))).availability()
    assert (availability.available, availability.reason) == (False, reason)


def test_the_groups_may_stand_in_either_table(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    mariadb_server.execute(
        "INSERT INTO index_grlist (phash, gr_list) SELECT phash, gr_list FROM index_phash",
        "ALTER TABLE index_phash DROP COLUMN gr_list",
        database=own_site,
    )
    backend = BACKEND.build(resources(connect(own_site)))
    assert hits(backend, "When is bulky waste collected?")[0].page_uid == 2


def test_an_upgrade_between_two_searches_is_a_failure_that_is_named(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    backend = BACKEND.build(resources(connect(own_site)))
    assert hits(backend, COMMON)
    mariadb_server.execute("ALTER TABLE index_phash DROP COLUMN item_title", database=own_site)
    evidence = Cascade([backend]).search(RetrievalQuery.of("bulky waste"), ACCESS)
    assert evidence.degraded
    assert [attempt.reason for attempt in evidence.attempts] == ["schema does not fit"]


@pytest.mark.parametrize("mode", ["", "STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY"])
def test_the_server_s_sql_mode_changes_nothing(
    mariadb_server: MariaDb, own_site: str, connect: Connect, mode: str
) -> None:
    with sql_mode(mariadb_server, mode):
        backend = BACKEND.build(resources(connect(own_site)))
        assert hits(backend, "When is bulky waste collected?")[0].page_uid == 2
