"""What the Solr backend makes of the documents that EXT:solr itself indexed of the recorded site.

The index is stale on purpose: pages were hidden, restricted, deleted, renamed and emptied after it
was made. It is loaded twice: with `site` as EXT:solr writes it by default, the host, and with the
newer strategy, the site's identifier.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.markers import markers, never_shown
from tests.conformance.recorded import Recorded, lines
from tests.servers.solr import Solr
from tests.unit.core.fakes import ACCESS
from typo3_retrieval.adapters.site_files import read_sites
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.backends.solr.client import SolrClient
from typo3_retrieval.backends.solr.freshness import LiveCheck
from typo3_retrieval.backends.solr.hits import NOT_CHECKED
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.core.errors import BackendUnavailable, InvalidInput
from typo3_retrieval.core.evidence import EvidenceSource
from typo3_retrieval.core.query import MAX_SOURCES, RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import Router, RoutingSettings
from typo3_retrieval.typo3.sites import Sites

pytest_plugins = ("tests.servers.solr_fixtures",)

OPTIONS = SolrOptions(timeout=20.0, time_allowed=20_000)
RECORDED_PORT = "'18984'"  # in the recorded configurations
LANGUAGES = range(4)
NO_SEARCH = (102, 178)  # excluded from search by editors: a translation, and after indexing

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that was found, and the backend that found it."""

    backend: SolrBackend
    sources: Mapping[tuple[SourceId, str], EvidenceSource]  # by id and excerpt
    notes: frozenset[str]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(str(source_id) for source_id, _ in self.sources)


@pytest.fixture(scope="module", params=["host", "identifier"])
def indexed(
    request: pytest.FixtureRequest,
    truth: Path,
    truth_solr: Solr,
    truth_solr_documents: list[Line],
) -> Iterator[Solr]:
    """The recorded documents; `site` and `siteHash` by one strategy or the other."""
    if request.param == "host":
        yield truth_solr
        return
    newer = lines(truth / "solr" / "solr_documents_site_identifier.jsonl")
    by_key = {_key(line): line for line in newer}
    truth_solr.load_by_core(
        [
            {
                **document,
                **{name: by_key[_key(document)][name] for name in ("id", "site", "siteHash")},
            }
            for document in truth_solr_documents
        ],
    )
    yield truth_solr
    truth_solr.load_by_core(truth_solr_documents)


def _key(document: Mapping[str, Any]) -> tuple[str, str]:
    """Core and id without the hash, which is the strategy's."""
    return document["core"], document["id"].partition("/")[2]


@pytest.fixture(scope="module")
def sites(truth: Path, truth_solr: Solr, tmp_path_factory: pytest.TempPathFactory) -> Sites:
    """The recorded sites, with their cores on our server."""
    folder = tmp_path_factory.mktemp("sites")
    for file in (truth / "solr" / "sites").glob("*.yaml"):
        (folder / file.stem).mkdir()
        text = file.read_text(encoding="utf-8").replace(RECORDED_PORT, str(truth_solr.port))
        (folder / file.stem / "config.yaml").write_text(text, encoding="utf-8")
    recorded = json.loads((truth / "truth.json").read_text(encoding="utf-8"))
    return read_sites(
        folder, context=recorded["applicationContext"], environment=recorded["environment"]
    )


@pytest.fixture(scope="module")
def live(truth_sqlite: Path, recorded: Recorded, sites: Sites) -> Iterator[LiveCheck]:
    database = SqliteDatabase(truth_sqlite)
    routing = RoutingSettings(encryption_key=recorded.encryption_key)
    router = Router(sites, database, routing, now=lambda: recorded.now)
    pages = PublicPages(database=database, sites=sites, router=router, now=lambda: recorded.now)
    yield LiveCheck(database=database, public_pages=pages, now=lambda: recorded.now)
    database.close()


@pytest.fixture(scope="module")
def client(recorded: Recorded) -> Iterator[SolrClient]:
    client = SolrClient(options=OPTIONS, now=lambda: recorded.now)
    yield client
    client.close()


@pytest.fixture(scope="module")
def queries(truth: Path) -> list[RetrievalQuery]:
    """All that was asked when the reference was recorded, and each row's own word."""
    asked = lines(truth / "solr" / "solr_search.jsonl")
    wanted = {
        (line["query"], line["language"] or 0, line.get("site"))
        for line in asked
        if line.get("site") != "nope" and (line["language"] or 0) in LANGUAGES
    }
    wanted |= {(word, each, None) for word in never_shown(truth) for each in LANGUAGES}
    queries = []
    for text, language_id, site in sorted(wanted, key=str):
        try:
            queries.append(
                RetrievalQuery.of(text, limit=MAX_SOURCES, language_id=language_id, site=site)
            )
        except InvalidInput:  # too short
            continue
    return queries


def _asked(backend: SolrBackend, queries: list[RetrievalQuery]) -> Asked:
    sources: dict[tuple[SourceId, str], EvidenceSource] = {}
    notes: set[str] = set()
    for query in queries:
        answer = backend.search(query, ACCESS)
        notes.update(answer.notes)
        sources.update({(each.source_id, each.excerpt): each for each in answer.sources})
    return Asked(backend, sources, frozenset(notes))


@pytest.fixture(scope="module")
def checked(
    indexed: Solr,
    sites: Sites,
    live: LiveCheck,
    client: SolrClient,
    queries: list[RetrievalQuery],
) -> Asked:
    """All answers, with the live tables at hand."""
    del indexed
    return _asked(SolrBackend(sites=sites, client=client, options=OPTIONS, live=live), queries)


@pytest.fixture(scope="module")
def unchecked(
    indexed: Solr, sites: Sites, client: SolrClient, queries: list[RetrievalQuery]
) -> Asked:
    """All answers, without a database."""
    del indexed
    return _asked(SolrBackend(sites=sites, client=client, options=OPTIONS, live=None), queries)


@pytest.fixture(scope="module")
def url_checks(truth: Path) -> Mapping[str, Line]:
    """What an anonymous visitor gets at each document's address, by the id of its source."""
    checks: dict[str, Line] = {}
    for line in lines(truth / "solr" / "solr_url_check.jsonl"):
        # A mount point's variant is another address of the same source.
        if line["anonymous_by_access_filter"] and line["id"].count("/") < 6:
            checks[f"{line['type']}:{line['uid']}:{line['language']}"] = line
    return checks


def _owner(source: EvidenceSource) -> str:
    """The site of a page by its uid, see the README of what was recorded; main has all records."""
    if source.page_uid is None or source.page_uid < 200:
        return "main"
    return "campaign" if source.page_uid < 220 else "intranet"


def _document_of(source_id: str) -> str:
    """Type, uid and language of a source id."""
    return source_id.split(":", 2)[2]


def test_enough_was_asked_and_found(checked: Asked, queries: list[RetrievalQuery]) -> None:
    assert len(queries) > 600
    assert len(checked.ids) > 250


def test_no_answer_holds_what_no_visitor_ever_saw(checked: Asked, truth: Path) -> None:
    forbidden = never_shown(truth)
    for source in checked.sources.values():
        assert not forbidden & markers(source.title, source.excerpt), source.source_id
    for source_id in {source_id for source_id, _ in checked.sources}:
        document = checked.backend.fetch(source_id, ACCESS)
        assert document is not None, f"{source_id} was found and cannot be read"
        assert not forbidden & markers(document.title, document.text), source_id


def test_no_document_read_by_its_id_holds_what_no_visitor_ever_saw(
    checked: Asked, truth: Path
) -> None:
    forbidden = never_shown(truth)
    read = 0
    for line in lines(truth / "solr" / "solr_fetch.jsonl"):
        try:
            source_id = SourceId.parse(line["source_id"])
        except InvalidInput:
            continue
        document = checked.backend.fetch(source_id, ACCESS)
        read += document is not None
        assert document is None or not forbidden & markers(document.text), source_id
    assert read > 100


def test_every_citation_resolves(checked: Asked, truth: Path) -> None:
    opened = {
        line["router_url"]
        for line in lines(truth / "page_verdicts.jsonl")
        if line["router_status"] == 200 and line["anonymous_sees_page"]
    }
    opened |= {
        line["requested"]
        for line in lines(truth / "solr" / "solr_url_check.jsonl")
        if line["status"] == 200
    }
    opened |= {line["url"] for line in lines(truth / "http.jsonl") if line["status"] == 200}
    assert {source.url for source in checked.sources.values()} - opened == set()


def test_every_hit_is_labelled_with_its_own_site(checked: Asked) -> None:
    for source in checked.sources.values():
        assert source.site == _owner(source)
        assert source.source_id.parts[0] == source.site


def test_stale_documents_are_neither_found_nor_read(checked: Asked, truth: Path) -> None:
    """But for renamed pages, which have their new address, and emptied ones: see below."""
    gone = [
        line
        for line in lines(truth / "solr" / "solr_stale.jsonl")
        if {"page_not_visible", "url_is_no_url"}.intersection(line["why"])
    ]
    assert len(gone) == 23
    for line in gone:
        source_id = f"solr:main:{line['type']}:{line['uid']}:{line['language']}"
        assert source_id not in checked.ids
        assert checked.backend.fetch(SourceId.parse(source_id), ACCESS) is None


def test_text_that_left_a_page_is_gone(checked: Asked, truth: Path) -> None:
    """Of records only the row is checked: one's detail page shows another language's text."""
    emptied = [
        line
        for line in lines(truth / "solr" / "solr_stale.jsonl")
        if "indexed_text_not_on_page" in line["why"] and line["type"] == "pages"
    ]
    assert len(emptied) == 3
    for line in emptied:
        document = checked.backend.fetch(
            SourceId.of("solr", "main", "pages", line["uid"], line["language"]), ACCESS
        )
        assert document is not None
        assert not set(line["content_markers_missing_in_response"]) & markers(document.text)


def test_what_visitors_see_is_read_under_its_address(
    checked: Asked, url_checks: Mapping[str, Line]
) -> None:
    """Nothing good is lost: each public document is there, at the address where it answered."""
    read = 0
    for name, line in url_checks.items():
        if line["status"] != 200 or not line["shows_this_row"]:
            continue
        if line["uid"] in NO_SEARCH:
            continue
        site = "campaign" if 200 <= line["uid"] < 220 else "main"
        document = checked.backend.fetch(SourceId.parse(f"solr:{site}:{name}"), ACCESS)
        assert document is not None, name
        assert document.url == line["requested"]
        read += 1
    assert read > 280


def test_with_the_tables_there_is_nothing_to_note(checked: Asked) -> None:
    assert not checked.notes


def test_without_a_database_only_what_went_stale_is_wrong(unchecked: Asked, truth: Path) -> None:
    assert unchecked.notes == {NOT_CHECKED}
    answered = {
        line["requested"]: line["status"] for line in lines(truth / "solr" / "solr_url_check.jsonl")
    }
    stale = {line["requested"] for line in lines(truth / "solr" / "solr_stale.jsonl")}
    for source in unchecked.sources.values():
        assert answered[source.url] == 200 or source.url in stale
        # Page 207 of the campaign is shown in main too, through a mount point.
        assert source.site == _owner(source) or source.page_uid == 207


def test_a_disabled_language_finds_nothing(checked: Asked) -> None:
    assert not checked.backend.search(RetrievalQuery.of("waste", language_id=4), ACCESS).sources


def test_a_site_that_has_no_core_in_a_language_is_left_to_others(
    sites: Sites, client: SolrClient
) -> None:
    (main,) = (site for site in sites if site.identifier == "main")
    settings = {name: each for name, each in main.settings.items() if name != "languages"}
    bare = Sites(
        sites=(
            type(main)(
                identifier=main.identifier,
                root_page_uid=main.root_page_uid,
                base=main.base,
                languages=main.languages,
                settings=settings,
            ),
        )
    )
    backend = SolrBackend(sites=bare, client=client, options=OPTIONS, live=None)
    with pytest.raises(BackendUnavailable):
        backend.search(RetrievalQuery.of("waste"), ACCESS)
