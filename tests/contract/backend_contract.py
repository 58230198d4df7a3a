"""What every search backend must do, whatever its engine.

Subclass `SearchBackendContract` in a ``Test…`` class, give it two fixtures and a method, and
override no test. The engine must hold the site of `tests.contract.site`.
"""

import re
from collections.abc import Iterable

import pytest

from tests.contract.site import (
    COLLECTION,
    COMMON,
    ENGLISH,
    FORBIDDEN,
    FRENCH,
    GERMAN,
    NOT_THERE,
    RICH,
    Forbidden,
)
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.errors import BackendError
from typo3_retrieval.core.evidence import EvidenceSource
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.core.text import one_line

ACCESS = AccessContext.public_only(BackendUser("1"))
QUESTIONS = [
    COMMON,
    "When is bulky waste collected?",
    "Wann wird Sperrmüll abgeholt?",
    "Tuesday",
    "depot",
]
LANGUAGES = [ENGLISH, GERMAN, FRENCH]

SIGNS = "+-&|!(){}[]^\"~*?:\\/'%_@#<>="
HOSTILE = [
    *SIGNS,
    *("&&", "||", ";", "§", "🎉"),
    *(f"{sign}waste" for sign in SIGNS),
    *(f"wa{sign}ste" for sign in SIGNS),
    "nach § 12 Abs. 3 XyG i. V. m. § 4 Abs. 1 Sätze 1 und 2, Abs. 5",
    "Haus / Garten",
    "Raum:B12",
    "access:*",
    "*:*",
    '_query_:"{!lucene}*"',
    "{!typo3access}1 x",
    '"neue Anschrift',
    '"neue Anschrift"',
    "+++++-",
    "((",
    "Sommerfest 🎉",
    "100 %",
    "a_b",
    "x' OR '1'='1",
    'x" OR "1"="1',
    "1; DROP TABLE pages",
    "%(now)s",
    ":now",
    "\\",
    "waste\\",
    "AND OR NOT",
    "NEAR(waste, 2)",
    "🎉" * 200,
    "ä" * 200,
    " ".join(f"word{number}" for number in range(40)),
]


class SearchBackendContract:
    """Inherit, and define the fixtures `backend` and `dead_backend`, and `page_id`."""

    def page_id(self, page_uid: int, language_id: int) -> SourceId:
        """The id by which the backend would name a page."""
        raise NotImplementedError

    # --- ids ---

    @pytest.mark.parametrize("language_id", LANGUAGES)
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_every_hit_can_be_fetched_by_its_id(
        self, backend: SearchBackend, question: str, language_id: int
    ) -> None:
        for hit in hits(backend, question, language_id):
            document = backend.fetch(SourceId.parse(str(hit.source_id)), ACCESS)
            assert document is not None
            assert (document.source_id, document.url) == (hit.source_id, hit.url)

    def test_its_ids_begin_with_its_name(self, backend: SearchBackend) -> None:
        assert {hit.source_id.backend for hit in hits(backend, COMMON)} == {backend.name}

    def test_a_foreign_id_is_unknown(self, backend: SearchBackend) -> None:
        (own, *_) = hits(backend, COMMON)
        assert backend.fetch(SourceId("stranger", own.source_id.parts), ACCESS) is None

    @pytest.mark.parametrize(
        "parts",
        [
            ("0",),
            ("x",),
            ("-1", "0"),
            ("0", "0"),
            ("2", "-1"),
            ("02", "0"),
            ("2", "00"),
            ("2.0", "0"),
            ("1e0", "0"),
            ("2_0", "0"),
            ("9" * 64, "0"),
            ("2", "9" * 64),
            ("2", "0", "0"),
            ("2", "0", "0", "0"),
            ("4294967296", "0"),
            ("9223372036854775808", "0"),
        ],
    )
    def test_an_id_that_nothing_bears_is_unknown(
        self, backend: SearchBackend, parts: tuple[str, ...]
    ) -> None:
        assert backend.fetch(SourceId.of(backend.name, *parts), ACCESS) is None

    # --- hits ---

    def test_it_is_available(self, backend: SearchBackend) -> None:
        assert backend.availability()

    @pytest.mark.parametrize("limit", [1, 3, 20])
    def test_it_finds_as_many_as_are_wanted_if_there_are(
        self, backend: SearchBackend, limit: int
    ) -> None:
        assert limit < RICH
        query = RetrievalQuery.of(COMMON, limit=limit)
        assert len(Cascade([backend]).search(query, ACCESS).sources) == limit

    def test_no_hit_comes_twice(self, backend: SearchBackend) -> None:
        ids = [hit.source_id for hit in hits(backend, COMMON)]
        assert len(ids) == len(set(ids))

    @pytest.mark.parametrize("language_id", LANGUAGES)
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_a_hit_is_fit_to_be_cited(
        self, backend: SearchBackend, question: str, language_id: int
    ) -> None:
        for hit in hits(backend, question, language_id):
            assert re.match(r"https://(www|other)\.example\.org/", hit.url)
            assert hit.title
            assert hit.title == one_line(hit.title)
            assert hit.excerpt == one_line(hit.excerpt)
            assert len(hit.excerpt) <= 322
            assert hit.language_id == language_id

    def test_the_best_page_comes_first(self, backend: SearchBackend) -> None:
        first = hits(backend, "When is bulky waste collected?")[0]
        assert (first.page_uid, first.site) == (COLLECTION, "main")
        assert first.url == "https://www.example.org/page-2"
        assert "every second Tuesday" in first.excerpt

    def test_a_search_asks_in_one_language(self, backend: SearchBackend) -> None:
        first = hits(backend, "Wann wird Sperrmüll abgeholt?", GERMAN)[0]
        assert first.url == "https://www.example.org/de/page-1002"
        assert first.title == "Sperrmüllabfuhr"
        assert "collected" not in first.excerpt

    def test_a_language_falls_back_where_the_site_says_so(self, backend: SearchBackend) -> None:
        first = hits(backend, "When is bulky waste collected?", FRENCH)[0]
        assert first.url == "https://www.example.org/fr/page-2"

    def test_a_language_that_no_site_has_finds_nothing(self, backend: SearchBackend) -> None:
        assert hits(backend, COMMON, 9) == []

    @pytest.mark.parametrize("site", ["main", "other"])
    def test_a_search_in_one_site_stays_there(self, backend: SearchBackend, site: str) -> None:
        assert {hit.site for hit in hits(backend, COMMON, site=site)} == {site}

    def test_what_nobody_says_finds_nothing(self, backend: SearchBackend) -> None:
        assert hits(backend, "xylophone") == []

    @pytest.mark.parametrize("text", HOSTILE)
    def test_odd_text_is_searched_literally(self, backend: SearchBackend, text: str) -> None:
        try:
            query = RetrievalQuery.of(text)
        except ValueError:
            query = RetrievalQuery.of(f"{text} {text}")
        found = backend.search(query, ACCESS).sources
        assert_nothing_forbidden(found)
        if not re.search(r"\w", text.replace("_", "")):
            assert list(found) == []

    @pytest.mark.parametrize(
        ("question", "page_uid"),
        [
            ("QX-17-204", 40),
            ("Co-Working", 41),
            ("co working", 41),
            ("E-Mail", 41),
            ("13 Tipps von der Werkstatt Beispiel", 42),
            ("new york opening hours", 43),
        ],
    )
    def test_what_users_searched_in_vain_elsewhere_comes_first(
        self, backend: SearchBackend, question: str, page_uid: int
    ) -> None:
        assert hits(backend, question)[0].page_uid == page_uid

    def test_markup_and_entities_become_text(self, backend: SearchBackend) -> None:
        (first, *_) = hits(backend, "Fragen und Antworten: Preis für alle")
        assert first.title == "Fragen & Antworten"
        assert "10 € für alle. Preis 100" in first.excerpt

    def test_more_wordings_find_more(self, backend: SearchBackend) -> None:
        query = RetrievalQuery.of("xylophone", alternatives=("bulky waste", "rubbish"))
        assert backend.search(query, ACCESS).sources[0].page_uid == COLLECTION

    # --- what nobody may learn of ---

    @pytest.mark.parametrize("language_id", LANGUAGES)
    @pytest.mark.parametrize("row", FORBIDDEN, ids=str)
    def test_a_search_for_a_forbidden_row_does_not_find_it(
        self, backend: SearchBackend, row: Forbidden, language_id: int
    ) -> None:
        found = hits(backend, f"{row.marker} bulky waste Sperrmüll", language_id)
        assert_nothing_forbidden(found)
        assert self.forbidden_ids().isdisjoint(hit.source_id for hit in found)

    @pytest.mark.parametrize("row", FORBIDDEN, ids=str)
    def test_the_word_of_a_forbidden_row_finds_nothing(
        self, backend: SearchBackend, row: Forbidden
    ) -> None:
        for language_id in LANGUAGES:
            assert hits(backend, row.marker, language_id) == []

    @pytest.mark.parametrize("row", [row for row in FORBIDDEN if row.page], ids=str)
    def test_a_forbidden_page_is_not_fetched(self, backend: SearchBackend, row: Forbidden) -> None:
        assert row.page is not None
        assert backend.fetch(self.page_id(*row.page), ACCESS) is None

    @pytest.mark.parametrize("key", NOT_THERE, ids=str)
    def test_a_page_that_is_not_there_is_not_fetched(
        self, backend: SearchBackend, key: tuple[int, int]
    ) -> None:
        assert backend.fetch(self.page_id(*key), ACCESS) is None

    @pytest.mark.parametrize("language_id", LANGUAGES)
    def test_no_text_holds_a_forbidden_word(self, backend: SearchBackend, language_id: int) -> None:
        found = hits(backend, "bulky waste Sperrmüll Tuesday", language_id)
        assert found
        for hit in found:
            document = backend.fetch(hit.source_id, ACCESS)
            assert document is not None
            assert not [row for row in FORBIDDEN if row.marker in document.text]

    # --- failures ---

    def test_a_dead_engine_is_an_error_and_not_an_empty_answer(
        self, dead_backend: SearchBackend
    ) -> None:
        with pytest.raises(BackendError):
            dead_backend.search(RetrievalQuery.of(COMMON), ACCESS)

    def test_a_dead_engine_has_no_documents(self, dead_backend: SearchBackend) -> None:
        with pytest.raises(BackendError):
            dead_backend.fetch(self.page_id(COLLECTION, ENGLISH), ACCESS)

    def test_a_dead_engine_is_skipped_and_named(self, dead_backend: SearchBackend) -> None:
        evidence = Cascade([dead_backend]).search(RetrievalQuery.of(COMMON), ACCESS)
        assert evidence.degraded
        assert f'Backend "{dead_backend.name}" failed and was skipped.' in evidence.notes

    def test_its_error_tells_nothing_of_the_question(self, dead_backend: SearchBackend) -> None:
        with pytest.raises(BackendError) as raised:
            dead_backend.search(RetrievalQuery.of("my private question"), ACCESS)
        assert "private" not in f"{raised.value} {raised.value.reason}"

    def forbidden_ids(self) -> set[SourceId]:
        """The ids that no answer may hold."""
        pages = (row.page for row in FORBIDDEN)
        return {self.page_id(*page) for page in (*pages, *NOT_THERE) if page}


def hits(
    backend: SearchBackend, question: str, language_id: int = ENGLISH, *, site: str | None = None
) -> list[EvidenceSource]:
    query = RetrievalQuery.of(question, limit=20, language_id=language_id, site=site)
    return list(backend.search(query, ACCESS).sources)


def assert_nothing_forbidden(found: Iterable[EvidenceSource]) -> None:
    """No title, excerpt or address may hold the word of a forbidden row."""
    for hit in found:
        told = f"{hit.title} {hit.excerpt} {hit.url}"
        assert not [row for row in FORBIDDEN if row.marker in told]
