"""The made-up sites that `make bench` measures on."""

from collections import Counter
from pathlib import Path

import pytest

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval_cli.evaluation.asking import Answer
from typo3_retrieval_cli.evaluation.bench import timing, writer_of
from typo3_retrieval_cli.evaluation.data_sets import read_sets
from typo3_retrieval_cli.evaluation.synthetic import Language

SETS = Path(__file__).parents[2] / "ranking" / "sets"


@pytest.mark.parametrize("data", [None, SETS], ids=["made-up", "sentences"])
def test_the_same_site_comes_out_each_time(data: Path | None) -> None:
    one, other = (writer_of(data, "en") for _ in range(2))
    assert (pages := one.pages(20)) == other.pages(20)
    assert len({page.body for page in pages}) == 20
    assert one.questions(pages, 5) == other.questions(pages, 5)


def test_sentences_and_questions_are_the_sets_own() -> None:
    (german,) = (each for each in read_sets(SETS) if each.language == "de")
    writer = writer_of(SETS, "de")
    assert writer.language == "de"
    said = " ".join(document.body for document in german.documents)
    pages = writer.pages(30)
    assert all(line in said for page in pages for line in page.body.splitlines())
    assert {page.title for page in pages} <= {document.title for document in german.documents}
    assert set(writer.questions(pages, 1_000)) == set(german.questions)


def test_a_language_without_a_set_is_told() -> None:
    with pytest.raises(InvalidInput, match=r"no set in .* is of the language 'fr'"):
        writer_of(SETS, "fr")


def test_words_are_as_common_as_those_of_a_language() -> None:
    words = Counter(
        word for page in Language().pages(300) for word in page.body.lower().rstrip(".").split()
    )
    assert words["the"] > 5 * words["but"] > 0
    assert sum(number == 1 for number in words.values()) > len(words) / 4


def test_questions_are_made_of_a_page_s_words() -> None:
    language = Language()
    pages = language.pages(5)
    said = {word for page in pages for word in f"{page.title} {page.body}".replace(".", "").split()}
    for question in language.questions(pages, 10):
        assert set(question.text.split()) <= said


def test_a_summary_tells_the_worst_too() -> None:
    answers = [
        Answer(question=str(ms), hits=[], milliseconds=float(ms), statements=ms // 20)
        for ms in range(1, 101)
    ]
    summed = timing("database", 10, answers)
    assert (summed.p50, summed.p95, summed.slowest) == (50.0, 95.0, 100.0)
    assert (summed.statements, summed.empty, summed.failed) == (5, 1.0, 0.0)
