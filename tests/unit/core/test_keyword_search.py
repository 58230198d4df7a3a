import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.core.fakes import ACCESS, FakeBackend, hit
from typo3_retrieval.core.backend import unavailable
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.core.keyword_search import KeywordSearch
from typo3_retrieval.plugin import Registration, in_order

DOWN = BackendUnavailable("refused")


def facade(*backends: FakeBackend) -> KeywordSearch:
    return KeywordSearch(Cascade(backends))


def test_hits_of_a_working_backend_come_back() -> None:
    answer = facade(FakeBackend(hits=[hit()])).search("waste", ACCESS)
    assert (answer.hits, answer.available, answer.degraded) == ((hit(),), True, False)


def test_no_hits_of_a_working_backend_are_no_failure() -> None:
    answer = facade(FakeBackend()).search("waste", ACCESS)
    assert (answer.hits, answer.available, answer.degraded) == ((), True, False)


@pytest.mark.parametrize("error", [DOWN, ZeroDivisionError()])
def test_a_failing_backend_gives_an_empty_degraded_answer(error: Exception) -> None:
    answer = facade(FakeBackend(error=error)).search("waste", ACCESS)
    assert (answer.hits, answer.available, answer.degraded) == ((), False, True)


def test_hits_of_the_next_backend_are_marked_as_degraded() -> None:
    answer = facade(FakeBackend(name="solr", error=DOWN), FakeBackend(hits=[hit()])).search(
        "waste", ACCESS
    )
    assert (answer.hits, answer.available, answer.degraded) == ((hit(),), True, True)


@pytest.mark.parametrize("backends", [(), (FakeBackend(available=unavailable("no core")),)])
def test_without_a_backend_the_answer_is_degraded(backends: tuple[FakeBackend, ...]) -> None:
    answer = facade(*backends).search("waste", ACCESS)
    assert (answer.hits, answer.available, answer.degraded) == ((), False, True)


@pytest.mark.parametrize("text", ["", " ", "a", "\u200b"])
def test_too_short_a_text_finds_nothing_and_asks_nobody(text: str) -> None:
    backend = FakeBackend(hits=[hit()])
    answer = facade(backend).search(text, ACCESS)
    assert (answer.hits, answer.available, answer.degraded) == ((), True, False)
    assert backend.asked == []


@pytest.mark.parametrize(("limit", "clamped"), [(-1, 1), (0, 1), (500, 20)])
def test_the_limit_is_clamped(limit: int, clamped: int) -> None:
    backend = FakeBackend()
    facade(backend).search("waste", ACCESS, limit=limit)
    assert backend.asked[0].limit == clamped


@pytest.mark.parametrize(("language_id", "clamped"), [(None, 0), (-1, 0), (2, 2)])
def test_the_language_is_clamped(language_id: int | None, clamped: int) -> None:
    backend = FakeBackend()
    facade(backend).search("waste", ACCESS, language_id=language_id)
    assert backend.asked[0].language_id == clamped


@given(st.text(max_size=300), st.integers(), st.none() | st.integers())
def test_it_never_throws(text: str, limit: int, language_id: int | None) -> None:
    failing = FakeBackend(name="solr", error=RuntimeError(text))
    answer = facade(failing, FakeBackend(hits=[hit()])).search(
        text, ACCESS, limit=limit, language_id=language_id
    )
    assert answer.available


class TestTheTwoVariants:
    """Over all backends, and over those with an index: priority above 0."""

    INDEXED = FakeBackend(name="ke_search", available=unavailable("no index table"))
    TABLES = FakeBackend(name="database", hits=[hit()])

    def variants(self) -> tuple[KeywordSearch, KeywordSearch]:
        ordered = in_order(
            [
                Registration("database", 0, lambda _: self.TABLES),
                Registration("ke_search", 20, lambda _: self.INDEXED),
            ]
        )
        built = {"database": self.TABLES, "ke_search": self.INDEXED}
        return (
            facade(*(built[each.name] for each in ordered)),
            facade(*(built[each.name] for each in ordered if each.priority > 0)),
        )

    def test_without_an_index_only_the_variant_over_all_answers(self) -> None:
        over_all, index_backed = self.variants()
        assert over_all.search("waste", ACCESS).hits == (hit(),)
        assert index_backed.search("waste", ACCESS).hits == ()

    def test_each_tells_its_own_availability(self) -> None:
        over_all, index_backed = self.variants()
        assert (over_all.is_available(), index_backed.is_available()) == (True, False)
