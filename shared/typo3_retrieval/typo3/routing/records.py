"""Records that persisted aspects map to path segments: one statement for a whole answer.

Rows are remembered for up to a minute per execution environment. Whether a row is visible is
judged each time, so a record that starts or ends does so on time; a changed slug or a hidden
record shows within that minute. Pages' slugs are not remembered at all: they come with the page
tree, which every answer loads for its access checks anyway.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from typo3_retrieval.typo3.database import Database, Parameter, Row, Value
from typo3_retrieval.typo3.enable_fields import hidden_because, switched_off_because
from typo3_retrieval.typo3.sites import SiteLanguage

REMEMBERED_SECONDS = 60
MAX_REMEMBERED = 5_000  # records; some megabytes
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_ENABLE_FIELDS = ("deleted", "hidden", "starttime", "endtime", "fe_group")


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the columns that an aspect prints."""

    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One live row."""

    uid: int
    language_id: int = 0  # -1: all languages
    parent: int = 0  # uid of the default-language record
    deleted: int = 0
    hidden: int = 0
    starttime: int = 0
    endtime: int = 0
    fe_group: str = "0"
    values: tuple[str | None, ...] = ()  # of the table's fields, in their order


@dataclass(frozen=True, slots=True)
class Family:
    """A record and its translations."""

    record: Record | None
    translations: tuple[Record, ...] = ()

    def for_language(
        self, language: SiteLanguage, at: int, *, is_page: bool = False
    ) -> Record | None:
        """The row that stands for the record in *language*; None hides it there.

        The record's own groups do not matter: TYPO3 leaves them to the page that shows it.

        Args:
            language: of the site.
            at: an `access_time`.
            is_page: a page has an address in every language, and its translation no groups.
        """
        record = self.record
        if record is None or switched_off_because(record, at):
            return None
        if language.language_id == 0 or record.language_id != 0:
            return record
        if language.fallback_type == "free" and not is_page:
            return record  # no overlays at all (LanguageAspect::OVERLAYS_OFF)
        hidden = switched_off_because if is_page else hidden_because
        visible = [each for each in self.translations if not hidden(each, at)]
        for language_id in (language.language_id, *language.fallbacks):
            for translation in visible:
                if translation.language_id == language_id > 0:
                    return translation
        return record if is_page or language.fallback_type == "fallback" else None


class Records:
    """The records of one answer, loaded together.

    Args:
        database: TYPO3's tables; None: nothing is known.
        clock: seconds, monotonic; measures how long rows are believed.
    """

    def __init__(
        self, database: Database | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[tuple[Table, int], tuple[float, Family]] = {}

    def knows(self, table: Table) -> bool:
        """Whether the table and its fields are there.

        Raises:
            BackendError: the database did not answer.
        """
        if self._database is None or not all(map(_NAME.fullmatch, (table.name, *table.fields))):
            return False
        return {"uid", *table.fields} <= self._database.columns(table.name)

    def load(self, wanted: Iterable[tuple[Table, int]]) -> Mapping[tuple[Table, int], Family]:
        """Load what is not remembered, in one statement over all tables.

        Raises:
            BackendError: the database did not answer.
        """
        keys = {key for key in wanted if self.knows(key[0])}
        now = self._clock()
        remembered = {key: self._known[key] for key in keys if key in self._known}
        families = {
            key: family
            for key, (loaded_at, family) in remembered.items()
            if now - loaded_at <= REMEMBERED_SECONDS
        }
        missing = keys - families.keys()
        if missing and self._database is not None:
            loaded = _read(self._database, missing)
            if len(self._known) + len(loaded) > MAX_REMEMBERED:
                self._known.clear()
            self._known.update({key: (now, family) for key, family in loaded.items()})
            families.update(loaded)
        return families


def _read(database: Database, keys: Iterable[tuple[Table, int]]) -> dict[tuple[Table, int], Family]:
    uids: dict[Table, set[int]] = {}
    for table, uid in keys:
        uids.setdefault(table, set()).add(uid)
    tables = list(uids)
    width = max(len(table.fields) for table in tables)
    statement = "\nUNION ALL\n".join(
        _select(index, table, database.columns(table.name), width)
        for index, table in enumerate(tables)
    )
    parameters: dict[str, Parameter] = {
        f"uids{index}": sorted(uids[table]) for index, table in enumerate(tables)
    }
    rows: dict[Table, list[Record]] = {table: [] for table in tables}
    for row in database.rows(statement, parameters):
        table = tables[_number(row["source"])]
        rows[table].append(_record(row, len(table.fields)))
    return {(table, uid): _family(uid, rows[table]) for table in tables for uid in uids[table]}


def _select(index: int, table: Table, there: frozenset[str], width: int) -> str:
    """One table's part of the statement, with as many columns as every other has.

    The names of columns are those that TYPO3's documentation gives to every table; what a table
    does not have counts as 0.
    """
    parent = next((name for name in ("l10n_parent", "l18n_parent") if name in there), "")
    language = "sys_language_uid" if "sys_language_uid" in there else ""
    columns = [f"{index} AS source", "uid"]
    columns += [f"{language or '0'} AS language_id", f"{parent or '0'} AS parent"]
    columns += [f"{name if name in there else '0'} AS {name}" for name in _ENABLE_FIELDS[:-1]]
    group = "fe_group" if "fe_group" in there else "'0'"
    columns.append(f"CAST({group} AS CHAR) AS fe_group")
    fields = [*table.fields, *["NULL"] * (width - len(table.fields))]
    columns += [f"CAST({field} AS CHAR) AS value{n}" for n, field in enumerate(fields)]
    live = " AND t3ver_wsid = 0" if "t3ver_wsid" in there else ""
    kin = f" OR {parent} IN %(uids{index})s" if parent else ""
    # S608: the names were checked against _NAME and the schema, the values are parameters.
    return (
        f"SELECT {', '.join(columns)} FROM {table.name} "  # noqa: S608
        f"WHERE (uid IN %(uids{index})s{kin}){live}"
    )


def _record(row: Row, fields: int) -> Record:
    return Record(
        uid=_number(row["uid"]),
        language_id=_number(row["language_id"]),
        parent=_number(row["parent"]),
        deleted=_number(row["deleted"]),
        hidden=_number(row["hidden"]),
        starttime=_number(row["starttime"]),
        endtime=_number(row["endtime"]),
        fe_group=_text(row["fe_group"]) or "",
        values=tuple(_text(row[f"value{index}"]) for index in range(fields)),
    )


def _family(uid: int, rows: Iterable[Record]) -> Family:
    record, translations = None, list[Record]()
    for row in rows:
        if row.uid == uid:
            record = row
        elif row.parent == uid:
            translations.append(row)
    return Family(record, tuple(sorted(translations, key=lambda each: each.uid)))


def _number(value: Value) -> int:
    return int(value or 0)


def _text(value: Value) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if value is None else str(value)
