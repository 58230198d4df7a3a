"""Reading one source in pages of bounded length."""

from dataclasses import dataclass

from typo3_retrieval.core.backend import Document
from typo3_retrieval.core.errors import InvalidInput

PAGE_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPage:
    """A stretch of a document's text: characters, not bytes."""

    document: Document
    text: str  # at most 8,000 characters
    offset: int
    next_offset: int | None  # where to read on; None at the end
    total_characters: int


def page_of(document: Document, offset: int = 0) -> DocumentPage:
    """Cut the page that starts at *offset*; one past the end is empty.

    Raises:
        InvalidInput: *offset* is negative.
    """
    if offset < 0:
        raise InvalidInput("offset must be 0 or more.")
    end = offset + PAGE_CHARACTERS
    total = len(document.text)
    return DocumentPage(
        document=document,
        text=document.text[offset:end],
        offset=offset,
        next_offset=end if end < total else None,
        total_characters=total,
    )
