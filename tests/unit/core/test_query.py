import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.query import RetrievalQuery

CUT = "Question cut to its first 200 characters."


def test_blanks_around_and_inside_are_normalised() -> None:
    assert RetrievalQuery.of("  When is\n\n bulky\twaste collected?  ").text == (
        "When is bulky waste collected?"
    )


@pytest.mark.parametrize("text", ["", " ", "a", "  a  ", "\u200b\u200b\u200b", "a\u202e", "\x00b"])
def test_fewer_than_two_visible_characters_are_too_short(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^Question too short \(minimum 2 characters\)\.$"):
        RetrievalQuery.of(text)


def test_two_characters_are_enough() -> None:
    assert RetrievalQuery.of("EU").text == "EU"


def test_200_characters_are_kept_without_a_note() -> None:
    query = RetrievalQuery.of("x" * 200)
    assert (len(query.text), query.notes) == (200, ())


def test_a_longer_question_is_cut_with_a_note() -> None:
    query = RetrievalQuery.of("x" * 201)
    assert (query.text, query.notes) == ("x" * 200, (CUT,))


def test_the_limit_counts_characters_not_bytes() -> None:
    query = RetrievalQuery.of("🎉" * 200)
    assert (len(query.text), query.notes) == (200, ())


def test_a_cut_leaves_no_blank_at_the_end() -> None:
    assert RetrievalQuery.of("x" * 199 + " yes").text == "x" * 199


def test_blanks_do_not_count_before_they_are_normalised() -> None:
    assert RetrievalQuery.of("waste" + " " * 300 + "bin").notes == ()


@pytest.mark.parametrize(
    ("asked", "given_"), [(-5, 1), (0, 1), (1, 1), (8, 8), (20, 20), (21, 20), (10**30, 20)]
)
def test_the_number_of_sources_is_clamped(asked: int, given_: int) -> None:
    assert RetrievalQuery.of("waste", limit=asked).limit == given_


def test_eight_sources_are_wanted_by_default() -> None:
    assert RetrievalQuery.of("waste").limit == 8


def test_hidden_characters_are_dropped() -> None:
    smuggled = "wa\u00adste\u200b \u202ecol\u2066lection\ufeff \U000e0041tag"
    assert RetrievalQuery.of(smuggled).text == "waste collection tag"


def test_alternatives_are_normalised_and_limited_to_two() -> None:
    query = RetrievalQuery.of("waste", alternatives=(" bulky\nrubbish ", "x", "", "y" * 300, "zz"))
    assert query.alternatives == ("bulky rubbish", "y" * 200)


@given(st.text(max_size=400), st.integers())
def test_a_query_is_always_within_its_limits(text: str, limit: int) -> None:
    try:
        query = RetrievalQuery.of(text, limit=limit)
    except InvalidInput:
        return
    assert 2 <= len(query.text) <= 200
    assert 1 <= query.limit <= 20
    assert query.text == " ".join(query.text.split())
