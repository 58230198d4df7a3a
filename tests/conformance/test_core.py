"""The core against all that was recorded from the reference: ids, texts, excerpts, fusion.

Where ours differs on purpose, the line of the recording is listed with the answer that we give;
docs/deviations/core.md says why.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.fusion import reciprocal_rank_fusion
from typo3_retrieval.core.html import plain_text
from typo3_retrieval.core.ranking.analysis import analyzer, tokens
from typo3_retrieval.core.ranking.excerpt import excerpt
from typo3_retrieval.core.ranking.question import Question
from typo3_retrieval.core.source_id import SourceId

# Line of excerpts.jsonl -> the text that we give.
OTHER_TEXTS = {
    3: "x",  # a style sheet is no text
    5: "5<6",  # "<" that opens no element
    9: "nbsp x",
    10: "zerowidth",
    11: "bom",
    18: "emoji 👨👩👧👦 x",  # the joiner is a hidden character
    26: "1",  # the text of <title> is not on the page
    28: "1",  # nor are the options of a <datalist>
}
NO_TEXT = {
    6,  # an element that never ends: versions of Python's parser differ
    19,  # bytes that are no UTF-8 never reach the core
}
# Other excerpts: around the densest window, at words and sentences, without a blank at the cut.
OTHER_EXCERPTS = {29, 30, 31, 32, 33, 34, 35, 37, 41, 45, 46, 47, 48, 49, 51}


def recorded(truth: Path, name: str) -> list[dict[str, Any]]:
    lines = (truth / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_recorded_source_id_is_read_alike(truth: Path) -> None:
    cases = recorded(truth, "fetch")
    assert len(cases) > 300
    differing = [case for case in cases if parsed(case["source_id"]) != case["parsed"]]
    assert differing == []


def test_every_recorded_hit_has_an_id_that_reads_back(truth: Path) -> None:
    for search in recorded(truth, "search"):
        for hit in search.get("hits") or ():
            assert str(SourceId.parse(hit["source_id"])) == hit["source_id"]


def test_every_recorded_fusion_comes_out_alike(truth: Path) -> None:
    cases = recorded(truth, "fusion")
    assert cases
    for case in cases:
        fused = reciprocal_rank_fusion(case["lists"], k=case["k"], weights=case["weights"])
        assert fused == [str(key) for key in case["result"]]  # PHP made numbers of some


def test_every_recorded_markup_gives_the_recorded_text_or_a_better_one(truth: Path) -> None:
    cases = numbered(truth, "plain")
    assert len(cases) > 20
    ours = {line: plain_text(case["text"]) for line, case in cases.items() if line not in NO_TEXT}
    assert ours == {line: OTHER_TEXTS.get(line, cases[line]["result"]) for line in ours}


def test_the_list_of_other_texts_is_not_longer_than_it_must_be(truth: Path) -> None:
    cases = numbered(truth, "plain")
    assert [line for line, text in OTHER_TEXTS.items() if cases[line]["result"] == text] == []


def test_every_recorded_excerpt_comes_out_alike_or_is_listed(truth: Path) -> None:
    cases = numbered(truth, "around")
    assert len(cases) > 20
    different = {line for line, case in cases.items() if excerpt_of(case) != case["result"]}
    assert different == OTHER_EXCERPTS


def test_other_excerpts_are_of_the_same_length_and_show_what_the_recorded_show(
    truth: Path,
) -> None:
    cases = numbered(truth, "around")
    for case in (cases[line] for line in OTHER_EXCERPTS if cases[line]["length"] >= 20):
        ours = excerpt_of(case)
        assert len(ours) <= case["length"] + 2
        shown = words_of(case["result"]) & words_of(plain_text(case["text"]))  # whole ones
        assert words_of(case["query"]) & shown <= words_of(ours)


def words_of(text: str) -> set[str]:
    return {match[0] for match in tokens(text)}


def parsed(text: str) -> dict[str, Any] | None:
    try:
        source_id = SourceId.parse(text)
    except InvalidInput:
        return None
    return {"backend": source_id.backend, "parts": list(source_id.parts)}


def numbered(truth: Path, function: str) -> Mapping[int, dict[str, Any]]:
    """The cases of one function by their line, counted from 1."""
    cases = enumerate(recorded(truth, "excerpts"), start=1)
    return {line: case for line, case in cases if case["fn"] == function and "text" in case}


def excerpt_of(case: Mapping[str, Any]) -> str:
    analysis = analyzer("en")
    terms = analysis.question(case["query"])
    question = Question(analysis, terms, {term.text: 1.0 for term in terms})
    return excerpt(plain_text(case["text"]), question, length=case["length"])


def test_no_line_is_listed_that_is_not_there(truth: Path) -> None:
    lines = range(1, len(recorded(truth, "excerpts")) + 1)
    assert {*OTHER_TEXTS, *NO_TEXT, *OTHER_EXCERPTS} <= set(lines)


@pytest.mark.parametrize("odd", ["database:3:0\n", "database:3:0\r\n", "database:3:0\u2028"])
def test_a_line_end_after_an_id_is_refused(odd: str) -> None:
    assert parsed(odd) is None
