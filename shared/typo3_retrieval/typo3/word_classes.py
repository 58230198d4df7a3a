"""Reading every row for words: which terms each one says, as bits, and classes of such rows.

Rows that say the same terms form a class. The sizes of the classes tell how common each term
is; of each class only some rows are returned, so the answer stays small however large the table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.core.ranking.analysis import Term
from typo3_retrieval.core.ranking.spellings import spellings
from typo3_retrieval.core.ranking.statistics import Counts
from typo3_retrieval.typo3.database import Dialect, Parameter, Row

PER_CLASS = 60  # rows of each class that are looked at; all are counted
_TITLE_BONUS = 0.5


class WordMasks:
    """Writes the SQL expressions that look for terms, in one dialect.

    Args:
        dialect: the database's.
        terms: the question's, at most 60: one bit each.
    """

    def __init__(self, dialect: Dialect, terms: Sequence[Term]) -> None:
        self._by_bytes = dialect == "mysql"
        self._forms = [spellings(term) for term in terms]

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What the placeholders of the masks stand for."""
        # Compared as bytes: folding by a collation costs ten times as much.
        return {
            f"term_{bit}_{place}": form.encode() if self._by_bytes else form
            for bit, forms in enumerate(self._forms)
            for place, form in enumerate(forms)
        }

    def haystack(self, columns: Sequence[str]) -> str:
        """The lower-cased text of *columns*.

        Select it in a derived table with a LIMIT: that keeps it from being merged into the outer
        query, which would fold it again for every term.
        """
        if not columns:
            return "''"
        if self._by_bytes:
            joined = f"CONVERT(CONCAT_WS(' ', {', '.join(columns)}) USING utf8mb4)"
            return f"CAST(LOWER({joined}) AS BINARY)"
        joined = " || ' ' || ".join(f"COALESCE({each}, '')" for each in columns)
        return f"LOWER(CAST({joined} AS BLOB))"  # as a BLOB, so that odd bytes do not fail

    def mask(self, haystack: str) -> str:
        """One bit for each term that *haystack* holds in any of its spellings."""
        bits = []
        for bit, forms in enumerate(self._forms):
            found = " OR ".join(
                f"INSTR({haystack}, %(term_{bit}_{place})s) > 0" for place in range(len(forms))
            )
            bits.append(f"CASE WHEN {found} THEN {1 << bit} ELSE 0 END")
        return f"({' + '.join(bits)})"


def classes_sql(said: str) -> str:
    """The end of a statement over *said*, a table expression with ``id, said, titled``.

    Returns:
        A SELECT of ``id, said, titled, fellows``: some rows of each class with its size.
    """
    return f"""
        SELECT id, said, titled, fellows FROM (
            SELECT id, said, titled,
                   COUNT(*) OVER (PARTITION BY said, titled) AS fellows,
                   ROW_NUMBER() OVER (PARTITION BY said, titled ORDER BY id) AS place
            FROM {said}
        ) placed
        WHERE place <= CASE WHEN said = 0 THEN 1 ELSE {PER_CLASS} END
    """  # noqa: S608  # a name and a number of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What reading every row has found."""

    keys: tuple[str | int, ...]  # likeliest first
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Class:
    """One row with its class: which terms it says, and how many rows say just these."""

    key: str | int
    said: int
    titled: int  # the terms that its title says
    fellows: int


def likeliest_first(terms: Sequence[Term], rows: Iterable[Row]) -> Scan:
    """Order what a statement with `classes_sql` returned: by the weight of what is said."""
    classes = [
        _Class(
            key=row["id"] if isinstance(row["id"], int) else str(row["id"]),
            said=int(row["said"] or 0),
            titled=int(row["titled"] or 0),
            fellows=int(row["fellows"] or 0),
        )
        for row in rows
    ]
    sizes = {(each.said, each.titled): each.fellows for each in classes}
    counts = Counts(
        total=sum(sizes.values()),
        having={
            term.text: sum(size for (said, _), size in sizes.items() if said >> bit & 1)
            for bit, term in enumerate(terms)
        },
    )
    idf = counts.idf
    weights = [idf[term.text] for term in terms]

    def promise(each: _Class) -> float:
        return sum(
            weight * (1 + _TITLE_BONUS * (each.titled >> bit & 1))
            for bit, weight in enumerate(weights)
            if each.said >> bit & 1
        )

    # The classes come by ascending key, which decides between equals.
    ranked = sorted((each for each in classes if each.said), key=lambda each: -promise(each))
    return Scan(keys=tuple(each.key for each in ranked), counts=counts)
