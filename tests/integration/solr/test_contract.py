"""The contract of all backends, kept against a real Solr whose index is hopelessly stale."""

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.site import CONTENT, PAGES, SITES, resources
from tests.contract.solr_documents import CORES, documents
from tests.contract.tables import write_sqlite
from tests.integration.solr.raw import nobody
from tests.servers.solr import HOST, Solr
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.backends.solr.client import SolrClient
from typo3_retrieval.backends.solr.freshness import LiveCheck
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.sites import Sites

pytest_plugins = ("tests.servers.solr_fixtures",)

OPTIONS = SolrOptions(timeout=20.0, time_allowed=20_000)


def sites(port: int) -> Sites:
    """The contract's sites, with their cores at *port*."""
    cores = [
        {"languageId": language_id, "solr_core_read": core} for language_id, core in CORES.items()
    ]
    keys = {"solr_host_read": HOST, "solr_port_read": port, "languages": cores}
    return Sites(sites=tuple(replace(site, settings=keys) for site in SITES))


@contextlib.contextmanager
def built(port: int, site_file: Path) -> Iterator[SolrBackend]:
    with contextlib.ExitStack() as stack:
        database = SqliteDatabase(site_file)
        stack.callback(database.close)
        ours = resources(database)
        assert ours.public_pages is not None
        live = LiveCheck(database=database, public_pages=ours.public_pages, now=ours.now)
        client = SolrClient(options=OPTIONS, now=ours.now)
        stack.callback(client.close)
        yield SolrBackend(sites=sites(port), client=client, options=OPTIONS, live=live)


@pytest.fixture(scope="module")
def site_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    return write_sqlite(path, {"pages": PAGES, "tt_content": CONTENT})


@pytest.fixture(scope="module")
def backend(solr_server: Solr, site_file: Path) -> Iterator[SolrBackend]:
    by_core: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for core, document in documents():
        by_core[core].append(document)
    for core, own in by_core.items():
        solr_server.clear(core)
        solr_server.load(core, own)
    with built(solr_server.port, site_file) as backend:
        yield backend
    for core in by_core:
        solr_server.clear(core)


@pytest.fixture
def dead_backend(site_file: Path) -> Iterator[SolrBackend]:
    with nobody() as port, built(port, site_file) as backend:
        yield backend


class TestSolr(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("solr", "main", "pages", page_uid, language_id)
