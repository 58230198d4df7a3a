import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.core.fakes import asked
from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.ranking.bm25f import (
    Score,
    Text,
    inverse_document_frequency,
    scores,
)

FILLER = "The town hall answers letters within five working days."


def scored(question: str, *texts: Text, idf: dict[str, float] | None = None) -> list[Score]:
    return scores(asked(question, idf=idf), texts)


def values(question: str, *texts: Text, idf: dict[str, float] | None = None) -> list[float]:
    return [score.value for score in scored(question, *texts, idf=idf)]


def test_a_word_in_the_title_counts_more_than_in_the_body() -> None:
    titled, said, silent = values(
        "waste", Text("Waste", FILLER), Text("Letters", f"{FILLER} Waste."), Text("Letters", FILLER)
    )
    assert titled > said > silent == 0


def test_a_rarer_word_counts_more() -> None:
    rare, common = values(
        "quarry waste", Text("", "quarry"), Text("", "waste"), idf={"quarri": 5.0, "wast": 0.5}
    )
    assert rare > common


def test_more_occurrences_count_less_and_less() -> None:
    one, two, three = values("waste", *(Text("", f"waste {'waste ' * n}") for n in range(3)))
    assert one < two < three
    assert two - one > three - two


def test_the_same_word_counts_less_in_a_longer_text() -> None:
    short, long = values("waste", Text("", "waste"), Text("", f"waste {FILLER * 5}"))
    assert short > long


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    (score,) = scored("bulky waste", Text("", "waste"), idf={"bulki": 3.0, "wast": 1.0})
    assert score.coverage == pytest.approx(0.25)


def test_of_two_hits_the_one_that_leads_is_believed() -> None:
    right, wrong = scored(
        "bulky waste Tuesday", Text("", "Bulky waste: Tuesday."), Text("", "waste")
    )
    assert (right.confidence, wrong.confidence) == (Confidence.HIGH, Confidence.LOW)


def test_a_title_that_is_nearly_the_question_counts_more() -> None:
    near, far = values("vaccinations", Text("Vaccine", "vaccination"), Text("News", "vaccination"))
    assert near > far


def test_a_title_that_only_looks_like_the_question_is_no_hit() -> None:
    assert values("vaccinations", Text("Vacuum", FILLER)) == [0.0]


def test_further_words_count_as_the_body_does() -> None:
    body, vocabulary = values("waste", Text("", "waste"), Text("", "", "waste"))
    assert body == vocabulary


def test_no_candidates_have_no_scores() -> None:
    assert scored("waste") == []


def test_empty_texts_score_nothing() -> None:
    assert scored("waste", Text("", "")) == [Score(0.0, 0.0)]


def test_a_question_without_terms_scores_nothing() -> None:
    assert scored("?", Text("Waste", "waste")) == [Score(0.0, 0.0)]


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_words_weight_is_positive_and_falls_with_its_number(one: int, other: int) -> None:
    having, total = sorted((one, other))
    assert inverse_document_frequency(total, having) > 0
    assert inverse_document_frequency(total, having) >= inverse_document_frequency(total, total)
