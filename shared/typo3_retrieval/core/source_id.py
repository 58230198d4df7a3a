"""The grammar of a source id: ``<backend>:<part>[:<part>…]``, one to four parts."""

import re
from dataclasses import dataclass
from typing import Self

from typo3_retrieval.core.errors import InvalidInput

MAX_LENGTH = 200  # characters
# Used with fullmatch, not with "$": "$" also matches before a trailing newline.
_GRAMMAR = re.compile(r"[a-z][a-z0-9_]{0,30}(?::[A-Za-z0-9_.-]{1,64}){1,4}")


@dataclass(frozen=True, slots=True)
class SourceId:
    """The name by which a model asks for a source again.

    The first segment names the backend that emitted it; the parts are that backend's own.
    """

    backend: str
    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read *text*, which a model chose and nobody vouches for.

        Raises:
            InvalidInput: *text* is over 200 characters or outside the grammar.
        """
        if len(text) > MAX_LENGTH or not _GRAMMAR.fullmatch(text):
            raise InvalidInput("Invalid source_id.")
        backend, *parts = text.split(":")
        return cls(backend, tuple(parts))

    @classmethod
    def of(cls, backend: str, *parts: str | int) -> Self:
        """Build an id from values that a backend read from its index.

        Raises:
            InvalidInput: a part does not fit the grammar, so the row cannot be named.
        """
        built = cls.parse(":".join((backend, *map(str, parts))))
        if len(built.parts) != len(parts):  # a colon in a part
            raise InvalidInput("Invalid source_id.")
        return built

    def __str__(self) -> str:
        return ":".join((self.backend, *self.parts))
