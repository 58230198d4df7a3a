import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.ranking.likeness import likeness, trigrams

WORDS = st.lists(st.text("abcdeäß", min_size=1, max_size=8), max_size=6)


def test_the_borders_of_words_are_letters_too() -> None:
    assert trigrams(["bus"]) == {" bu", "bus", "us "}


def test_a_typing_error_leaves_most_of_a_word() -> None:
    right = trigrams(["kindergarten"])
    assert likeness(right, trigrams(["kindergraten"])) > 0.5
    assert likeness(right, trigrams(["swimming", "pool"])) == 0


def test_the_order_of_words_does_not_matter() -> None:
    assert likeness(trigrams(["bulky", "waste"]), trigrams(["waste", "bulky"])) == pytest.approx(1)


def test_nothing_is_like_nothing() -> None:
    assert likeness(trigrams([]), trigrams([])) == 0


@given(WORDS, WORDS)
def test_likeness_is_a_share_and_the_same_both_ways(one: list[str], other: list[str]) -> None:
    found = likeness(trigrams(one), trigrams(other))
    assert 0 <= found <= 1.0000001
    assert found == likeness(trigrams(other), trigrams(one))
