from collections.abc import Sequence

import pytest

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.statistics import MAX_AGE, Counts, Memory, Statistics


def term(text: str) -> Term:
    return Term(text, (text,))


class TestCounts:
    def test_a_rarer_word_weighs_more(self) -> None:
        idf = Counts(total=100, having={"quarri": 1, "wast": 60}).idf
        assert idf["quarri"] > idf["wast"] > 0

    def test_a_count_that_outgrew_the_total_weighs_little_and_is_no_error(self) -> None:
        assert Counts(total=0, having={"wast": 5}).idf["wast"] > 0

    @pytest.mark.parametrize(
        ("having", "known"), [({}, False), ({"a": 0}, False), ({"a": 1}, True)]
    )
    def test_it_knows_whether_the_index_has_any_of_the_words(
        self, having: dict[str, int], known: bool
    ) -> None:
        assert Counts(total=9, having=having).known is known

    @pytest.mark.parametrize(
        ("having", "affordable"),
        [
            ({"a": 10, "b": 5, "c": 1}, ["c", "b", "a"]),
            ({"a": 10, "b": 0}, ["a"]),  # nobody says b
            ({"a": 900, "b": 5, "c": 1}, ["c", "b"]),  # too common, beside two others
            ({"a": 900, "b": 950}, ["a", "b"]),  # two at least
            ({"a": 900}, ["a"]),
        ],
    )
    def test_the_rarest_words_are_affordable(
        self, having: dict[str, int], affordable: list[str]
    ) -> None:
        chosen = Counts(total=1_000, having=having).affordable([term(text) for text in having])
        assert [each.text for each in chosen] == affordable

    def test_their_documents_together_are_limited(self) -> None:
        counts = Counts(total=10**6, having={"a": 8_000, "b": 9_000, "c": 10_000})
        assert [each.text for each in counts.affordable([term("a"), term("b"), term("c")])] == [
            "a",
            "b",
        ]


def test_a_value_is_believed_for_ten_minutes() -> None:
    time = 0.0
    memory = Memory[str, int](lambda: time)
    memory.remember({"a": 1})
    time = MAX_AGE - 1.0
    memory.remember({"b": 2})
    assert memory.known(["a", "b", "c"]) == {"a": 1, "b": 2}
    time = MAX_AGE
    assert memory.known(["a", "b"]) == {"b": 2}


def test_only_what_is_not_remembered_is_counted() -> None:
    asked = list[list[str]]()

    def count(terms: Sequence[Term]) -> Counts:
        asked.append([each.text for each in terms])
        return Counts(total=100, having={each.text: len(each.text) for each in terms})

    statistics = Statistics(lambda: 0.0)
    statistics.counts([term("waste")], count)
    counts = statistics.counts([term("waste"), term("bin")], count)
    statistics.counts([term("bin")], count)
    assert asked == [["waste"], ["bin"]]
    assert counts == Counts(total=100, having={"waste": 5, "bin": 3})
