import pytest

from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.ranking.confidence import confidence


def test_a_hit_that_covers_less_than_half_of_the_question_is_of_low_confidence() -> None:
    only_one = confidence(coverage=0.4, words=3, score=9.0, best_other=0.0)
    assert only_one is Confidence.LOW


def test_a_hit_far_behind_the_best_is_of_low_confidence() -> None:
    assert confidence(coverage=1.0, words=3, score=6.0, best_other=9.0) is Confidence.LOW


def test_a_hit_that_covers_the_question_and_leads_is_of_high_confidence() -> None:
    assert confidence(coverage=1.0, words=3, score=9.0, best_other=5.0) is Confidence.HIGH


def test_of_two_equal_hits_neither_is_of_high_confidence() -> None:
    assert confidence(coverage=1.0, words=3, score=9.0, best_other=9.0) is Confidence.MEDIUM


def test_the_only_page_with_the_one_word_is_of_high_confidence() -> None:
    assert confidence(coverage=1.0, words=1, score=2.0, best_other=0.0) is Confidence.HIGH


def test_half_of_the_question_is_not_enough_for_high_confidence() -> None:
    assert confidence(coverage=0.5, words=1, score=2.0, best_other=0.0) is Confidence.MEDIUM


def test_several_words_need_less_of_a_lead_than_one() -> None:
    several, one = (
        confidence(coverage=1.0, words=words, score=9.0, best_other=6.0) for words in (5, 1)
    )
    assert (several, one) == (Confidence.HIGH, Confidence.MEDIUM)


@pytest.mark.parametrize("score", [0.0, 5.0])
def test_nothing_covered_is_of_low_confidence(score: float) -> None:
    assert confidence(coverage=0.0, words=0, score=score, best_other=0.0) is Confidence.LOW
