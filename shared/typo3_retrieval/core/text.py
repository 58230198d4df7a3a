"""Text of unknown origin, made safe to show: no hidden characters, no broken lines."""

import re

# Categories C (control, format, surrogate, private use, unassigned) hide or reorder text, but
# blanks among the controls separate words and must become a space instead of vanishing.
_BLANKS = re.compile(r"\s+")
# Zero-width and bidirectional characters, soft hyphen, BOM, tags block, lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)


def without_hidden(text: str) -> str:
    """Drop characters that a reader cannot see: zero-width, bidirectional, control, tags."""
    return _HIDDEN.sub("", text)


def one_line(text: str) -> str:
    """Drop hidden characters and join lines and runs of blanks to single spaces."""
    return _BLANKS.sub(" ", without_hidden(text)).strip()
