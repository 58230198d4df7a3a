import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.core.fakes import document
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.reading import page_of


def test_a_short_text_is_one_page() -> None:
    page = page_of(document("short"))
    assert (page.text, page.offset, page.next_offset, page.total_characters) == (
        "short",
        0,
        None,
        5,
    )


@pytest.mark.parametrize(
    ("total", "offset", "length", "next_offset"),
    [
        (8_000, 0, 8_000, None),
        (8_001, 0, 8_000, 8_000),
        (8_001, 8_000, 1, None),
        (20_000, 8_000, 8_000, 16_000),
        (20_000, 19_999, 1, None),
        (20_000, 20_000, 0, None),
        (20_000, 10**30, 0, None),
        (0, 0, 0, None),
    ],
)
def test_pages_have_8000_characters(
    total: int, offset: int, length: int, next_offset: int | None
) -> None:
    page = page_of(document("x" * total), offset)
    assert (len(page.text), page.next_offset, page.total_characters) == (
        length,
        next_offset,
        total,
    )


def test_a_page_counts_characters_not_bytes() -> None:
    assert len(page_of(document("🎉" * 9_000)).text) == 8_000


@pytest.mark.parametrize("offset", [-1, -(10**30)])
def test_a_negative_offset_is_refused(offset: int) -> None:
    with pytest.raises(InvalidInput, match="offset"):
        page_of(document("short"), offset)


@given(st.integers(min_value=0, max_value=30_000))
def test_reading_on_gives_the_whole_text(total: int) -> None:
    text = "".join(map(str, range(total // 4)))
    read, offset = "", 0
    while True:
        page = page_of(document(text), offset)
        read += page.text
        if page.next_offset is None:
            break
        offset = page.next_offset
    assert read == text
