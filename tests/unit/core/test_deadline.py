"""The limit that travels with a request."""

import math
import threading

from typo3_retrieval.core.deadline import Deadline, current_deadline, seconds_left, within


def test_outside_of_a_request_there_is_no_limit() -> None:
    assert seconds_left() == math.inf


def test_inside_there_is_and_behind_it_there_is_none() -> None:
    with within(5):
        assert 4 < seconds_left() <= 5
    assert seconds_left() == math.inf


def test_an_inner_limit_is_never_longer_than_the_outer_one() -> None:
    with within(1):
        with within(60) as inner:
            assert seconds_left() <= 1
            assert inner is current_deadline()
        with within(0.1):
            assert seconds_left() <= 0.1
        assert seconds_left() > 0.5


def test_a_limit_that_is_over_leaves_nothing() -> None:
    assert Deadline(-1).left() == 0


def test_the_end_stops_what_goes_on_in_another_thread() -> None:
    deadline, released = Deadline(60), threading.Event()
    with deadline.stoppable(released.set):
        deadline.stop()
    assert released.is_set()
    assert deadline.left() == 0


def test_the_end_of_the_outer_one_is_the_end_of_the_inner_one() -> None:
    released = threading.Event()
    with within(60) as outer, within(30) as inner, inner.stoppable(released.set):
        outer.stop()
        assert inner.left() == 0
    assert released.is_set()


def test_an_enforced_one_stops_what_goes_on_by_itself() -> None:
    released = threading.Event()
    with within(0.05, enforced=True) as deadline, deadline.stoppable(released.set):
        assert released.wait(10)
    assert seconds_left() == math.inf


def test_what_is_done_is_not_stopped() -> None:
    deadline, stopped = Deadline(60), threading.Event()
    with deadline.stoppable(stopped.set):
        pass
    deadline.stop()
    assert not stopped.is_set()


def test_another_thread_has_its_own() -> None:
    seen: list[float] = []
    with within(1):
        thread = threading.Thread(target=lambda: seen.append(seconds_left()))
        thread.start()
        thread.join()
    assert seen == [math.inf]
