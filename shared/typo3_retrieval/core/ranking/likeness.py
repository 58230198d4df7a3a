"""How alike a question and a title are, letter by letter.

Words that share a stem are found without it. This finds the rest: typing errors, the other word
of a family (vaccine, vaccination), and titles that are the question in another order.
"""

import math
from collections.abc import Iterable

_LETTERS = 3


def trigrams(words: Iterable[str]) -> frozenset[str]:
    """Each three letters of *words*, whose borders are letters too."""
    return frozenset(
        padded[place : place + _LETTERS]
        for padded in (f" {word} " for word in words)
        for place in range(len(padded) - _LETTERS + 1)
    )


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The cosine of two sets of trigrams: 0 for nothing in common, 1 for the same."""
    if not one or not other:
        return 0.0
    return len(one & other) / math.sqrt(len(one) * len(other))
