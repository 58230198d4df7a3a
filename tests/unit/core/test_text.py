import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.text import one_line, without_hidden


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u200bb", "ab"),  # zero-width space
        ("a\u00adb", "ab"),  # soft hyphen
        ("a\u202eb\u202c", "ab"),  # right-to-left override
        ("a\u2066b\u2069", "ab"),  # isolate
        ("\ufeffa", "a"),  # byte order mark
        ("a\U000e0041", "a"),  # tag
        ("a\x00\x1bb\x7f", "ab"),  # controls
        ("a\ud800b", "ab"),  # half a surrogate pair
        ("straße Łódź 中文 🚲", "straße Łódź 中文 🚲"),
    ],
)
def test_hidden_characters_are_dropped_and_the_rest_kept(text: str, seen: str) -> None:
    assert without_hidden(text) == seen


@pytest.mark.parametrize(
    "blank", [" ", "\t", "\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u2028"]
)
def test_every_kind_of_blank_separates_words(blank: str) -> None:
    assert one_line(f"{blank}a{blank}{blank}b{blank}") == "a b"


@given(st.text())
def test_a_line_has_no_controls_and_is_a_fixed_point(text: str) -> None:
    line = one_line(text)
    assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
    assert one_line(line) == line


# Format characters that have a form of their own: signs above Arabic, Syriac and Kaithi numbers,
# and the joiners of Egyptian hieroglyphs.
_SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
_SEEN |= set(range(0x13430, 0x13440))


def test_no_format_or_control_character_of_unicode_is_left() -> None:
    kept = {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs")
        and one_line(f"a{chr(code)}b") not in ("ab", "a b")
    }
    assert kept <= _SEEN
