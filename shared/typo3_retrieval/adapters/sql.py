"""What both database adapters share: placeholders, and the memory of a table's columns."""

import re
import time
from collections.abc import Callable, Mapping, Sequence

from typo3_retrieval.typo3.database import Parameter, Value

COLUMNS_SECONDS = 600  # how long a table's columns are believed; an upgrade of TYPO3 is rare
_PLACEHOLDER = re.compile(r"%\((\w+)\)s|%%")


def with_lists_expanded(
    sql: str, parameters: Mapping[str, Parameter], write: Callable[[str], str]
) -> tuple[str, dict[str, Value]]:
    """Give every value of a sequence a placeholder of its own.

    Args:
        sql: with ``%(name)s`` placeholders and ``%%`` for a percent sign.
        parameters: values, or sequences of values.
        write: turns a name into the driver's placeholder; ``%`` becomes the percent sign.

    Raises:
        KeyError: the statement names a parameter that is not given.
    """
    values: dict[str, Value] = {}

    def expand(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return write("%")
        value = parameters[name]
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            values[name] = value
            return write(name)
        names = [f"{name}_{index}" for index in range(len(value))]
        values.update(zip(names, value, strict=True))
        # NULL equals nothing, so an empty list matches nothing.
        return f"({', '.join(map(write, names)) or 'NULL'})"

    return _PLACEHOLDER.sub(expand, sql), values


class ColumnMemory:
    """Remembers the columns of tables for ten minutes."""

    def __init__(
        self,
        read: Callable[[str], frozenset[str]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._clock = clock
        self._known: dict[str, tuple[float, frozenset[str]]] = {}

    def __call__(self, table: str) -> frozenset[str]:
        """The columns of *table*, read at most once in ten minutes."""
        read_at, columns = self._known.get(table, (float("-inf"), frozenset[str]()))
        if self._clock() - read_at > COLUMNS_SECONDS:
            columns = self._read(table)
            self._known[table] = (self._clock(), columns)
        return columns
