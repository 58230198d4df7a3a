r"""Splits a text into words as TYPO3's indexer does, so that a word is looked up as it was kept.

Rules: `TYPO3\CMS\IndexedSearch\Lexer` (13.4), character ranges of `charType()` included. They are
older than Unicode's classes and differ: Arabic digits and ligatures are no word characters.
"""

import re

# Inclusive ranges. Latin, Greek, Cyrillic, Hebrew, Arabic, Latin extended; digits are ASCII's.
_ALPHA = (
    "0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u027f\u0386\u0388-\u0481\u048a-\u052f"
    "\u0590-\u05af\u05d0-\u05f2\u0621-\u0658\u066e-\u06d3\u1e00-\u1fff"
)
# Hiragana, Katakana, Hangul, Han.
_CJK = "\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9faf\uac00-\ud7af\U00020000-\U0002fa1f"
JOINS = ".\\-_:/'"  # they stay inside a word, and only there: "e-mail", "3.5"
_RUN = f"(?:[{_ALPHA}]+|[{_CJK}]+)"
_WORD = re.compile(f"{_RUN}(?:[{JOINS}]+{_RUN})*")
_FIRST_CJK = re.compile(f"[{_CJK}]")


def words(text: str) -> list[str]:
    """The words of *text* in order, lower-cased; Chinese, Japanese and Korean in pairs."""
    found: list[str] = []
    for match in _WORD.finditer(text.lower()):
        word = match[0]
        if _FIRST_CJK.match(word) and len(word) > 1:
            found += (word[index : index + 2] for index in range(len(word) - 1))
        else:
            found.append(word)
    return found
