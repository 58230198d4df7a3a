r"""Aspects: how one argument's value becomes a path segment, and back.

Each has `to_url`, the segment of a value, and `to_value`, the value of a segment; where a value has
none, both say None. Rules: `TYPO3\CMS\Core\Routing\Aspect`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from typo3_retrieval.typo3.pcre import PatternError, compile_pcre
from typo3_retrieval.typo3.php import to_int, to_string
from typo3_retrieval.typo3.routing.records import Family, Table
from typo3_retrieval.typo3.sites import SiteLanguage

MAX_RANGE = 1_000  # values; StaticRangeMapper refuses more
_FIELD = re.compile(r"\{([^}]+)\}")


class UnknownAspect(ValueError):
    """The aspect is of a type, or configured in a way, that is not known here."""


@dataclass(frozen=True, slots=True)
class StaticMapper:
    """StaticRangeMapper, StaticValueMapper: a finite list of segments and their values."""

    name: str
    values: Mapping[str, str]  # value by segment

    def to_url(self, value: str) -> str | None:
        """The first segment that stands for *value*."""
        return next((segment for segment, each in self.values.items() if each == value), None)

    def to_value(self, segment: str) -> str | None:
        """The value of *segment*."""
        return self.values.get(segment)


@dataclass(frozen=True, slots=True)
class AliasMapper:
    """PersistedAliasMapper: one field, usually the slug."""

    table: Table
    prefix: str = ""
    name: str = field(default="PersistedAliasMapper", init=False)

    def to_url(self, family: Family, language: SiteLanguage, at: int) -> str | None:
        """The segment of a record in *language*, None when it has none there."""
        record = family.for_language(language, at, is_page=self.table.name == "pages")
        if record is None or record.values[0] is None:
            return None
        return self.without_prefix(record.values[0])

    def without_prefix(self, value: str) -> str:
        """Drop the leading character that the field has and the URL has not."""
        return value.lstrip(self.prefix) if self.prefix else value


@dataclass(frozen=True, slots=True)
class PatternMapper:
    """PersistedPatternMapper: several fields, such as ``{title}-{uid}``."""

    table: Table
    pattern: str  # reads a segment: ^(?P<title>.+)-(?P<uid>\d+)$
    result: str  # writes it: {title}-{uid}
    name: str = field(default="PersistedPatternMapper", init=False)

    def to_url(self, family: Family, language: SiteLanguage, at: int) -> str | None:
        """The segment of a record in *language*; its uid is always that of the asked record."""
        record = family.for_language(language, at, is_page=self.table.name == "pages")
        if record is None or family.record is None:
            return None
        values = dict(zip(self.table.fields, record.values, strict=True))
        values["uid"] = str(family.record.uid)
        if any(values[name] is None for name in _FIELD.findall(self.result)):
            return None
        return _FIELD.sub(lambda match: values[match[1]] or "", self.result)

    def fields_of(self, segment: str) -> dict[str, str] | None:
        """The field values that *segment* names."""
        found = compile_pcre(self.pattern).search(segment)
        return {k: v for k, v in found.groupdict().items() if v is not None} if found else None


Mapper: TypeAlias = StaticMapper | AliasMapper | PatternMapper


def uid_of(value: object) -> int:
    """The uid that an argument means, as a database would cast it."""
    return to_int(value)


def parse_mapper(settings: Mapping[str, Any], language: SiteLanguage) -> Mapper:
    """Parse an aspect that maps values.

    Raises:
        UnknownAspect: it cannot be used.
    """
    kind = settings.get("type")
    if kind == "StaticRangeMapper":
        return StaticMapper(kind, {each: each for each in _range(settings)})
    if kind == "StaticValueMapper":
        chosen = _for_locale(settings, language)
        return StaticMapper(kind, _strings((chosen or settings).get("map")))
    if kind == "PersistedAliasMapper":
        prefix = to_string(settings.get("routeValuePrefix"))
        return AliasMapper(_table(settings, (_string(settings, "routeFieldName"),)), prefix)
    if kind == "PersistedPatternMapper":
        result = _string(settings, "routeFieldResult")
        fields = tuple(dict.fromkeys(_FIELD.findall(result)))
        if not fields:
            raise UnknownAspect("routeFieldResult names no field")
        pattern = _string(settings, "routeFieldPattern")
        return PatternMapper(_table(settings, fields), pattern, result)
    raise UnknownAspect(f'type "{kind}" is not known here')


def parse_modifier(settings: Mapping[str, Any], language: SiteLanguage) -> str | None:
    """The text that a LocaleModifier prints in *language*; None: the placeholder stays.

    Raises:
        UnknownAspect: a locale's pattern cannot be run.
    """
    chosen = _for_locale(settings, language)
    value = chosen.get("value") if chosen else settings.get("default")
    return None if value is None else to_string(value)


def _for_locale(settings: Mapping[str, Any], language: SiteLanguage) -> Mapping[str, Any] | None:
    """The entry of `localeMap` whose pattern fits the beginning of the language's locale."""
    locale, dot, charset = language.locale.partition(".")
    posix = locale.replace("-", "_") + dot + charset
    for entry in _entries(settings.get("localeMap")):
        try:
            # No group around it, as in TYPO3: in "de_.*|at" the "^" belongs to "de_.*" alone.
            if compile_pcre("^" + to_string(entry.get("locale")), "i").search(posix):
                return entry
        except PatternError as error:
            raise UnknownAspect(f"locale {entry.get('locale')!r}: {error}") from error
    return None


def _entries(value: object) -> list[Mapping[str, Any]]:
    entries = value.values() if isinstance(value, Mapping) else value
    if not isinstance(entries, list | tuple):
        entries = list(entries) if entries else []  # type: ignore[call-overload]  # values()
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _strings(value: object) -> dict[str, str]:
    if isinstance(value, list):
        value = dict(enumerate(value))
    if not isinstance(value, Mapping):
        raise UnknownAspect("map is missing")
    return {to_string(key): to_string(each) for key, each in value.items()}


def _string(settings: Mapping[str, Any], name: str) -> str:
    value = settings.get(name)
    if not isinstance(value, str) or not value:
        raise UnknownAspect(f"{name} is missing")
    return value


def _table(settings: Mapping[str, Any], fields: tuple[str, ...]) -> Table:
    return Table(_string(settings, "tableName"), fields)


def _range(settings: Mapping[str, Any]) -> list[str]:
    """PHP's `range()` of numbers or single letters, either way round.

    If one end begins with 0, all are padded to the length of the greater end: 01, 02, … 12.
    """
    start, end = to_string(settings.get("start")), to_string(settings.get("end"))
    if not start or not end:
        raise UnknownAspect("start or end is missing")
    if all(re.fullmatch(r"-?[0-9]{1,9}", each) for each in (start, end)):
        values = [str(each) for each in _steps(int(start), int(end))]
    else:
        values = [chr(each) for each in _steps(ord(start[0]), ord(end[0]))]
    padded = any(each.startswith("0") for each in (start, end)) and "0" not in (start, end)
    if padded and start.isdigit() and end.isdigit():
        width = len(max(start, end, key=int))
        values = [each.zfill(width) for each in values]
    return values


def _steps(start: int, end: int) -> range:
    if abs(end - start) >= MAX_RANGE:
        raise UnknownAspect(f"the range has more than {MAX_RANGE} values")
    step = 1 if start <= end else -1
    return range(start, end + step, step)
