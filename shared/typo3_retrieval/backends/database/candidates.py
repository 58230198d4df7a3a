"""One statement that finds the pages worth reading: who says which words of the question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.backends.database.statement import Statement
from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.bm25f import inverse_document_frequency
from typo3_retrieval.typo3.content_overlay import ALL_LANGUAGES
from typo3_retrieval.typo3.database import Database, Parameter
from typo3_retrieval.typo3.enable_fields import access_time

_PER_CLASS = 60  # pages of each set of words that are looked at; all are counted
_TITLE_BONUS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Pages that say some of the terms, likeliest first, and what each term is worth."""

    page_uids: tuple[int, ...]
    idf: Mapping[str, float]  # by Term.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where candidates are looked for. It may be wider than what is visible."""

    language_ids: frozenset[int]  # rows of these can show in the asked language
    root_uid: int | None = None  # only pages below this one; None: all
    now: int  # an `access_time`


def find_candidates(
    database: Database,
    terms: Sequence[Term],
    scope: Scope,
    *,
    page_fields: Sequence[str],
    content_fields: Sequence[str],
) -> Candidates:
    """Find the pages whose rows hold any of *terms*.

    Every row gives a bit for each term; the bits of a page's rows are joined, and pages with
    the same bits form a class. The sizes of the classes tell how common each term is; of
    each class some pages are returned.

    Raises:
        BackendError: the database did not answer.
    """
    parameters: dict[str, Parameter] = {
        "now": access_time(scope.now),
        "languages": sorted(scope.language_ids),
        "content_languages": sorted({*scope.language_ids, ALL_LANGUAGES}),
        "root": scope.root_uid,
        "per_class": _PER_CLASS,
    }
    for name, prefix in _prefixes(terms):
        # Compared as bytes: folding by a collation costs ten times as much.
        parameters[name] = prefix.encode() if database.dialect == "mysql" else prefix
    sql = Statement(database, terms).text(
        page_fields, content_fields, within_tree=scope.root_uid is not None
    )
    rows = [
        _Class(*(int(row[name] or 0) for name in ("page_uid", "said", "titled", "pages")))
        for row in database.rows(sql, parameters)
    ]
    return _ranked(terms, rows)


@dataclass(frozen=True, slots=True)
class _Class:
    """One page with its class: which terms it says, and how many pages say just these."""

    page_uid: int
    said: int
    titled: int
    pages: int


def _ranked(terms: Sequence[Term], rows: Sequence[_Class]) -> Candidates:
    sizes = {(row.said, row.titled): row.pages for row in rows}
    total = sum(sizes.values())
    idf = {
        term.text: inverse_document_frequency(
            total, sum(size for (said, _), size in sizes.items() if said >> bit & 1)
        )
        for bit, term in enumerate(terms)
    }

    def promise(row: _Class) -> float:
        return sum(
            idf[term.text] * (1 + _TITLE_BONUS * (row.titled >> bit & 1))
            for bit, term in enumerate(terms)
            if row.said >> bit & 1
        )

    ranked = sorted((row for row in rows if row.said), key=lambda r: (-promise(r), r.page_uid))
    return Candidates(page_uids=tuple(row.page_uid for row in ranked), idf=idf)


def _prefixes(terms: Sequence[Term]) -> Iterable[tuple[str, str]]:
    for bit, term in enumerate(terms):
        for spelling, prefix in enumerate(term.prefixes):
            yield f"term_{bit}_{spelling}", prefix
