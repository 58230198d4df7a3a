import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.source_id import SourceId

VECTORS = Path(__file__).parents[2] / "vectors" / "source_ids.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]

backends = st.from_regex(r"[a-z][a-z0-9_]{0,30}", fullmatch=True)
parts = st.lists(st.from_regex(r"[A-Za-z0-9_.-]{1,40}", fullmatch=True), min_size=1, max_size=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["source_id"])[:40])
def test_the_recorded_ids_are_read_alike(case: dict[str, Any]) -> None:
    if case["parsed"] is None:
        with pytest.raises(InvalidInput, match=r"^Invalid source_id\.$"):
            SourceId.parse(case["source_id"])
    else:
        parsed = SourceId.parse(case["source_id"])
        assert (parsed.backend, list(parsed.parts)) == (
            case["parsed"]["backend"],
            case["parsed"]["parts"],
        )


@given(backends, parts)
def test_an_id_and_its_text_are_inverse(backend: str, segments: list[str]) -> None:
    built = SourceId.of(backend, *segments)
    assert SourceId.parse(str(built)) == built
    assert str(SourceId.parse(str(built))) == str(built)


@given(st.text(max_size=230))
def test_any_text_is_an_id_that_reads_back_or_is_refused(text: str) -> None:
    try:
        parsed = SourceId.parse(text)
    except InvalidInput:
        return
    assert str(parsed) == text
    assert text.isascii()
    assert text.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "database",
        "database:",
        ":3:0",
        "database::0",
        "database:3:",
        "Database:3:0",
        "9abc:1",
        "ke-search:1",
        "a:b:c:d:e:f",
        "database:3:0\n",
        "\ndatabase:3:0",
        "database:3:0 ",
        "database:3\x00:0",
        "database:\uff13:0",
        "dätabase:3:0",
        "database:+3:0",
        "database:3/0",
        "a" * 32 + ":1",
        "a:" + "x" * 65,
    ],
)
def test_text_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        SourceId.parse(text)


def test_200_characters_are_the_most() -> None:
    longest = ":".join(["abcd", "x" * 64, "x" * 64, "x" * 64, "x"])
    assert len(longest) == 201
    with pytest.raises(InvalidInput):
        SourceId.parse(longest)
    assert len(str(SourceId.parse(longest[1:]))) == 200


def test_numbers_of_a_row_become_parts() -> None:
    assert str(SourceId.of("database", 3, 0)) == "database:3:0"


@pytest.mark.parametrize("part", ["a:b", "", "ä", "a b", "x" * 65])
def test_a_value_that_no_id_can_hold_is_refused(part: str) -> None:
    with pytest.raises(InvalidInput):
        SourceId.of("solr", "main", part)


def test_an_id_has_parts() -> None:
    with pytest.raises(InvalidInput):
        SourceId.of("database")
