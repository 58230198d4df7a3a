"""A backend's turn ends in time, and a failed one rests."""

import threading
import time
from dataclasses import dataclass

import pytest

from tests.unit.core.fakes import ACCESS, FakeBackend, document, hit
from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.core.backend import SearchAnswer
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.deadline import current_deadline, seconds_left, within
from typo3_retrieval.core.errors import BackendError, BackendProtocolError, BackendUnavailable
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.core.turns import Turns

QUERY = RetrievalQuery.of("When is bulky waste collected?")
DOWN = BackendUnavailable("refused", reason="refused")


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def fails(error: Exception = DOWN) -> None:
    raise error


def reason(turns: Turns, name: str = "solr") -> str:
    """Why the backend is not asked, or "asked"."""
    try:
        turns.take(name, lambda: None)
    except BackendUnavailable as error:
        return error.reason
    return "asked"


def failed(turns: Turns, error: Exception = DOWN, name: str = "solr") -> None:
    with pytest.raises(type(error)):
        turns.take(name, lambda: fails(error))


class TestCoolDown:
    def test_a_backend_that_failed_rests(self) -> None:
        turns = Turns(cool_down=5, clock=Clock())
        failed(turns)
        assert turns.is_resting("solr")
        assert reason(turns) == "cooling down"
        assert reason(turns, "database") == "asked"

    def test_then_one_question_goes_through_while_the_others_wait(self) -> None:
        clock = Clock()
        turns = Turns(cool_down=5, clock=clock)
        failed(turns)
        clock.now += 5

        seen = turns.take("solr", lambda: reason(turns))

        assert seen == "cooling down"
        assert reason(turns) == "asked"

    def test_if_that_one_fails_too_it_rests_again(self) -> None:
        clock = Clock()
        turns = Turns(cool_down=5, clock=clock)
        failed(turns)
        clock.now += 5
        failed(turns)
        clock.now += 4.9
        assert reason(turns) == "cooling down"

    def test_a_clock_that_went_back_lets_it_be_asked(self) -> None:
        clock = Clock()
        turns = Turns(cool_down=5, clock=clock)
        failed(turns)
        clock.now -= 3600
        assert reason(turns) == "asked"

    @pytest.mark.parametrize(
        "error",
        [
            BackendProtocolError("nonsense"),
            BackendUnavailable("no core for this language", cools_down=False),
            ZeroDivisionError(),
        ],
    )
    def test_what_one_question_failed_on_is_no_reason(self, error: Exception) -> None:
        turns = Turns(cool_down=5, clock=Clock())
        failed(turns, error)
        assert reason(turns) == "asked"

    def test_none_is_wanted(self) -> None:
        turns = Turns(cool_down=0, clock=Clock())
        failed(turns)
        assert reason(turns) == "asked"


class TestTime:
    def test_who_hangs_is_left_behind_in_time(self) -> None:
        released = threading.Event()
        turns = Turns(cool_down=0)
        started = time.monotonic()
        with pytest.raises(BackendUnavailable) as raised:
            turns.take("solr", lambda: released.wait(30), seconds=0.1)
        assert raised.value.reason == "timeout"
        assert time.monotonic() - started < 2
        assert turns.is_resting("solr")
        assert reason(turns) == "still busy"  # and not a second thread for it
        released.set()
        for thread in threading.enumerate():
            if thread.name == "turn of solr":
                thread.join(5)
        assert reason(turns) == "asked"

    def test_what_it_waits_for_is_broken_off(self) -> None:
        broken = threading.Event()

        def waits() -> None:
            with current_deadline().stoppable(broken.set):
                broken.wait(30)

        with pytest.raises(BackendUnavailable):
            Turns().take("solr", waits, seconds=0.1)
        assert broken.is_set()

    def test_the_work_knows_how_long_it_may_take(self) -> None:
        assert 1 < Turns().take("solr", seconds_left, seconds=2) <= 2

    def test_the_whole_request_bounds_a_turn(self) -> None:
        with within(0.5):
            assert Turns().take("solr", seconds_left, seconds=60) <= 0.5

    def test_what_it_raises_is_raised(self) -> None:
        with pytest.raises(ZeroDivisionError):
            Turns().take("solr", lambda: 1 // 0, seconds=5)


class Sleeper(FakeBackend):
    """A stranger's backend that never heard of deadlines."""

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        time.sleep(1.5)
        return SearchAnswer(self.hits)


class TestInTheCascade:
    def test_a_stranger_who_hangs_leaves_time_for_the_next(self) -> None:
        turns = Turns(cool_down=5)
        backends = [Sleeper(name="stranger"), FakeBackend(name="database", hits=[hit()])]
        cascade = Cascade(backends, seconds=1.0, turns=turns)
        started = time.monotonic()
        evidence = cascade.search(QUERY, ACCESS)
        assert time.monotonic() - started < 1.4
        assert (evidence.backend, evidence.notes) == (
            "database",
            ('Backend "stranger" failed and was skipped.',),
        )
        assert [attempt.reason for attempt in evidence.attempts] == ["timeout", ""]
        again = cascade.search(QUERY, ACCESS)
        assert again.attempts[0].reason == "still busy"
        assert again.notes == evidence.notes

    def test_the_last_backend_may_take_all_that_is_left(self) -> None:
        slow = Sleeper(name="database", hits=[hit()])
        assert Cascade([slow], seconds=10).search(QUERY, ACCESS).backend == "database"

    def test_one_that_failed_in_a_search_is_not_asked_for_a_source(self) -> None:
        down = FakeBackend(name="solr", error=DOWN, documents=[document("text", "solr:1")])
        turns = Turns(cool_down=60)
        cascade = Cascade([down], turns=turns)
        other = Cascade([down], turns=turns)
        cascade.search(QUERY, ACCESS)
        down.error = None
        with pytest.raises(BackendError, match="failed a moment ago"):
            other.fetch(SourceId.parse("solr:1"), ACCESS)
        assert not other.is_available()
