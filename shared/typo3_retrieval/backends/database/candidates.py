"""One statement that finds the pages worth reading: who says which words of the question."""

from collections.abc import Sequence
from dataclasses import dataclass

from typo3_retrieval.backends.database.statement import Statement
from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.typo3.content_overlay import ALL_LANGUAGES
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.enable_fields import access_time
from typo3_retrieval.typo3.word_classes import Scan, likeliest_first


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
) -> Scan:
    """Find the pages whose rows hold any of *terms*.

    What a page's rows say is joined; the keys of the answer are uids of pages. See `word_classes`
    for the rest.

    Raises:
        BackendError: the database did not answer.
    """
    statement = Statement(database, terms)
    sql = statement.text(page_fields, content_fields, within_tree=scope.root_uid is not None)
    parameters = {
        "now": access_time(scope.now),
        "languages": sorted(scope.language_ids),
        "content_languages": sorted({*scope.language_ids, ALL_LANGUAGES}),
        "root": scope.root_uid,
        **statement.parameters,
    }
    return likeliest_first(terms, database.rows(sql, parameters))
