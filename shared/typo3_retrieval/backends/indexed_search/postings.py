"""Which pages have a question's words, by `index_rel`: the SQL that ranks them.

An entry of `index_rel` tells that a page has a word (its key), and how often and where (the
rest of the row). Keys are cheap to read, rows are not: on 100,000 pages a hundred thousand keys
cost as much as some thousand rows. So pages are chosen by which words they have, and only the
rows of the most promising ones are read.
"""

from collections.abc import Mapping, Sequence

from typo3_retrieval.backends.indexed_search.table import Scope
from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.typo3.database import Parameter

_USUAL_LENGTH = 300  # words of a page; only candidates are chosen by it
_FREQUENCY = 320_000  # index_rel.freq = count / words * this, at most 32,000 (Indexer, 13.4)
_TITLE_FLAG = 128  # index_rel.flags of a word in the title
# Pages whose rows are read, by the number of words. The fewer there are, the more pages have
# the same ones of them, so that only the rows tell which is best.
_PROMISING = {1: 6_000, 2: 3_000}
_PROMISING_ELSE = 2_000


def found_pages(
    scope: Scope,
    terms: Sequence[Term],
    wids: Mapping[str, Sequence[str]],
    idf: Mapping[str, float],
    limit: int,
) -> tuple[str, dict[str, Parameter]]:
    """The expression ``found (id, score)``, the best pages by their words, and its parameters.

    The score is BM25 over what a row tells of a page: how often it has a word, among how many,
    and whether in its title.

    Args:
        scope: of the pages that may be found.
        terms: the words that find pages; at least one.
        wids: of the words of each term, by `Term.text`; one or more each.
        idf: the weight of each term, by `Term.text`.
        limit: pages.
    """
    parameters = dict(scope.parameters)
    branches = []
    for place, term in enumerate(terms):
        parameters[f"wids_{place}"] = wids[term.text]
        parameters[f"idf_{place}"] = idf[term.text]
        branches.append(
            f"""SELECT phash, wid, {place} AS term, %(idf_{place})s AS idf
                FROM index_rel WHERE wid IN %(wids_{place})s"""  # noqa: S608  # a number
        )
    # The LIMIT of `wanted` keeps its join apart: else rows would be read before pages are chosen.
    expression = f"""posting (phash, wid, term, idf) AS ({" UNION ALL ".join(branches)}),
        promising (phash) AS (
            SELECT p.phash
            FROM (
                SELECT phash, SUM(idf) AS weight
                FROM (SELECT DISTINCT phash, term, idf FROM posting) having_terms
                GROUP BY phash
            ) weighed JOIN index_phash p ON p.phash = weighed.phash
            WHERE {scope.condition}
            ORDER BY weighed.weight DESC, p.phash
            LIMIT {_PROMISING.get(len(terms), _PROMISING_ELSE):d}
        ), wanted (phash, wid, term, idf) AS (
            SELECT posting.phash, posting.wid, posting.term, posting.idf
            FROM promising JOIN posting ON posting.phash = promising.phash
            LIMIT 1000000000
        ), found (id, score) AS (
            SELECT phash, SUM(idf * 2.6 * tf / (1.6 + tf)) AS score
            FROM (
                SELECT wanted.phash, wanted.term, wanted.idf, SUM({_OCCURRENCES}) AS tf
                FROM wanted JOIN index_rel r ON r.phash = wanted.phash AND r.wid = wanted.wid
                GROUP BY wanted.phash, wanted.term, wanted.idf
            ) by_term
            GROUP BY phash
            ORDER BY score DESC, phash
            LIMIT {limit:d}
        )"""  # noqa: S608  # constants, and what this package's own functions write
    if scope.expressions:
        expression = f"{scope.expressions}, {expression}"
    return expression, parameters


# A word's count, raised in a title, by the page's length in words.
_OCCURRENCES = f"""
    (r.count + CASE WHEN r.flags & {_TITLE_FLAG} > 0 THEN 4 ELSE 0 END)
    / (0.4 + 0.6 * r.count * {_FREQUENCY}.0
       / (CASE WHEN r.freq > 0 THEN r.freq ELSE 1 END) / {_USUAL_LENGTH})"""
