"""Aspects: values and their path segments."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.typo3.rows import CHAIN, FALLBACK, FREE, FUTURE, NOW, PAST, SITES, STRICT
from typo3_retrieval.typo3.routing.aspects import (
    AliasMapper,
    PatternMapper,
    StaticMapper,
    UnknownAspect,
    parse_mapper,
    parse_modifier,
    uid_of,
)
from typo3_retrieval.typo3.routing.records import Family, Record, Table
from typo3_retrieval.typo3.sites import SiteLanguage

TABLE = Table("tx_news", ("slug",))


def language(language_id: int = 0, locale: str = "en_GB.UTF-8") -> SiteLanguage:
    found = SITES.sites[0].language(language_id)
    assert found is not None
    return replace(found, locale=locale)


def static(settings: Mapping[str, Any], locale: str = "en_GB.UTF-8") -> StaticMapper:
    mapper = parse_mapper(settings, language(locale=locale))
    assert isinstance(mapper, StaticMapper)
    return mapper


@pytest.mark.parametrize(
    ("start", "end", "values"),
    [
        ("1", "3", ["1", "2", "3"]),
        (1, 3, ["1", "2", "3"]),
        ("3", "1", ["3", "2", "1"]),
        ("08", "11", ["08", "09", "10", "11"]),
        ("8", "011", ["008", "009", "010", "011"]),
        ("0", "2", ["0", "1", "2"]),
        ("-1", "1", ["-1", "0", "1"]),
        ("a", "d", ["a", "b", "c", "d"]),
        ("aa", "cc", ["a", "b", "c"]),  # PHP's range() looks at the first letter
    ],
)
def test_a_range_is_phps(start: object, end: object, values: list[str]) -> None:
    mapper = static({"type": "StaticRangeMapper", "start": start, "end": end})
    assert list(mapper.values) == values
    assert [mapper.to_value(mapper.to_url(each) or "") for each in values] == values
    assert mapper.to_url("nope") is None


MONTHS = {
    "type": "StaticValueMapper",
    "map": {"january": "01", "february": 2},
    "localeMap": [{"locale": "de_.*", "map": {"januar": "01"}}, {"locale": "FR", "map": ["a"]}],
}


@pytest.mark.parametrize(
    ("locale", "value", "segment"),
    [
        ("en_GB.UTF-8", "01", "january"),
        ("en_GB.UTF-8", "2", "february"),
        ("en_GB.UTF-8", "03", None),
        ("de_AT.UTF-8", "01", "januar"),
        ("de-AT", "01", "januar"),
        ("de_DE", "2", None),
        ("de", "01", "january"),
        ("fr_FR", "a", "0"),
    ],
)
def test_a_value_is_mapped_by_the_map_of_the_locale(
    locale: str, value: str, segment: str | None
) -> None:
    mapper = static(MONTHS, locale)
    assert mapper.to_url(value) == segment
    assert segment is None or mapper.to_value(segment) == value


@pytest.mark.parametrize(
    ("locale", "text"), [("en_GB", "archive"), ("de_DE.UTF-8", "archiv"), ("fr_FR", "archives")]
)
def test_a_modifier_prints_the_text_of_the_locale(locale: str, text: str) -> None:
    settings = {
        "default": "archive",
        "localeMap": [
            {"locale": "de_.*", "value": "archiv"},
            {"locale": "it_.*|fr_.*", "value": "archives"},
        ],
    }
    assert parse_modifier(settings, language(locale=locale)) == text


def test_a_modifier_without_a_text_leaves_its_placeholder() -> None:
    assert parse_modifier({"localeMap": []}, language()) is None


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"type": "OwnMapper"},
        {"type": "StaticRangeMapper", "start": "1"},
        {"type": "StaticRangeMapper", "start": "1", "end": "5000"},
        {"type": "StaticValueMapper"},
        {"type": "StaticValueMapper", "map": {}, "localeMap": [{"locale": "(", "map": {}}]},
        {"type": "PersistedAliasMapper", "tableName": "t"},
        {"type": "PersistedAliasMapper", "routeFieldName": "slug"},
        {"type": "PersistedPatternMapper", "tableName": "t", "routeFieldPattern": ".*"},
        {
            "type": "PersistedPatternMapper",
            "tableName": "t",
            "routeFieldPattern": ".*",
            "routeFieldResult": "no field",
        },
    ],
)
def test_what_cannot_be_used_is_told(settings: dict[str, Any]) -> None:
    with pytest.raises(UnknownAspect):
        parse_mapper(settings, language())


def row(uid: int, slug: str | None, **fields: Any) -> Record:
    return Record(uid=uid, values=(slug,), **fields)


GERMAN = row(101, "hallo", parent=1, language_id=STRICT)
TRANSLATED = Family(row(1, "hello"), (GERMAN,))
DEFAULT = Family(row(1, "hello"))


@pytest.mark.parametrize(
    ("family", "language_id", "segment"),
    [
        (TRANSLATED, 0, "hello"),
        (TRANSLATED, STRICT, "hallo"),
        (TRANSLATED, FALLBACK, "hello"),
        (TRANSLATED, CHAIN, "hallo"),
        (TRANSLATED, FREE, "hello"),
        (DEFAULT, STRICT, None),
        (DEFAULT, FALLBACK, "hello"),
        (Family(row(1, "all", language_id=-1)), STRICT, "all"),
        (Family(row(101, "hallo", parent=1, language_id=STRICT)), FALLBACK, "hallo"),
        (Family(None), 0, None),
        (Family(row(1, None)), 0, None),
        (Family(row(1, "")), 0, ""),  # violates the requirement later, as in TYPO3
        (Family(row(1, "x", hidden=1)), 0, None),
        (Family(row(1, "x", deleted=1)), 0, None),
        (Family(row(1, "x", starttime=FUTURE)), 0, None),
        (Family(row(1, "x", endtime=PAST)), 0, None),
        (Family(row(1, "x", fe_group="1")), 0, "x"),  # its page decides who may read it
        (Family(row(1, "x"), (replace(GERMAN, hidden=1),)), STRICT, None),
        (Family(row(1, "x"), (replace(GERMAN, fe_group="1"),)), STRICT, None),
        (Family(row(1, "x"), (replace(GERMAN, fe_group="1"),)), FALLBACK, "x"),
    ],
)
def test_a_records_slug_follows_the_language(
    family: Family, language_id: int, segment: str | None
) -> None:
    assert AliasMapper(TABLE).to_url(family, language(language_id), NOW) == segment


def test_a_pages_slug_is_there_in_every_language() -> None:
    mapper = AliasMapper(Table("pages", ("slug",)), "/")
    assert mapper.to_url(Family(row(1, "/a/b")), language(STRICT), NOW) == "a/b"


def test_a_pattern_keeps_the_uid_of_the_default_record() -> None:
    mapper = parse_mapper(
        {
            "type": "PersistedPatternMapper",
            "tableName": "tx_news",
            "routeFieldPattern": r"^(?P<slug>.+)-(?P<uid>\d+)$",
            "routeFieldResult": "{slug}-{uid}",
        },
        language(),
    )
    assert isinstance(mapper, PatternMapper)
    german = Record(uid=101, parent=1, language_id=STRICT, values=("hallo", "101"))
    family = Family(Record(uid=1, values=("hello", "1")), (german,))
    assert mapper.to_url(family, language(STRICT), NOW) == "hallo-1"
    assert mapper.fields_of("hallo-du-1") == {"slug": "hallo-du", "uid": "1"}
    assert mapper.fields_of("hallo") is None
    without = Family(Record(uid=1, values=(None, "1")))
    assert mapper.to_url(without, language(), NOW) is None
    assert mapper.to_url(Family(None), language(), NOW) is None


def test_a_uid_is_cast_as_the_database_would() -> None:
    assert [uid_of(each) for each in ("5", "5a", "a", "", 5, None)] == [5, 5, 0, 0, 5, 0]
