"""A caller's text as words that no parser of Solr takes for syntax.

Escaping is not enough: an escaped ``NOT x`` still finds everything without x. So only letters,
digits and what joins them inside a word come through. Tried with hostile texts on a real Solr.
"""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+(?:[.'’\-][^\W_]+)*")  # noqa: RUF001  # the apostrophe people type
# What a core's filters split a word at: other case, digits beside letters, punctuation.
_PART = re.compile(r"[^\W\d_]+|\d+")
_CASE_CHANGE = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_OPERATORS = frozenset({"AND", "OR", "NOT"})  # edismax reads them in capitals only
MAX_WORD = 64  # characters; longer ones are no words that anybody looks for
# Solr refuses a query of more than 1,024 clauses (maxBooleanClauses) with an error 500. Synonyms
# and parts of compounds make more of them than can be counted here: half is left to them.
MAX_CLAUSES = 512


def query_words(text: str, fields: int) -> str:
    """The words of *text*, as many as fit into one query over *fields* fields.

    Empty when there is no word: then there is nothing to ask.
    """
    budget = MAX_CLAUSES // max(1, fields)
    words: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFC", text)):
        word = match[0][:MAX_WORD].rstrip(".'’-")  # noqa: RUF001  # see above
        budget -= _clauses(word)
        if budget < 0:
            break
        words.append(word.lower() if word in _OPERATORS else word)
    return " ".join(words)


def _clauses(word: str) -> int:
    """How many terms a core may look for: the word, and its parts if it has several."""
    parts = sum(1 + len(_CASE_CHANGE.findall(part)) for part in _PART.findall(word))
    return 1 if parts <= 1 else parts + 1
