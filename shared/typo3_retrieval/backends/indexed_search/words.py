"""Which words of the index a question means, and how many pages have them."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from typo3_retrieval.backends.indexed_search import lexer
from typo3_retrieval.core.ranking.analysis import Analyzer, Term, fold, tokens
from typo3_retrieval.core.ranking.spellings import MAX_BYTES, spellings
from typo3_retrieval.core.ranking.statistics import Counts, Memory
from typo3_retrieval.typo3.database import Database, Parameter, Row

_PER_PREFIX = 300  # words with one beginning that are looked at, the shortest first
_PARTS = re.compile(f"[{lexer.JOINS}]+")


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of the index, and how many pages have it."""

    wid: str  # md5 of the word
    pages: int
    finds: bool = True  # False: it only begins like the term, and counts for how common that is


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The index's words for each term of a question."""

    counts: Counts
    wids: Mapping[str, tuple[str, ...]]  # by Term.text


class Words:
    """Looks words up, and remembers for ten minutes what it found."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = Memory[tuple[str, str], tuple[_Word, ...]]()
        self._total = Memory[None, int]()

    def of(self, language: str, analysis: Analyzer, terms: Sequence[Term], text: str) -> Vocabulary:
        """The words for *terms*. One statement, or none.

        Args:
            language: that *analysis* is for.
            analysis: tells which words share a stem.
            terms: the question's.
            text: the question, for the words that the indexer splits otherwise: "e-mail" is one
                word to it, and each two of Chinese characters.
        """
        plain = {match[0] for match in tokens(text)}
        other = [word for word in lexer.words(text) if word not in plain and len(word) > 1]
        keys = {term.text: (language, term.text) for term in terms}
        known = self._known.known(keys.values())
        total = self._total.known([None])
        # The other words may be parts of any term.
        unknown = [term for term in terms if other or keys[term.text] not in known]
        if unknown or not total:
            rows = self._look_up(unknown, other, count=not total)
            found = _by_term(analysis, unknown, rows, other)
            fresh = {keys[term]: tuple(words) for term, words in found.items()}
            self._known.remember(fresh)
            known |= fresh
            if not total and rows:
                total = {None: int(rows[0]["total"] or 0)}
                self._total.remember(total)
        words = {term.text: known.get(keys[term.text], ()) for term in terms}
        pages = total.get(None, 0)
        return Vocabulary(
            counts=Counts(
                total=pages,
                having={term: min(pages, _pages(each)) for term, each in words.items()},
            ),
            wids={
                term: tuple(word.wid for word in each if word.finds) for term, each in words.items()
            },
        )

    def _look_up(
        self, terms: Sequence[Term], other: Sequence[str], *, count: bool
    ) -> Sequence[Row]:
        parameters: dict[str, Parameter] = {"other": other}
        branches = ["SELECT wid, baseword FROM index_words WHERE baseword IN %(other)s"]
        for place, prefix in enumerate(form for term in terms for form in spellings(term)):
            # Prefixes are letters and digits: no wildcard among them.
            parameters[f"prefix_{place}"] = f"{prefix}%"
            branches.append(
                f"""SELECT * FROM (
                    SELECT wid, baseword FROM index_words
                    WHERE baseword LIKE %(prefix_{place})s AND is_stopword = 0
                    ORDER BY LENGTH(baseword), baseword LIMIT {_PER_PREFIX}
                ) words_{place}"""  # noqa: S608  # numbers
            )
        statement = f"""
            SELECT found.wid, found.baseword,
                   (SELECT COUNT(*) FROM index_rel r WHERE r.wid = found.wid) AS pages,
                   {"(SELECT COUNT(*) FROM index_phash)" if count else "NULL"} AS total
            FROM ({" UNION ".join(branches)}) found
        """  # noqa: S608  # see above
        return self._database.rows(statement, parameters)


def _by_term(
    analysis: Analyzer, terms: Sequence[Term], rows: Sequence[Row], other: Sequence[str]
) -> Mapping[str, list[_Word]]:
    """Give each term the words that begin like it, and tell which of them have its stem.

    Of *other*, the question's words as the indexer splits it, also those that are its parts.
    """
    found: defaultdict[str, list[_Word]] = defaultdict(list)
    for row in rows:
        baseword = str(row["baseword"])
        word = _Word(str(row["wid"]), int(row["pages"] or 0))
        stems = {
            analysis.term(match[0]) for part in _PARTS.split(baseword) for match in tokens(part)
        }
        for term in terms:
            is_part = baseword in other and fold(baseword) in term.text
            # Rows of the question's other words are no concern of this one: what is remembered
            # of it must not depend on the question that asked first.
            begins = fold(baseword).startswith(tuple(map(fold, term.prefixes)))
            if is_part or (begins and (term.text in stems or _is_cut(baseword, term))):
                found[term.text].append(word)
            elif begins:
                found[term.text].append(replace(word, finds=False))
    return {term.text: found[term.text] for term in terms}


def _pages(words: Sequence[_Word]) -> int:
    """How many pages have the term. One with two of the words counts twice: near enough.

    Words that only begin like it count too: a family of many words says little, and was found
    to be worth less than the count of the one stem tells.
    """
    return sum(word.pages for word in words) if any(word.finds for word in words) else 0


def _is_cut(baseword: str, term: Term) -> bool:
    """Whether *baseword* is the beginning of a word that was too long for the index."""
    long = len(baseword.encode()) > MAX_BYTES - 3  # the last character may not have fitted
    return long and term.text.startswith(fold(baseword))
