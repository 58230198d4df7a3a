"""What an index's tables look like, believed for a minute."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from typo3_retrieval.typo3.database import Database

MAX_AGE = 60  # seconds; an index that is just being rebuilt is soon back


class State(Protocol):
    """Something that was seen at a moment."""

    @property
    def seen_at(self) -> int:
        """UNIX epoch, seconds."""


S = TypeVar("S", bound=State)


class Watched(ABC, Generic[S]):
    """Looks at tables, and remembers for a minute what it saw.

    Args:
        database: TYPO3's tables.
        now: UNIX epoch, seconds.
    """

    def __init__(self, database: Database, now: Callable[[], int]) -> None:
        self._database = database
        self._now = now
        self._state: S | None = None

    def state(self) -> S:
        """What is there.

        Raises:
            BackendError: the database did not answer.
        """
        state = self._state
        if state is None or not 0 <= self._now() - state.seen_at < MAX_AGE:
            state = self._state = self._look()
        return state

    def forget(self) -> None:
        """Look again next time: a statement did not fit what was seen."""
        self._state = None

    @abstractmethod
    def _look(self) -> S:
        """Ask the database."""
