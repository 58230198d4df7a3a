"""A backend's turn: it ends in time, and after a failure there is none for a while.

Both hold for backends that know nothing of it: a stranger's that hangs, a name that nobody
resolves, a server that sends one byte after the other.
"""

import math
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

from typo3_retrieval.core.deadline import Deadline, within
from typo3_retrieval.core.errors import BackendError, BackendUnavailable

COOL_DOWN = 5.0  # seconds; a restart of a database takes two or three

T = TypeVar("T")


class Turns:
    """Gives backends their turns. One for each execution environment, shared by all cascades.

    Args:
        cool_down: seconds in which a backend that failed is not asked. Then one question goes
            through; it decides whether the others wait again. 0: never.
        clock: seconds; may stand still or jump, as a frozen environment's does.
    """

    def __init__(
        self, *, cool_down: float = COOL_DOWN, clock: Callable[[], float] = time.time
    ) -> None:
        self._cool_down = cool_down
        self._clock = clock
        self._failed_at: dict[str, float] = {}
        self._abandoned: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def take(self, name: str, work: Callable[[], T], *, seconds: float = math.inf) -> T:
        """Let the backend *name* do its *work*, for at most *seconds*.

        Raises:
            BackendUnavailable: it is not asked now, or it did not answer in time.
            Exception: whatever *work* raises.
        """
        self._admit(name)
        try:
            with within(seconds) as deadline:
                endless = math.isinf(deadline.left())
                result = work() if endless else self._timed(name, work, deadline)
        except BackendError as error:
            if error.cools_down and self._cool_down:
                with self._lock:
                    self._failed_at[name] = self._clock()
            raise
        with self._lock:
            self._failed_at.pop(name, None)
        return result

    def is_resting(self, name: str) -> bool:
        """Whether the backend would not be asked now."""
        with self._lock:
            return self._is_cooling(name) or self._is_busy(name)

    def _admit(self, name: str) -> None:
        with self._lock:
            if self._is_busy(name):
                # One thread of it is lost until it comes back; a second one will not be.
                raise BackendUnavailable(
                    f"backend {name} is still busy with a question of which nobody waits",
                    reason="still busy",
                    cools_down=False,
                )
            if self._is_cooling(name):
                raise BackendUnavailable(
                    f"backend {name} failed a moment ago and is not asked yet",
                    reason="cooling down",
                    cools_down=False,
                )
            if name in self._failed_at:
                self._failed_at[name] = self._clock()  # half open: the others wait for this one

    def _is_cooling(self, name: str) -> bool:
        since = self._clock() - self._failed_at.get(name, -math.inf)
        return 0 <= since < self._cool_down  # a clock that went backwards forgives

    def _is_busy(self, name: str) -> bool:
        thread = self._abandoned.get(name)
        if thread is None or thread.is_alive():
            return thread is not None
        del self._abandoned[name]
        return False

    def _timed(self, name: str, work: Callable[[], T], deadline: Deadline) -> T:
        """Do *work* in a thread, because no other way stops waiting for all that may hang."""
        outcome: list[tuple[Any, BaseException | None]] = []
        context = copy_context()

        def run() -> None:
            try:
                outcome.append((work(), None))
            except BaseException as error:  # noqa: BLE001  # raised again where it is awaited
                outcome.append((None, error))

        thread = threading.Thread(
            target=context.run, args=(run,), name=f"turn of {name}", daemon=True
        )
        thread.start()
        thread.join(deadline.left())
        if not outcome:
            with self._lock:
                self._abandoned[name] = thread
            deadline.stop()
            raise BackendUnavailable(f"backend {name} did not answer in time", reason="timeout")
        result, error = outcome[0]
        if error is not None:
            raise error
        done: T = result
        return done
