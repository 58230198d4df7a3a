"""Regular expressions written for PHP, run by Python's `re`.

Site configuration holds PCRE in conditions, requirements, locale maps and persisted patterns.
What the two engines spell differently is translated; what Python lacks is refused.
"""

import re
import unicodedata
from functools import cache, lru_cache

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_HIGHEST_NAMED = 0x323AF  # CJK extension H; above are tags and private use
_PIECE = re.compile(
    r"\\p\{\^?[A-Za-z]+\}|\\[\s\S]|\(\?<(?![=!])|\[:\^?[a-z]+:\]|\[\^?\]?|\]|[\s\S]",
)
# Inside a character class only.
_POSIX = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:space:]": r"\s",
    "[:upper:]": "A-Z",
    "[:word:]": r"\w",
    "[:xdigit:]": "0-9A-Fa-f",
}


class PatternError(ValueError):
    """The pattern is broken, or uses what Python's `re` cannot express."""


@lru_cache(maxsize=512)
def compile_pcre(pattern: str, flags: str = "") -> re.Pattern[str]:
    """Compile *pattern*, which has no delimiters.

    Args:
        pattern: PCRE source, e.g. ``[a-z]{2}(?<rest>.*)``.
        flags: PCRE modifiers out of ``imsxuD``.

    Raises:
        PatternError: the pattern cannot be run.
    """
    unknown = set(flags) - set(_FLAGS) - set("uD")  # u: a Python str is Unicode anyway
    if unknown:
        raise PatternError(f"unknown modifier {''.join(sorted(unknown))!r}")
    value = re.RegexFlag(0)
    for flag in flags:
        value |= _FLAGS.get(flag, re.RegexFlag(0))
    try:
        return re.compile(_translated(pattern, dollar_end_only="D" in flags), value)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(str(error)) from error


def compile_delimited(expression: str) -> re.Pattern[str]:
    """Compile a whole PCRE expression such as ``#^Development/Local#i``.

    Raises:
        PatternError: no delimiters, or the pattern cannot be run.
    """
    text = expression.lstrip()
    start = text[:1]
    if not start or start.isalnum() or start == "\\":
        raise PatternError(f"{expression!r} has no delimiters, write #{expression}#")
    end = text.rfind(_CLOSING.get(start, start))
    if end < 1:
        raise PatternError(f"{expression!r} has no closing delimiter")
    return compile_pcre(text[1:end].replace("\\" + start, start), text[end + 1 :].strip())


def _translated(pattern: str, *, dollar_end_only: bool) -> str:
    """Spell *pattern* as Python does: group names, anchors, properties."""
    pieces: list[str] = []
    outside = {"\\z": r"\Z", "\\Z": r"(?=\n?\Z)", "\\h": r"[ \t]", "(?<": "(?P<"}
    if dollar_end_only:
        outside["$"] = r"\Z"
    in_class = False
    for match in _PIECE.finditer(pattern):
        piece = match.group()
        if piece.startswith("\\p{"):
            piece = _property(piece[3:-1], in_class=in_class)
        elif in_class:
            closes = piece == "]" or re.fullmatch(r"\[\^?\]", piece)
            in_class = not closes
            piece = _in_class(piece, pieces[-1])
        elif piece.startswith("["):
            in_class = True
        else:
            piece = outside.get(piece, piece)
        pieces.append(piece)
    return "".join(pieces)


def _in_class(piece: str, before: str) -> str:
    """Spell what stands inside a character class; Python keeps some doubled signs for itself."""
    if piece == "\\h":
        return r" \t"
    if piece in _POSIX:
        return _POSIX[piece]
    if piece in "&|~" or piece == before == "-":
        return f"\\{piece}"
    return piece.replace("[", r"\[") if piece.startswith("[") else piece


def _property(name: str, *, in_class: bool) -> str:
    """Write out the characters of a Unicode category, which `re` has no name for."""
    negated = name.startswith("^")
    ranges = _category(name.lstrip("^"))
    if not ranges or (negated and in_class):
        raise PatternError(f"\\p{{{name}}} is not supported here")
    return ranges if in_class else f"[{'^' if negated else ''}{ranges}]"


@cache
def _category(name: str) -> str:
    """Ranges of the characters whose general category starts with *name*, e.g. ``L``."""
    ranges: list[str] = []
    start = -1
    for code in range(_HIGHEST_NAMED + 2):
        inside = unicodedata.category(chr(code)).startswith(name)
        if inside and start < 0:
            start = code
        elif not inside and start >= 0:
            ranges.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = -1
    return "".join(ranges)
