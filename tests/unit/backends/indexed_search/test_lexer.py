"""The indexer's words, as a real indexer wrote them."""

import json
from pathlib import Path

import pytest

from typo3_retrieval.backends.indexed_search.lexer import words

RECORDED = json.loads((Path(__file__).parents[3] / "vectors" / "lexer.json").read_text("utf-8"))


@pytest.mark.parametrize("line", RECORDED, ids=lambda line: line["text"] or "nothing")
def test_words_are_the_indexer_s(line: dict[str, object]) -> None:
    assert words(str(line["text"])) == line["words"]


def test_other_letters_end_a_chinese_word() -> None:
    assert words("abc日本語") == ["abc", "日本", "本語"]
