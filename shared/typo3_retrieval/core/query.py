"""A question, checked once: after this nobody checks its limits again."""

from dataclasses import dataclass
from typing import Self

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.text import one_line

MIN_CHARACTERS = 2
MAX_CHARACTERS = 200
MIN_SOURCES, DEFAULT_SOURCES, MAX_SOURCES = 1, 8, 20
MAX_ALTERNATIVES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalQuery:
    """A question to a site's index, within its limits. Build it with `of`."""

    text: str  # 2..200 characters, one line
    limit: int = DEFAULT_SOURCES  # sources wanted, 1..20
    site: str | None = None  # site identifier; None asks every site
    language_id: int = 0  # sys_language_uid
    alternatives: tuple[str, ...] = ()  # other wordings of the same question, at most two
    notes: tuple[str, ...] = ()  # what was changed to fit the limits, for the answer

    @classmethod
    def of(
        cls,
        text: str,
        *,
        limit: int = DEFAULT_SOURCES,
        site: str | None = None,
        language_id: int = 0,
        alternatives: tuple[str, ...] = (),
    ) -> Self:
        """Trim *text*, cut it to 200 characters (with a note), clamp *limit* to 1..20.

        Raises:
            InvalidInput: fewer than two characters are left.
        """
        question = one_line(text)
        if len(question) < MIN_CHARACTERS:
            raise InvalidInput(f"Question too short (minimum {MIN_CHARACTERS} characters).")
        notes: tuple[str, ...] = ()
        if len(question) > MAX_CHARACTERS:
            notes = (f"Question cut to its first {MAX_CHARACTERS} characters.",)
        wordings = (one_line(each)[:MAX_CHARACTERS] for each in alternatives)
        return cls(
            text=question[:MAX_CHARACTERS].rstrip(),
            limit=max(MIN_SOURCES, min(MAX_SOURCES, limit)),
            site=site,
            language_id=language_id,
            alternatives=tuple(w for w in wordings if len(w) >= MIN_CHARACTERS)[:MAX_ALTERNATIVES],
            notes=notes,
        )
