"""What the database backend finds and reads on the recorded site: all that is public, no more."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.markers import markers, never_shown
from tests.conformance.recorded import LANGUAGES, Recorded, lines
from typo3_retrieval.backends.database.backend import DatabaseBackend
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.query import MAX_SOURCES, RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import Router, RoutingSettings

ACCESS = AccessContext.public_only(BackendUser("1"))


@pytest.fixture(scope="module")
def backend(database: Database, recorded: Recorded) -> DatabaseBackend:
    routing = RoutingSettings(encryption_key=recorded.encryption_key)
    router = Router(recorded.sites, database, routing, now=lambda: recorded.now)
    return DatabaseBackend(
        database=database,
        sites=recorded.sites,
        public_pages=PublicPages(
            database=database, sites=recorded.sites, router=router, now=lambda: recorded.now
        ),
        now=lambda: recorded.now,
    )


@pytest.fixture(scope="module")
def secret(truth: Path) -> frozenset[str]:
    """The markers that no visitor saw."""
    never = never_shown(truth)
    assert never
    return never


def _queries(recorded_lines: Iterable[dict[str, Any]]) -> Iterator[RetrievalQuery]:
    for text in sorted({line["query"] for line in recorded_lines}):
        for language_id in LANGUAGES:
            try:
                yield RetrievalQuery.of(text, language_id=language_id, limit=MAX_SOURCES)
            except InvalidInput:
                continue


def test_no_search_and_no_hit_read_in_full_shows_what_no_visitor_saw(
    backend: DatabaseBackend, truth: Path, secret: frozenset[str]
) -> None:
    hits = 0
    for query in _queries(lines(truth / "search.jsonl")):
        for source in backend.search(query, ACCESS).sources:
            document = backend.fetch(source.source_id, ACCESS)
            assert document is not None, f"{source.source_id} was found and cannot be read"
            leaked = secret & markers(source.title, source.excerpt, document.title, document.text)
            assert not leaked, (query.text, str(source.source_id))
            hits += 1
    assert hits > 0


def test_no_recorded_id_reads_what_no_visitor_saw(
    backend: DatabaseBackend, truth: Path, secret: frozenset[str]
) -> None:
    read = 0
    for line in lines(truth / "fetch.jsonl"):
        try:
            source_id = SourceId.parse(line["source_id"])
        except InvalidInput:
            continue
        document = backend.fetch(source_id, ACCESS)
        if document is not None:
            assert source_id.backend == backend.name
            assert secret.isdisjoint(markers(document.title, document.text)), line
            read += 1
    assert read > 0


@pytest.fixture(scope="module")
def excluded(database: Database) -> frozenset[str]:
    """The markers of pages that their editors kept out of search."""
    rows = database.rows(
        "SELECT p.uid FROM pages p LEFT JOIN pages d ON d.uid = p.l10n_parent"
        " WHERE p.no_search = 1 OR d.no_search = 1"
    )
    return frozenset(f"mxp{int(row['uid'] or 0)}z" for row in rows)


def _found(backend: DatabaseBackend, text: str, language_id: int) -> set[int | None]:
    query = RetrievalQuery.of(text, language_id=language_id, limit=MAX_SOURCES)
    return {source.page_uid for source in backend.search(query, ACCESS).sources}


def test_every_element_leads_to_the_pages_where_it_was_seen(
    backend: DatabaseBackend, recorded: Recorded, excluded: frozenset[str]
) -> None:
    shown = {
        (line["page"], line["language"])
        for line in recorded.pages
        # Where another page answers at the address, the recorded text is that one's.
        if line["router_shows_this_page"] and excluded.isdisjoint(line["rendered_record"])
    }
    looked_for = 0
    for line in recorded.content:
        # Column 1 is printed by one page's template only; see RETRIEVAL_TYPO3_CONTENT_COLUMNS.
        if line["colPos"] != 0:
            continue
        seen_on = {line["pid"]} if line["seen_on_own_page"] else set()
        seen_on |= set(line["seen_on_other_pages"])
        # Mounted content is seen at mount points, too: the page itself is cited instead.
        expected = {page for page in seen_on if (page, line["language"]) in shown}
        if expected:
            found = _found(backend, line["marker"], line["language"])
            assert expected <= found, line
            looked_for += 1
    assert looked_for > 0


def test_every_visible_page_is_found_by_its_own_marker(
    backend: DatabaseBackend, recorded: Recorded, excluded: frozenset[str]
) -> None:
    visible = [line for line in recorded.pages if line["anonymous_sees_page"]]
    assert len(visible) > len(excluded)
    for line in visible:
        (marker,) = line["rendered_record"]
        found = _found(backend, marker, line["language"])
        # Editors kept these out of search; a visitor who knows the address reads them.
        assert (line["page"] in found) == (marker not in excluded), line


@pytest.mark.parametrize(
    ("question", "language_id", "url"),
    [
        (
            "When is bulky waste collected?",
            0,
            "https://www.example.org/citizen-services/waste-collection",
        ),
        (
            "Wann wird der Sperrmüll abgeholt?",
            1,
            "https://www.example.org/de/buergerservice/muellabfuhr",
        ),
    ],
)
def test_a_real_question_cites_its_page_first(
    backend: DatabaseBackend, question: str, language_id: int, url: str
) -> None:
    answer = backend.search(RetrievalQuery.of(question, language_id=language_id), ACCESS)
    assert answer.sources[0].url == url


def test_an_answer_costs_at_most_five_statements(
    backend: DatabaseBackend, database: Database, recorded: Recorded, truth: Path
) -> None:
    counting = Counting(database)
    router = Router(recorded.sites, counting, RoutingSettings(), now=lambda: recorded.now)
    pages = PublicPages(
        database=counting, sites=recorded.sites, router=router, now=lambda: recorded.now
    )
    backend = DatabaseBackend(
        database=counting, sites=recorded.sites, public_pages=pages, now=lambda: recorded.now
    )
    for query in _queries(lines(truth / "search.jsonl")):
        counting.statements = 0
        backend.search(query, ACCESS)
        assert counting.statements <= 5, query


class Counting:
    """A `Database` that counts what it is asked."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.dialect = database.dialect
        self.columns = database.columns
        self.statements = 0

    def rows(self, *arguments: Any) -> Any:
        self.statements += 1
        return self._database.rows(*arguments)
