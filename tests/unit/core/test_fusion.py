import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.fusion import reciprocal_rank_fusion

VECTORS = Path(__file__).parents[2] / "vectors" / "fusion.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]

rankings = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7), max_size=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["lists"]))
def test_the_recorded_lists_are_fused_alike(case: dict[str, Any]) -> None:
    fused = reciprocal_rank_fusion(case["lists"], k=case["k"], weights=case["weights"])
    assert fused == case["result"]


def test_what_two_lists_have_beats_what_one_has_at_the_top() -> None:
    assert reciprocal_rank_fusion([["a", "b"], ["c", "b"]]) == ["b", "a", "c"]


def test_a_heavier_list_decides() -> None:
    assert reciprocal_rank_fusion([["a", "b"], ["b", "a"]], weights=[1, 2]) == ["b", "a"]


@given(rankings)
def test_every_key_comes_back_once(lists: list[list[str]]) -> None:
    fused = reciprocal_rank_fusion(lists)
    assert sorted(fused) == sorted({key for each in lists for key in each})


@given(st.lists(st.sampled_from("abcdefg"), unique=True), st.integers())
def test_one_list_keeps_its_order(ranking: list[str], k: int) -> None:
    assert reciprocal_rank_fusion([ranking], k=k) == ranking
