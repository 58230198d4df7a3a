"""The live check asks MariaDB what SQLite is asked elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.recorded import Recorded
from tests.servers.mariadb import HOST, TRUTH_DATABASE, TRUTH_READER, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.backends.solr.answer import SolrDocument
from typo3_retrieval.backends.solr.freshness import LiveCheck
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import Router, RoutingSettings

RECORDS = "tx_minirecords_item"


@pytest.fixture(scope="module")
def live(truth: Path, truth_mariadb: MariaDb) -> Iterator[LiveCheck]:
    recorded = Recorded(truth)
    database = MysqlDatabase(
        host=HOST,
        port=truth_mariadb.port,
        name=TRUTH_DATABASE,
        credentials=lambda _: Credentials(
            username=TRUTH_READER.username, password=TRUTH_READER.password
        ),
    )
    routing = RoutingSettings(encryption_key=recorded.encryption_key)
    router = Router(recorded.sites, database, routing, now=lambda: recorded.now)
    pages = PublicPages(
        database=database, sites=recorded.sites, router=router, now=lambda: recorded.now
    )
    yield LiveCheck(database=database, public_pages=pages, now=lambda: recorded.now)
    database.close()


def test_pages_that_are_not_public_are_left_out(live: LiveCheck) -> None:
    assert set(live.pages([(3, 0), (3, 1), (175, 0), (178, 0)])) == {(3, 0), (3, 1)}


def test_text_that_left_a_page_is_replaced(live: LiveCheck) -> None:
    pages = live.pages([(3, 0), (181, 0)])
    hidden = "Content element about the rainbowtrout that is hidden later."
    documents = {3: "Waste collection", 181: hidden}
    texts = live.outdated_texts(
        [
            (page, SolrDocument(kind="pages", uid=page.uid, text=documents[page.uid]))
            for page in pages.values()
        ]
    )
    assert set(texts) == {(181, 0)}
    assert not any("rainbowtrout" in line for line in texts[181, 0])


def test_records_that_are_gone_are_told(live: LiveCheck) -> None:
    hidden = live.hidden_records({RECORDS: {1, 2, 9_999}, "tx_elsewhere": {1}})
    assert (RECORDS, 9_999) in hidden
    assert not {(RECORDS, 1), ("tx_elsewhere", 1)} & hidden
