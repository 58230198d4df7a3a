"""How long a request may still take: a limit that travels with it, for whoever cares to know.

It lies in a context variable, not in a parameter: a backend that knows nothing of it works too,
and what lies deep below one, such as a database connection, needs no way through it.
"""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class Deadline:
    """The moment when an answer comes too late, and what is to be stopped then.

    Args:
        seconds: from now on; infinite ones never end.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._end = time.monotonic() + seconds
        self._stops: dict[object, Callable[[], None]] = {}
        self._lock = threading.Lock()

    def left(self) -> float:
        """Seconds until the end, 0 after it."""
        return max(0.0, self._end - time.monotonic())

    @contextlib.contextmanager
    def stoppable(self, stop: Callable[[], None]) -> Iterator[None]:
        """Let *stop* be called from another thread if this one is still inside at the end."""
        key = object()
        with self._lock:
            self._stops[key] = stop
        try:
            yield
        finally:
            with self._lock:
                del self._stops[key]

    def stop(self) -> None:
        """Nobody waits any more: end now, and stop what goes on."""
        with self._lock:  # so that what has just finished is not hit
            self._end = min(self._end, time.monotonic())
            for stop in self._stops.values():
                stop()


_NEVER = Deadline()
_current: ContextVar[Deadline] = ContextVar("deadline", default=_NEVER)


def current_deadline() -> Deadline:
    """The deadline of the request that this thread works for."""
    return _current.get()


def seconds_left() -> float:
    """What is left for the request that this thread works for; infinite outside of one."""
    return current_deadline().left()


@contextlib.contextmanager
def within(seconds: float, *, enforced: bool = False) -> Iterator[Deadline]:
    """Give what is done inside at most *seconds*, and never more than was left before.

    Args:
        seconds: from now on.
        enforced: whether what goes on is stopped then, for who goes on without it. Otherwise that
            is up to whoever waits.
    """
    outer = current_deadline()
    if outer.left() <= seconds:
        yield outer
        return
    deadline = Deadline(seconds)
    token = _current.set(deadline)
    timer = threading.Timer(seconds, deadline.stop) if enforced else None
    try:
        with outer.stoppable(deadline.stop) if outer is not _NEVER else contextlib.nullcontext():
            if timer:
                timer.daemon = True
                timer.start()
            yield deadline
    finally:
        if timer:
            timer.cancel()
        _current.reset(token)
