import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.core.fakes import asked
from typo3_retrieval.core.html import plain_text
from typo3_retrieval.core.ranking.excerpt import LENGTH, excerpt
from typo3_retrieval.core.text import one_line

VECTORS = Path(__file__).parents[3] / "vectors" / "excerpts.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]
FILLER = "The town hall answers letters within five working days. "


def cut(
    text: str, question: str, *, length: int = LENGTH, idf: dict[str, float] | None = None
) -> str:
    return excerpt(text, asked(question, idf=idf), length=length)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["fn"] == "around"], ids=lambda case: case["text"][:30]
)
def test_the_recorded_texts_give_the_recorded_excerpts(case: dict[str, Any]) -> None:
    text = plain_text(case["text"])
    assert cut(text, case["query"], length=case["length"]) == case["result"]


def test_a_short_text_is_its_own_excerpt() -> None:
    assert cut("Bins out before 6 am.", "bins") == "Bins out before 6 am."


def test_without_any_hit_it_is_the_beginning() -> None:
    text = (FILLER * 20).strip()
    excerpted = cut(text, "elephant")
    assert excerpted.startswith("The town hall")
    assert excerpted.endswith("…")


def test_it_begins_with_a_sentence_and_has_the_hit_in_its_middle() -> None:
    text = FILLER * 20 + "Bulky waste is collected in May. " + FILLER * 20
    found = cut(text, "When is bulky waste collected?")
    assert found.startswith(f"…{FILLER}")
    before, after = found.split("Bulky waste is collected")
    assert abs(len(before) - len(after)) < len(FILLER) * 2


def test_whole_words_are_kept_at_both_ends() -> None:
    text = ("lorem ipsum dolor " * 40 + "elephant " + "lorem ipsum dolor " * 40).strip()
    excerpted = cut(text, "elephant")
    inside = excerpted.strip("…").split(" ")
    assert set(inside) == {"elephant", "lorem", "ipsum", "dolor"}


def test_the_passage_with_more_of_the_question_wins() -> None:
    text = "Waste is a topic. " + FILLER * 20 + "Bulky waste is collected in May. " + FILLER * 20
    assert "collected in May" in cut(text, "When is bulky waste collected?")


def test_a_rarer_word_draws_the_window() -> None:
    text = "Waste waste waste. " + FILLER * 20 + "The quarry is closed. " + FILLER * 20
    assert "quarry" in cut(text, "waste quarry", idf={"wast": 0.2, "quarri": 5.0})


def test_repeating_one_word_does_not_beat_two_words() -> None:
    text = "waste waste waste waste. " + FILLER * 20 + "Bulky waste. " + FILLER * 20
    assert "Bulky waste." in cut(text, "bulky waste")


def test_a_hit_near_the_end_fills_the_excerpt() -> None:
    text = FILLER * 20 + "Elephant."
    excerpted = cut(text, "elephant")
    assert excerpted.endswith("Elephant.")
    assert len(excerpted) > LENGTH * 0.7


def test_a_hit_near_the_beginning_shows_the_beginning() -> None:
    text = "An elephant came. " + FILLER * 20
    assert cut(text, "elephant").startswith("An elephant came.")


def test_an_endless_word_is_cut() -> None:
    excerpted = cut("x" * 1000, "x")
    assert excerpted == "x" * LENGTH + "…"


prose = st.lists(
    st.text(max_size=12) | st.sampled_from(["waste", "Bulky", "collected.", "…", "x" * 400]),
    max_size=150,
).map(lambda pieces: one_line(" ".join(pieces)))


@given(prose, st.sampled_from([20, 160, 320]))
def test_an_excerpt_is_a_piece_of_the_text_and_not_too_long(text: str, length: int) -> None:
    excerpted = cut(text, "When is bulky waste collected?", length=length)
    assert len(excerpted) <= length + 2
    if len(text) <= length:
        assert excerpted == text
    else:
        head, tail = not text.startswith(excerpted[:1]), not text.endswith(excerpted[-1:])
        assert excerpted.removeprefix("…").removesuffix("…") in text
        assert excerpted.startswith("…") or not head
        assert excerpted.endswith("…") or not tail


@pytest.mark.parametrize("after", range(0, 700, 7))
def test_the_hit_is_shown_wherever_it_stands(after: int) -> None:
    text = (FILLER * 20)[: 1000 - after] + " elephant " + (FILLER * 20)[:after]
    assert "elephant" in cut(one_line(text), "elephant")


@given(prose)
def test_where_something_is_found_the_excerpt_shows_it(text: str) -> None:
    shown = cut(text, "waste")
    if "waste" in text.split(" "):
        assert "waste" in shown
