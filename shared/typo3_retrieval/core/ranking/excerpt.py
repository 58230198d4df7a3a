"""The passage of a text that answers best, cut to be read."""

from bisect import bisect_left

from typo3_retrieval.core.ranking.analysis import tokens
from typo3_retrieval.core.ranking.question import Question

LENGTH = 320  # characters, ellipses not counted
_WINDOW = 0.8  # of the length: the rest lets the start snap to a sentence
_REPEAT = 0.1  # what a word counts that the window has already
_ENDS_OF_SENTENCE = (". ", "! ", "? ", ": ", "… ")
_ELLIPSIS = "…"


def excerpt(text: str, question: Question, *, length: int = LENGTH) -> str:
    """Cut the densest window of *text* around the question's terms.

    Each occurrence opens a window; the one with the greatest weight of distinct terms wins.
    Without any occurrence it is the beginning of the text.

    Args:
        text: one line of plain text.
        question: what was asked.
        length: characters, ellipses not counted.
    """
    if len(text) <= length:
        return text
    start = _snapped(text, _densest(text, question, length), length)
    end = _word_end(text, start + length, length)
    head = _ELLIPSIS if start > 0 else ""
    tail = _ELLIPSIS if end < len(text) else ""
    return f"{head}{text[start:end].strip()}{tail}"


def _densest(text: str, question: Question, length: int) -> int:
    """Where the best window's first occurrence begins, 0 without any."""
    occurrences = [
        (match.start(), term, weight * question.idf[term])
        for match in tokens(text)
        for term, weight in question.matches(match[0])
    ]
    starts = [start for start, _, _ in occurrences]
    best, best_weight = 0, 0.0
    for index, start in enumerate(starts):
        end = bisect_left(starts, start + int(length * _WINDOW))
        weight, seen = 0.0, set[str]()
        for _, term, value in occurrences[index:end]:
            weight += value * (_REPEAT if term in seen else 1.0)
            seen.add(term)
        if weight > best_weight:
            best, best_weight = start, weight
    return best


def _snapped(text: str, start: int, length: int) -> int:
    """Move *start* back to a sentence's beginning if one is near, else to a word's."""
    margin = int(length * (1 - _WINDOW))
    if start <= margin:
        return 0
    if start > len(text) - length:  # a window at the end is filled, too
        return _beginning(text, len(text) - length, start, margin)
    near = text[start - margin : start]
    sentence = max(near.rfind(end) for end in _ENDS_OF_SENTENCE)
    if sentence >= 0:
        return start - margin + sentence + 2
    blank = text.rfind(" ", start - margin, start + 1)
    return blank + 1 if blank >= 0 else start


def _beginning(text: str, earliest: int, latest: int, margin: int) -> int:
    """The first beginning of a sentence from *earliest* on if one is near, else of a word."""
    near = text[earliest - 2 : min(latest, earliest + margin)] if earliest >= 2 else ""
    sentences = [place for end in _ENDS_OF_SENTENCE if (place := near.find(end)) >= 0]
    if sentences:
        return earliest + min(sentences)
    blank = text.find(" ", max(0, earliest - 1), latest)
    return blank + 1 if blank >= 0 else earliest


def _word_end(text: str, end: int, length: int) -> int:
    """Move *end* back to a word's end, if there is one in the last fifth."""
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", end - length // 5, end + 1)
    return blank if blank > 0 else end
