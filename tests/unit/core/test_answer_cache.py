"""Remembered answers: only good ones, only for some seconds."""

from dataclasses import replace

import pytest

from tests.unit.core.fakes import ACCESS, FakeBackend, hit
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.answer_cache import MAX_ANSWERS, RememberingCascade
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.core.query import RetrievalQuery

QUERY = RetrievalQuery.of("When is bulky waste collected?")
DOWN = BackendUnavailable("refused")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend(name="database", hits=[hit()])


@pytest.fixture
def clock() -> Clock:
    return Clock()


def cascade(clock: Clock, *backends: FakeBackend) -> RememberingCascade:
    return RememberingCascade(backends, seconds_remembered=30, now=clock)


def test_the_same_question_is_asked_once(clock: Clock, backend: FakeBackend) -> None:
    remembering = cascade(clock, backend)
    first = remembering.search(QUERY, ACCESS)
    clock.now += 29
    assert remembering.search(QUERY, ACCESS) == first
    assert len(backend.asked) == 1


@pytest.mark.parametrize("seconds", [30, -1])
def test_after_its_time_or_on_another_clock_it_is_asked_again(
    clock: Clock, backend: FakeBackend, seconds: float
) -> None:
    remembering = cascade(clock, backend)
    remembering.search(QUERY, ACCESS)
    clock.now += seconds
    remembering.search(QUERY, ACCESS)
    assert len(backend.asked) == 2


@pytest.mark.parametrize(
    "other",
    [
        RetrievalQuery.of("Opening hours?"),
        RetrievalQuery.of(QUERY.text, site="main"),
        RetrievalQuery.of(QUERY.text, limit=3),
        replace(QUERY, language_id=1),
        RetrievalQuery.of(QUERY.text, alternatives=("rubbish",)),
    ],
)
def test_another_question_is_another(
    clock: Clock, backend: FakeBackend, other: RetrievalQuery
) -> None:
    remembering = cascade(clock, backend)
    remembering.search(QUERY, ACCESS)
    remembering.search(other, ACCESS)
    assert backend.asked == [QUERY, other]


def test_another_caller_gets_the_same(clock: Clock, backend: FakeBackend) -> None:
    remembering = cascade(clock, backend)
    remembering.search(QUERY, ACCESS)
    remembering.search(QUERY, AccessContext.public_only(BackendUser("77")))
    assert len(backend.asked) == 1


def test_who_has_no_right_to_read_gets_nothing(clock: Clock, backend: FakeBackend) -> None:
    remembering = cascade(clock, backend)
    remembering.search(QUERY, ACCESS)
    with pytest.raises(TypeError):
        remembering.search(QUERY, None)  # type: ignore[arg-type]  # on purpose


def test_neither_failures_nor_fallbacks_are_remembered(clock: Clock, backend: FakeBackend) -> None:
    solr = FakeBackend(name="solr", error=DOWN)
    remembering = cascade(clock, solr, backend)
    assert remembering.search(QUERY, ACCESS).backend == "database"
    solr.error = None
    assert remembering.search(QUERY, ACCESS).backend == "solr"


def test_the_oldest_make_room(clock: Clock, backend: FakeBackend) -> None:
    remembering = cascade(clock, backend)
    for number in range(MAX_ANSWERS + 1):
        remembering.search(RetrievalQuery.of(f"question {number}"), ACCESS)
    remembering.search(RetrievalQuery.of("question 0"), ACCESS)
    assert len(backend.asked) == MAX_ANSWERS + 2
