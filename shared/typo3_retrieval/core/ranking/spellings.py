"""How the beginning of a word may be written in an index."""

from typo3_retrieval.core.ranking.analysis import Term

MAX_BYTES = 60  # of a prefix; indexed_search keeps no more of a word


def spellings(term: Term) -> tuple[str, ...]:
    """The prefixes of *term*, and where ``ss`` may stand for ``ß``, that form too."""
    found: dict[str, None] = {}
    for prefix in term.prefixes:
        for form in (prefix, prefix.replace("ss", "ß"), prefix.replace("ß", "ss")):
            found[form.encode()[:MAX_BYTES].decode("utf-8", "ignore")] = None
    return tuple(found)
