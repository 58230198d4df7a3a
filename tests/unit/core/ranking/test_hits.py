from tests.unit.core.fakes import asked
from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.ranking.bm25f import Text
from typo3_retrieval.core.ranking.hits import best_first

SILENT = Text("Letters", "The town hall answers letters within five working days.")
SAID = Text("Letters", "The town hall answers letters about waste within five working days.")
TITLED = Text("Waste", "The town hall answers letters within five working days.")


def test_the_best_text_comes_first_and_a_silent_one_not_at_all() -> None:
    hits = best_first(asked("waste"), [SILENT, SAID, TITLED], limit=8)
    assert [hit.index for hit in hits] == [2, 1]


def test_no_more_hits_come_back_than_were_asked_for() -> None:
    assert len(best_first(asked("waste"), [SAID] * 5, limit=3)) == 3


def test_equal_scores_keep_the_order_of_the_texts() -> None:
    hits = best_first(asked("waste"), [SAID, SAID, SAID], limit=8)
    assert [hit.index for hit in hits] == [0, 1, 2]


def test_a_hit_shows_its_passage_and_its_confidence() -> None:
    (hit,) = best_first(asked("waste"), [SAID], limit=8)
    assert hit.excerpt == SAID.body
    assert hit.score.confidence is Confidence.HIGH


def test_without_a_body_the_title_is_the_excerpt() -> None:
    (hit,) = best_first(asked("waste"), [Text("Waste", "")], limit=8)
    assert hit.excerpt == "Waste"


def test_words_that_are_not_shown_make_a_hit_but_no_excerpt() -> None:
    (hit,) = best_first(asked("rubbish"), [Text("Letters", SAID.body, "rubbish")], limit=8)
    assert "rubbish" not in hit.excerpt
