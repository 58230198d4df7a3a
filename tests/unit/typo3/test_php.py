"""PHP's spelling of values, queries and orders."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.typo3.php import (
    build_query,
    integer_key,
    naturally_sorted,
    parse_query,
    sorted_by_key,
    to_int,
    to_string,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "1"),
        (False, ""),
        (12, "12"),
        (1.0, "1"),
        (1.5, "1.5"),
        (0.1 + 0.2, "0.3"),  # php.ini: precision = 14
        (1e25, "1.0E+25"),
        (1.5e-7, "1.5E-7"),
        (math.inf, "INF"),
        (-math.inf, "-INF"),
        (math.nan, "NAN"),
        ("a", "a"),
    ],
)
def test_a_value_is_spelled_as_php_does(value: str | float | None, text: str) -> None:
    assert to_string(value) == text


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("12", 12),
        (" 12a", 12),
        ("a", 0),
        ("", 0),
        ("-3", -3),
        (1.9, 1),
        (math.nan, 0),
        (True, 1),
        (None, 0),
        ({}, 0),
        ({"a": 1}, 1),
        (7, 7),
    ],
)
def test_a_value_is_cast_as_php_does(value: object, number: int) -> None:
    assert to_int(value) == number


@pytest.mark.parametrize(
    ("key", "number"), [("0", 0), ("10", 10), ("-5", -5), ("01", None), ("1.0", None), ("", None)]
)
def test_some_keys_are_integers(key: str, number: int | None) -> None:
    assert integer_key(key) == number


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("a=1&b=2", {"a": "1", "b": "2"}),
        ("a=1&a=2", {"a": "2"}),
        ("a[b][c]=d", {"a": {"b": {"c": "d"}}}),
        ("a%5Bb%5D=c", {"a": {"b": "c"}}),
        ("a[]=1&a[]=2&a[5]=3&a[]=4", {"a": {"0": "1", "1": "2", "5": "3", "6": "4"}}),
        ("a.b=1&a%20c=2", {"a_b": "1", "a_c": "2"}),
        ("a[x.y]=1", {"a": {"x.y": "1"}}),
        ("a[b=1", {"a_b": "1"}),
        ("a=1&a[b]=2", {"a": {"b": "2"}}),
        ("a=b+c%2B", {"a": "b c+"}),
        ("[a]=1&=2&&", {}),
        ("a", {"a": ""}),
        ("a%00b=1", {"a": "1"}),
    ],
)
def test_a_query_is_parsed_as_php_does(query: str, arguments: object) -> None:
    assert parse_query(query) == arguments


# Names that PHP leaves as they are, and texts that are text.
NAMES = st.text(st.characters(codec="utf-8", exclude_characters=" .[]\0"), min_size=1, max_size=6)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
ARGUMENTS = st.recursive(
    st.dictionaries(NAMES, TEXTS, max_size=3),
    lambda inner: st.dictionaries(NAMES, TEXTS | inner, max_size=3),
    max_leaves=12,
)


@given(ARGUMENTS)
def test_a_query_round_trips_but_for_empty_arrays(arguments: dict[str, object]) -> None:
    built = build_query(arguments)  # type: ignore[arg-type]  # dict is invariant
    assert naturally_sorted(parse_query(built)) == naturally_sorted(arguments)  # type: ignore[arg-type]  # as above


def test_null_vanishes_and_booleans_are_digits() -> None:
    assert build_query({"a": None, "b": True, "c": False, "d": {}, "e": 1.5}) == "b=1&c=0&e=1.5"


def test_keys_sort_by_number_or_bytes() -> None:
    values = dict.fromkeys(["b", "a", "B", "10", "9", "a[b]", "ä"], "")
    assert list(sorted_by_key(values)) == ["9", "10", "B", "a", "a[b]", "b", "ä"]


def test_natural_order_counts_digits_and_ignores_case() -> None:
    arguments = dict.fromkeys(["b10", "b9", "C1", "a", "b09"], "1")
    assert list(naturally_sorted({**arguments, "empty": {}})) == ["a", "b09", "b9", "b10", "C1"]
