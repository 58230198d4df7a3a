"""One statement that finds the pages worth reading: who says which words of the question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.bm25f import inverse_document_frequency
from typo3_retrieval.typo3.database import Database, Parameter
from typo3_retrieval.typo3.enable_fields import access_time, enable_fields_sql
from typo3_retrieval.typo3.visibility import BACKEND_SECTION, FOLDER, SPACER

_PER_CLASS = 60  # pages of each set of words that are looked at; all are counted
_TITLE_BONUS = 0.5
_ALL_LANGUAGES = -1  # sys_language_uid of an element that shows in every language


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
        "content_languages": sorted({*scope.language_ids, _ALL_LANGUAGES}),
        "root": scope.root_uid,
        "per_class": _PER_CLASS,
    }
    for name, prefix in _prefixes(terms):
        # Compared as bytes: folding by a collation costs ten times as much.
        parameters[name] = prefix.encode() if database.dialect == "mysql" else prefix
    sql = _Statement(database, terms).text(
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


class _Statement:
    """Writes the statement for one dialect and the columns that this TYPO3 has.

    Names in it come from constants and from options that were checked to be column names;
    every value is a parameter.
    """

    def __init__(self, database: Database, terms: Sequence[Term]) -> None:
        self._database = database
        self._terms = terms

    def text(
        self, page_fields: Sequence[str], content_fields: Sequence[str], *, within_tree: bool
    ) -> str:
        pages, content = self._database.columns("pages"), self._database.columns("tt_content")
        tree = f"tree (uid) AS ({_TREE}), " if within_tree else ""
        where = "{} NOT IN (SELECT uid FROM closed)"
        if within_tree:
            where += " AND {} IN (SELECT uid FROM tree)"
        page_uid = "CASE WHEN t.sys_language_uid > 0 THEN t.l10n_parent ELSE t.uid END"
        # The haystack is folded once in a derived table; LIMIT keeps it from being merged
        # into the outer query, which would fold it again for every term.
        return f"""
            WITH RECURSIVE closed (uid, inherited) AS ({self._closed(pages)}), {tree}said AS (
                SELECT page_uid, {self._mask("hay")} AS said, {self._mask("titles")} AS titled
                FROM (
                    SELECT {page_uid} AS page_uid,
                           {self._haystack(page_fields, pages)} AS hay,
                           {self._haystack(("title",), pages)} AS titles
                    FROM pages t
                    WHERE {enable_fields_sql("t", pages, for_table="pages")}
                      AND t.sys_language_uid IN %(languages)s
                      AND {where.format(page_uid, page_uid)}
                    LIMIT 1000000000
                ) page_rows
                UNION ALL
                SELECT page_uid, {self._mask("hay")}, 0
                FROM (
                    SELECT t.pid AS page_uid,
                           {self._haystack(content_fields, content)} AS hay
                    FROM tt_content t
                    WHERE {enable_fields_sql("t", content, for_table="tt_content")}
                      AND t.sys_language_uid IN %(content_languages)s
                      AND {where.format("t.pid", "t.pid")}
                    LIMIT 1000000000
                ) content_rows
            ), joined AS (
                SELECT page_uid, BIT_OR(said) AS said, BIT_OR(titled) AS titled
                FROM said GROUP BY page_uid
            ), placed AS (
                SELECT page_uid, said, titled,
                       COUNT(*) OVER (PARTITION BY said, titled) AS pages,
                       ROW_NUMBER() OVER (PARTITION BY said, titled ORDER BY page_uid) AS place
                FROM joined
            )
            SELECT page_uid, said, titled, pages FROM placed
            WHERE place <= CASE WHEN said = 0 THEN 1 ELSE %(per_class)s END
        """  # noqa: S608  # see the class: only column names are interpolated

    def _closed(self, there: frozenset[str]) -> str:
        """Pages that no search shows. Without them they would crowd the others out.

        They need not be all: what is found is judged by the rules themselves.
        """
        opened = enable_fields_sql("p", there, for_table="pages")
        unsearchable = "OR p.no_search <> 0" if "no_search" in there else ""
        return f"""
                SELECT p.uid,
                       CASE WHEN p.doktype = {BACKEND_SECTION}
                              OR (p.deleted <> 0 OR p.extendToSubpages <> 0)
                                 AND NOT ({opened})
                            THEN 1 ELSE 0 END
                FROM pages p
                WHERE p.sys_language_uid = 0
                  AND (NOT ({opened}) {unsearchable}
                       OR p.doktype IN ({BACKEND_SECTION}, {SPACER}, {FOLDER}))
                UNION
                SELECT p.uid, 1 FROM closed JOIN pages p ON p.pid = closed.uid
                WHERE closed.inherited = 1 AND p.sys_language_uid = 0
        """  # noqa: S608  # see the class

    def _haystack(self, fields: Sequence[str], there: frozenset[str]) -> str:
        """The lower-cased text of the fields that the table has."""
        present = [f"t.{field}" for field in fields if field in there]
        if not present:
            return "''"
        if self._database.dialect == "mysql":
            joined = f"CONVERT(CONCAT_WS(' ', {', '.join(present)}) USING utf8mb4)"
            return f"CAST(LOWER({joined}) AS BINARY)"
        joined = " || ' ' || ".join(f"COALESCE({each}, '')" for each in present)
        return f"LOWER(CAST({joined} AS BLOB))"  # as a BLOB, so that odd bytes do not fail

    def _mask(self, haystack: str) -> str:
        """One bit for each term that *haystack* holds in any of its spellings."""
        bits = []
        for bit, term in enumerate(self._terms):
            found = " OR ".join(
                f"INSTR({haystack}, %(term_{bit}_{spelling})s) > 0"
                for spelling in range(len(term.prefixes))
            )
            bits.append(f"CASE WHEN {found} THEN {1 << bit} ELSE 0 END")
        return f"({' + '.join(bits)})"


# Hidden pages are kept: their subpages may be visible. UNION ends cycles.
_TREE = """
    SELECT uid FROM pages WHERE uid = %(root)s
    UNION
    SELECT p.uid FROM pages p JOIN tree ON p.pid = tree.uid WHERE p.sys_language_uid = 0
"""
