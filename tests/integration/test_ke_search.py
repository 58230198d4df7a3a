"""ke_search's index on a real MariaDB: both engines, and tables that are not as they should be."""

from collections.abc import Iterator

import pytest

from tests.contract.backend_contract import ACCESS, SearchBackendContract, hits
from tests.contract.indexes import (
    FILE_TABLES,
    KE_SEARCH_TABLE,
    inserts,
    ke_search_id,
    ke_search_rows,
    site_inserts,
)
from tests.contract.site import COMMON, resources
from tests.contract.tables import create_statements
from tests.integration.databases import Connect, connected, sql_mode, unreachable
from tests.servers.mariadb import MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.backends.ke_search import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId

KEY = "ALTER TABLE tx_kesearch_index ADD FULLTEXT titlecontent (title, content)"
DROP_KEY = "ALTER TABLE tx_kesearch_index DROP KEY titlecontent"


@pytest.fixture(scope="module")
def connect(mariadb_server: MariaDb) -> Iterator[Connect]:
    opened: list[MysqlDatabase] = []

    def connection(name: str) -> MysqlDatabase:
        opened.append(connected(mariadb_server.port, name))
        return opened[-1]

    yield connection
    for each in opened:
        each.close()


def fill(server: MariaDb, name: str, engine: str, charset: str = "utf8mb4") -> None:
    """Make a database with the contract's site and ke_search's index of it."""
    server.create_database(name, charset=charset, collation=f"{charset}_unicode_ci")
    table = f"{KE_SEARCH_TABLE} ENGINE={engine}"
    server.execute(*create_statements(), *FILE_TABLES, table, KEY, database=name)
    with server.connect(name) as connection, connection.cursor() as cursor:
        for statement, values in site_inserts("%s"):
            cursor.execute(statement, values)
        for statement, values in inserts({"tx_kesearch_index": list(ke_search_rows())}, "%s"):
            cursor.execute(statement, values)


@pytest.fixture(
    scope="module", params=["innodb utf8mb4", "myisam utf8mb4", "innodb utf8mb3", "myisam utf8mb3"]
)
def name_of_site(request: pytest.FixtureRequest, mariadb_server: MariaDb) -> str:
    """The name of a database with the site."""
    engine, charset = request.param.split()
    name = f"ke_search_{engine}_{charset}"
    fill(mariadb_server, name, engine, charset)
    return name


@pytest.fixture(scope="module")
def backend(name_of_site: str, connect: Connect) -> SearchBackend:
    return BACKEND.build(resources(connect(name_of_site)))


@pytest.fixture
def dead_backend() -> SearchBackend:
    return BACKEND.build(resources(unreachable()))


class TestKeSearchOnMariaDb(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("ke_search", ke_search_id(page_uid, language_id))


@pytest.fixture
def own_site(mariadb_server: MariaDb) -> str:
    """A database that a test may change."""
    fill(mariadb_server, "ke_search_own", "myisam")
    return "ke_search_own"


def test_a_key_that_was_dropped_before_makes_it_read_every_row_and_say_so(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    mariadb_server.execute(DROP_KEY, database=own_site)
    backend = BACKEND.build(resources(connect(own_site)))
    answer = backend.search(RetrievalQuery.of("When is bulky waste collected?"), ACCESS)
    assert answer.sources[0].page_uid == 2
    assert answer.notes == (
        "The full-text key of ke_search's index is missing; every row was read.",
    )


def test_a_key_that_is_dropped_between_two_searches_is_not_missed(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    backend = BACKEND.build(resources(connect(own_site)))
    assert hits(backend, "bulky waste")[0].page_uid == 2
    mariadb_server.execute(DROP_KEY, database=own_site)
    assert hits(backend, "bulky waste collected")[0].page_uid == 2


def test_another_engine_between_two_searches_is_not_missed(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    backend = BACKEND.build(resources(connect(own_site)))
    assert hits(backend, "bulky waste")[0].page_uid == 2
    mariadb_server.execute("ALTER TABLE tx_kesearch_index ENGINE=InnoDB", database=own_site)
    assert hits(backend, "bulky waste collected")[0].page_uid == 2


def test_an_empty_index_is_unavailable(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    mariadb_server.execute("TRUNCATE tx_kesearch_index", database=own_site)
    availability = BACKEND.build(resources(connect(own_site))).availability()
    assert (availability.available, availability.reason) == (False, "the index is empty")


def test_no_table_is_unavailable(mariadb_server: MariaDb, own_site: str, connect: Connect) -> None:
    mariadb_server.execute("DROP TABLE tx_kesearch_index", database=own_site)
    availability = BACKEND.build(resources(connect(own_site))).availability()
    assert availability.reason == "no table tx_kesearch_index"


def test_half_of_an_upgrade_is_unavailable(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    mariadb_server.execute(
        "ALTER TABLE tx_kesearch_index DROP COLUMN targetpid, DROP COLUMN fe_group",
        database=own_site,
    )
    availability = BACKEND.build(resources(connect(own_site))).availability()
    assert availability.reason == "tx_kesearch_index lacks fe_group, targetpid"


def test_an_upgrade_between_two_searches_is_a_failure_that_is_named(
    mariadb_server: MariaDb, own_site: str, connect: Connect
) -> None:
    backend = BACKEND.build(resources(connect(own_site)))
    assert hits(backend, COMMON)
    mariadb_server.execute("ALTER TABLE tx_kesearch_index DROP COLUMN params", database=own_site)
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
        assert hits(backend, "8 am")[0].page_uid == 108
