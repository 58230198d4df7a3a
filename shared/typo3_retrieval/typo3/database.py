"""The port to TYPO3's tables. An adapter speaks to MariaDB, MySQL or SQLite."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from typo3_retrieval.core.errors import BackendUnavailable

Value = str | int | float | bytes | None
Parameter = Value | Sequence[int] | Sequence[str]
Row = Mapping[str, Value]
Dialect = Literal["mysql", "sqlite"]  # "mysql" is MariaDB and MySQL


class StatementTimeout(BackendUnavailable):
    """A statement took longer than its time limit and was ended."""

    reason = "timeout"
    cools_down = False  # the statement may have been an odd one


class Database(Protocol):
    """A read-only connection to TYPO3's tables."""

    @property
    def dialect(self) -> Dialect:
        """Which SQL to speak where the two differ."""

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        """Run one SELECT and return every row.

        Args:
            sql: with ``%(name)s`` placeholders, and ``%%`` for a literal percent sign.
            parameters: a sequence becomes a parenthesised list, for ``IN %(uids)s``; an
                empty one matches nothing.

        Raises:
            StatementTimeout: the statement was ended at its time limit.
            BackendUnavailable: the server does not answer.
            BackendProtocolError: the statement does not fit the schema that is there.
        """

    def columns(self, table: str) -> frozenset[str]:
        """The columns that *table* has, empty when there is no such table.

        TYPO3 12, 13 and 14 and the extensions differ in columns; what is not there is not
        asked for. Remembered for some minutes per execution environment.

        Raises:
            BackendUnavailable: the server does not answer.
        """
