import pytest

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.spellings import MAX_BYTES, spellings


@pytest.mark.parametrize(
    ("prefixes", "expected"),
    [
        (("haus",), ("haus",)),
        (("häus", "haus"), ("häus", "haus")),
        (("straß", "strass"), ("straß", "strass")),
        (("strass",), ("strass", "straß")),
    ],
)
def test_a_double_s_may_be_an_eszett_in_the_index(
    prefixes: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert spellings(Term(prefixes[-1], prefixes)) == expected


def test_a_long_word_is_cut_between_characters() -> None:
    (spelling,) = spellings(Term("ä" * 40, ("xä" * 40,)))
    assert spelling == "xä" * 20
    assert len(spelling.encode()) == MAX_BYTES
