"""JSON lines: one answer for each line, in order, as soon as it is there."""

import json
import logging
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from typo3_retrieval.core.errors import RetrievalError
from typo3_retrieval_cli.output import as_json

log = logging.getLogger(__name__)

Line = Mapping[str, Any]
Answer = Mapping[str, Any]
Answers = Callable[[Sequence[Line]], Iterable[Answer | RetrievalError]]

MAX_CHUNK = 500  # lines answered together


class BadLine(RetrievalError):
    """The line is no request."""


def run(answer: Answers) -> None:
    """Answer every line of stdin on stdout.

    Lines that wait already are answered together, which saves statements; a writer who waits
    for each answer before he writes on gets it.

    Args:
        answer: gives, for some lines, as many answers in their order; an error in an answer's
            place becomes ``{"error": …}``.
    """
    for chunk in _chunks(sys.stdin.buffer):
        for text in _answers(chunk, answer):
            sys.stdout.write(text + "\n")
        sys.stdout.flush()


def each(
    answer: Callable[[Line], Answer],
) -> Callable[[Sequence[Line]], Iterator[Answer | RetrievalError]]:
    """Make a function that answers one line fit for `run`."""

    def answers(lines: Sequence[Line]) -> Iterator[Answer | RetrievalError]:
        for line in lines:
            try:
                yield answer(line)
            except RetrievalError as error:
                yield error

    return answers


def _answers(chunk: Sequence[bytes], answer: Answers) -> Iterator[str]:
    parsed = [_parsed(raw) for raw in chunk]
    good = iter(_results([line for line in parsed if not isinstance(line, BadLine)], answer))
    for line in parsed:
        result = line if isinstance(line, BadLine) else next(good)
        yield as_json({"error": str(result)} if isinstance(result, RetrievalError) else result)


def _results(lines: Sequence[Line], answer: Answers) -> list[Answer | RetrievalError]:
    """One result for each line, whatever happens."""
    try:
        return list(answer(lines))
    except RetrievalError as error:  # of all of them: the database does not answer
        return [error] * len(lines)
    except Exception:
        if len(lines) > 1:  # one line's bug must not take the answers of the others
            return [result for line in lines for result in _results([line], answer)]
        log.exception("a line could not be answered")
        return [RetrievalError("internal error")]


def _parsed(raw: bytes) -> Line | BadLine:
    try:
        line = json.loads(raw.decode())
    except (ValueError, RecursionError):
        return BadLine("not a line of JSON")
    return line if isinstance(line, dict) else BadLine("not a JSON object")


def _chunks(stream: BinaryIO) -> Iterator[list[bytes]]:
    """Yield the lines of *stream* in lists of those that are there already."""
    lines: queue.Queue[bytes | None] = queue.Queue(maxsize=4 * MAX_CHUNK)

    def read() -> None:
        for raw in stream:
            lines.put(raw)
        lines.put(None)

    threading.Thread(target=read, daemon=True, name="stdin").start()
    ended = False
    while not ended:
        chunk: list[bytes] = []
        waiting = lines.get()
        while waiting is not None:
            chunk.append(waiting)
            if len(chunk) == MAX_CHUNK or lines.empty():
                break
            waiting = lines.get()
        ended = waiting is None
        if chunk:
            yield chunk
