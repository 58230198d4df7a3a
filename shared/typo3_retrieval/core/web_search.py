"""The port for a search of the open web. No implementation exists, on purpose.

An agent's own web search is outside this service; the port fixes the shape in which one
could join, beside the cascade and never mixed with its scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class WebResult:
    """One result of a web search."""

    title: str
    url: str
    snippet: str


class WebSearchBackend(Protocol):
    """A web search engine."""

    @property
    def name(self) -> str:
        """The engine's name, for the answer."""

    def search(self, text: str, *, limit: int) -> Sequence[WebResult]:
        """Return at most *limit* results, best first.

        Raises:
            BackendError: the engine did not answer.
        """
