"""The passage of a text that answers best, cut to be read."""

from bisect import bisect_left

from typo3_retrieval.core.ranking.analysis import tokens
from typo3_retrieval.core.ranking.question import Question

LENGTH = 320  # characters, ellipses not counted
_WINDOW = 0.6  # of the length: the rest is what stands around it, where the answer often is
_SNAP = 0.2  # of the length, by which the start moves to a sentence's beginning
_REPEAT = 0.1  # what a word counts that the window has already
_ENDS_OF_SENTENCE = (". ", "! ", "? ", ": ", "… ")
_ELLIPSIS = "…"


def excerpt(text: str, question: Question, *, length: int = LENGTH) -> str:
    """Cut the densest window of *text* around the question's terms.

    Each occurrence opens a window; the one with the greatest weight of distinct terms wins, and
    stands in the middle of what is cut: the words that answer are beside those that were asked.
    Without any occurrence it is the beginning of the text.

    Args:
        text: one line of plain text.
        question: what was asked.
        length: characters, ellipses not counted.
    """
    if len(text) <= length:
        return text
    first, last = _densest(text, question, length)
    around = max(0, length - (last - first)) // 2
    start = _beginning(text, min(first - around, len(text) - length), first, length)
    end = _word_end(text, start + length, length)
    head = _ELLIPSIS if start > 0 else ""
    tail = _ELLIPSIS if end < len(text) else ""
    return f"{head}{text[start:end].strip()}{tail}"


def _densest(text: str, question: Question, length: int) -> tuple[int, int]:
    """Where the best window's first occurrence begins and its last one ends, 0 without any."""
    occurrences = [
        (match.start(), match.end(), term, weight * question.idf[term])
        for match in tokens(text)
        for term, weight in question.matches(match[0])
    ]
    starts = [occurrence[0] for occurrence in occurrences]
    best, best_weight = (0, 0), 0.0
    for index, start in enumerate(starts):
        end = bisect_left(starts, start + int(length * _WINDOW))
        weight, seen = 0.0, set[str]()
        for _, _, term, value in occurrences[index:end]:
            weight += value * (_REPEAT if term in seen else 1.0)
            seen.add(term)
        if weight > best_weight:
            best, best_weight = (start, occurrences[end - 1][1]), weight
    return best


def _beginning(text: str, earliest: int, latest: int, length: int) -> int:
    """The first beginning of a sentence from *earliest* on if one is near, else of a word."""
    if earliest <= 0:
        return 0
    near = text[max(0, earliest - 2) : min(latest, earliest + int(length * _SNAP))]
    sentences = [place for end in _ENDS_OF_SENTENCE if (place := near.find(end)) >= 0]
    if sentences:
        return max(0, earliest - 2) + min(sentences) + 2
    blank = text.find(" ", earliest - 1, latest)
    return blank + 1 if blank >= 0 else earliest


def _word_end(text: str, end: int, length: int) -> int:
    """Move *end* back to a word's end, if there is one in the last fifth."""
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", end - length // 5, end + 1)
    return blank if blank > 0 else end
