"""The contract for the Solr backend, over an engine in memory.

The same contract runs against a real Solr in tests/integration/solr. This one needs no server.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from tests.contract.backend_contract import SearchBackendContract
from tests.contract.site import CONTENT, PAGES, SITES, resources
from tests.contract.solr_documents import CORES, documents
from tests.contract.tables import write_sqlite
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.solr import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.ranking.analysis import analyzer
from typo3_retrieval.core.ranking.bm25f import Text, scores
from typo3_retrieval.core.ranking.question import Question
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.sites import Sites

LANGUAGES = {"core_en": "en", "core_de": "de", "core_fr": "fr", "core_de_at": "pl"}


class MemorySolr:
    """Answers the two requests that the backend makes: a search in words, and one by uid."""

    def __init__(self) -> None:
        self.cores: dict[str, list[dict[str, Any]]] = {core: [] for core in LANGUAGES}
        for core, document in documents():
            self.cores[core].append(document)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        core = request.url.path.split("/")[-2]
        form = parse_qs(request.content.decode())
        assert form["fq"][0] == "{!typo3access}0,-1"
        roots = set(re.findall(r'"(0-\d+/)"', form["fq"][-1]))
        there = [each for each in self.cores[core] if roots.intersection(each["rootline"])]
        (words,) = form["q"]
        if by_uid := re.fullmatch(r"\+type:pages \+uid:(\d+)", words):
            found = [each for each in there if each["uid"] == int(by_uid[1])]
        else:
            found = self._search(LANGUAGES[core], words, there)[: int(form["rows"][0])]
        answer = {"responseHeader": {"status": 0}, "response": {"docs": found}}
        return httpx.Response(200, content=json.dumps(answer).encode())

    def _search(
        self, language: str, words: str, there: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        analysis = analyzer(language)
        terms = analysis.question(words)
        question = Question(analysis, terms, dict.fromkeys((term.text for term in terms), 1.0))
        texts = [Text(each["title"], each["content"], each["description"]) for each in there]
        scored = zip(there, scores(question, texts), strict=True)
        found = [{**each, "score": score.value} for each, score in scored if score.value]
        return sorted(found, key=lambda each: -each["score"])


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteDatabase]:
    path: Path = tmp_path_factory.mktemp("contract") / "site.sqlite"
    write_sqlite(path, {"pages": PAGES, "tt_content": CONTENT})
    database = SqliteDatabase(path)
    yield database
    database.close()


def built(database: SqliteDatabase, transport: httpx.BaseTransport) -> SearchBackend:
    cores = [{"languageId": each, "solr_core_read": core} for each, core in CORES.items()]
    sites = Sites(sites=tuple(replace(site, settings={"languages": cores}) for site in SITES))
    ours = resources(database)
    return BACKEND.build(replace(ours, sites=sites, http=lambda: httpx.Client(transport=transport)))


@pytest.fixture(scope="module")
def backend(database: SqliteDatabase) -> SearchBackend:
    return built(database, httpx.MockTransport(MemorySolr()))


@pytest.fixture
def dead_backend(database: SqliteDatabase) -> SearchBackend:
    def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    return built(database, httpx.MockTransport(refuse))


class TestSolr(SearchBackendContract):
    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        return SourceId.of("solr", "main", "pages", page_uid, language_id)
