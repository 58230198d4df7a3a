"""Regular expressions written for PHP, run by Python's `re`.

Site configuration holds PCRE in conditions, requirements, locale maps and persisted patterns.
What the two engines spell differently is translated; what Python lacks is refused.
"""

import re
from functools import lru_cache

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
# Unicode properties: inside a character class, and standing alone.
_PROPERTIES = {
    "L": (r"^\W\d_", r"[^\W\d_]"),
    "N": (r"\d", r"\d"),
    "Nd": (r"\d", r"\d"),
    "Lu": ("A-ZÀ-ÖØ-Þ", "[A-ZÀ-ÖØ-Þ]"),
    "Ll": ("a-zß-öø-ÿ", "[a-zß-öø-ÿ]"),
}
_PIECE = re.compile(
    r"\\p\{\^?[A-Za-z]+\}|\\[\s\S]|\(\?<(?![=!])|\[\^?\]?|\]|\$|[\s\S]",
)


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
            in_class = piece != "]"
            if piece.startswith("["):  # a bracket inside a class is itself
                piece = piece.replace("[", r"\[")
            elif piece == "\\h":
                piece = r" \t"
        elif piece.startswith("["):
            in_class = True
        else:
            piece = outside.get(piece, piece)
        pieces.append(piece)
    return "".join(pieces)


def _property(name: str, *, in_class: bool) -> str:
    inside, alone = _PROPERTIES.get(name, ("", ""))
    if not alone or (in_class and inside.startswith("^")):
        raise PatternError(f"\\p{{{name}}} is not supported here")
    return inside if in_class else alone
