"""An answer as JSON of at most 20,000 bytes: what does not fit is dropped, and a note says so."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel

from typo3_retrieval.edge.models import FetchResponse

MAX_BYTES = 20_000  # of UTF-8; Bedrock is said to take 25 kB of an answer

Json = dict[str, Any]

SHORTENED = (
    "The answer was too long for this platform: {what} left out. Read a source with "
    "site_fetch_source, or ask for fewer sources."
)
CUT = "The text was cut for this platform; go on at next_offset."


def bedrock_body(answer: BaseModel, *, limit: int = MAX_BYTES) -> str:
    """*answer* as JSON, shortened from its tail until it has at most *limit* bytes."""
    body = answer.model_dump(mode="json")
    text = _dump(body)
    if _size(text) <= limit:
        return text
    if isinstance(answer, FetchResponse):
        return _cut(body, limit)
    for shorter in _shortened(body):
        text = _dump(shorter)
        if _size(text) <= limit:
            break
    return text


def _shortened(body: Json) -> Iterator[Json]:
    """Ever shorter versions: without the text that repeats the sources, excerpts, then sources."""
    hits = "sources" if "sources" in body else "hits"
    sources = [dict(each) for each in body[hits]]
    notes = body.get("notes", [])

    def version(what: str) -> Json:
        note = SHORTENED.format(what=what)
        return {**body, "text": "", hits: sources, "notes": [*notes, note]}

    yield version("its repetition as text")
    for source in reversed(sources):
        source["excerpt"] = ""
        yield version("excerpts")
    while sources:
        sources.pop()
        yield version("sources")


def _cut(body: Json, limit: int) -> str:
    """The part of a text that fits; the next one begins where it ends."""
    whole, offset = body["text"], body["offset"]

    def of_length(length: int) -> str:
        return _dump(
            {**body, "text": whole[:length], "next_offset": offset + length, "notes": [CUT]}
        )

    return of_length(_most(len(whole), lambda length: _size(of_length(length)) <= limit))


def _most(maximum: int, fits: Callable[[int], bool]) -> int:
    """The greatest number from 0 to *maximum* that fits, when all smaller ones do."""
    low, high = 0, maximum
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _dump(body: Json) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
