"""A table of texts, searched for words: by its full-text key, or by reading every row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from typo3_retrieval.core.ranking.analysis import MIN_PREFIX, Term
from typo3_retrieval.core.ranking.spellings import spellings
from typo3_retrieval.core.ranking.statistics import Counts
from typo3_retrieval.typo3.database import Database, Parameter
from typo3_retrieval.typo3.word_classes import Scan, WordMasks, classes_sql, likeliest_first

# What usual stems grow into. MyISAM ranks whole words only.
_ENDINGS = ("", "s", "e", "en", "ed", "ing")


@dataclass(frozen=True, slots=True, kw_only=True)
class FullTextKey:
    """The FULLTEXT key of a table, and how its words are kept."""

    engine: Literal["innodb", "myisam"]
    shortest: int  # characters of the shortest word that is in it

    def lacks(self, term: Term) -> bool:
        """Whether *term* may be a word that is too short to be in the key."""
        return any(len(prefix) < self.shortest for prefix in term.prefixes)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextIndex:
    """Where the texts stand, and which of them are looked at.

    All fields are SQL that a backend wrote; values are in *parameters*.
    """

    source: str  # what follows FROM
    key: str  # column that names a row
    columns: tuple[str, ...]  # the texts; the first is the title, if *titled*
    titled: bool = True
    condition: str  # of the rows that are public and asked for
    expressions: str = ""  # common table expressions that *condition* uses
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    fulltext: FullTextKey | None = None  # over *columns*; None: every row is read


def count_words(database: Database, index: TextIndex, terms: Sequence[Term]) -> Counts:
    """Count the rows that have each of *terms*, by the full-text key. One statement.

    Counted are all rows, public or not: only the proportions matter. Words of one or two
    letters count as unknown: what begins with them says nothing of them.
    """
    asked = [term for term in terms if len(term.prefixes[0]) >= MIN_PREFIX]
    match = f"MATCH ({', '.join(index.columns)})"
    counts = [f"SELECT (SELECT COUNT(*) FROM {index.source}) AS total"]  # noqa: S608  # see TextIndex
    for place in range(len(asked)):
        has = f"{match} AGAINST (%(words_{place})s IN BOOLEAN MODE)"
        count = f"SELECT COUNT(*) FROM {index.source} WHERE {has}"  # noqa: S608  # see TextIndex
        counts.append(f"({count}) AS having_{place}")
    words = {f"words_{place}": boolean_words([term]) for place, term in enumerate(asked)}
    row = database.rows(", ".join(counts), words)[0]
    having = {term.text: int(row[f"having_{place}"] or 0) for place, term in enumerate(asked)}
    return Counts(
        total=int(row["total"] or 0),
        having={term.text: having.get(term.text, 0) for term in terms},
    )


def boolean_words(terms: Sequence[Term]) -> str:
    """*terms* as optional beginnings of words, in MySQL's boolean mode.

    Prefixes are letters and digits only, so none of them is an operator.
    """
    return " ".join(f"{prefix}*" for term in terms for prefix in spellings(term))


def found_words(
    index: TextIndex, terms: Sequence[Term], limit: int
) -> tuple[str, dict[str, Parameter]]:
    """The expression ``found (id, score)``, the best rows by the full-text key, its parameters."""
    match = f"MATCH ({', '.join(index.columns)})"
    boolean = f"{match} AGAINST (%(beginnings)s IN BOOLEAN MODE)"
    if index.fulltext is not None and index.fulltext.engine == "myisam":
        expression = _whole_words_first(index, match, boolean, limit)
    else:
        expression = f"found (id, score) AS ({_best_rows(index, boolean, boolean, limit)})"
    if index.expressions:
        expression = f"{index.expressions}, {expression}"
    stems = [form for term in terms for form in spellings(term)]
    return expression, {
        **index.parameters,
        "beginnings": boolean_words(terms),
        "forms": " ".join(f"{stem}{ending}" for stem in stems for ending in _ENDINGS),
    }


def _whole_words_first(index: TextIndex, match: str, boolean: str, limit: int) -> str:
    """``found (id, score)`` of a MyISAM table, whose boolean mode scores all rows alike.

    Its other mode knows whole words only, but ranks by them, and takes a thirtieth of the time.
    So beginnings are looked up only if there are too few rows with whole words: a condition
    without a column of the table is decided before its first row is read.
    """
    natural = f"{match} AGAINST (%(forms)s)"
    too_few = f"(SELECT COUNT(*) FROM whole) < {limit:d} AND {boolean}"  # noqa: S608  # a number
    return f"""whole (id, score) AS ({_best_rows(index, natural, natural, limit)}),
        begun (id, score) AS ({_best_rows(index, "0", too_few, limit)}),
        found (id, score) AS (
            SELECT id, MAX(score) AS score
            FROM (SELECT id, score FROM whole UNION ALL SELECT id, score FROM begun) either
            GROUP BY id
            ORDER BY score DESC, id
            LIMIT {limit:d}
        )"""  # noqa: S608  # see TextIndex


def _best_rows(index: TextIndex, score: str, finds: str, limit: int) -> str:
    return f"""
        SELECT {index.key} AS id, {score} AS score
        FROM {index.source}
        WHERE {finds} AND {index.condition}
        ORDER BY score DESC, {index.key}
        LIMIT {limit:d}
    """  # noqa: S608  # see TextIndex


def placed(found: str) -> str:
    """*found*, and ``placed (id, place)``, which counts its rows from the best on."""
    return f"""{found}, placed (id, place) AS (
        SELECT id, ROW_NUMBER() OVER (ORDER BY score DESC, id) FROM found
    )"""  # noqa: S608  # see TextIndex


def full_text_key(database: Database, table: str, columns: Sequence[str]) -> FullTextKey | None:
    """The table's FULLTEXT key over just these columns, None without one. One statement.

    Raises:
        BackendError: the database did not answer.
    """
    if database.dialect != "mysql":
        return None
    statement = """
        SELECT GROUP_CONCAT(s.column_name ORDER BY s.seq_in_index) AS key_columns,
               MAX(t.engine) AS engine,
               MAX(@@ft_min_word_len) AS myisam_shortest,
               MAX(@@innodb_ft_min_token_size) AS innodb_shortest
        FROM information_schema.statistics s
        JOIN information_schema.tables t
          ON t.table_schema = s.table_schema AND t.table_name = s.table_name
        WHERE s.table_schema = DATABASE() AND s.table_name = %(table)s
          AND s.index_type = 'FULLTEXT'
        GROUP BY s.index_name
    """
    for row in database.rows(statement, {"table": table}):
        if str(row["key_columns"]).split(",") == list(columns):
            engine: Literal["innodb", "myisam"] = (
                "innodb" if str(row["engine"]).lower() == "innodb" else "myisam"
            )
            return FullTextKey(engine=engine, shortest=int(row[f"{engine}_shortest"] or 0))
    return None


def scan(database: Database, index: TextIndex, terms: Sequence[Term]) -> Scan:
    """Read every row and find those that hold any of *terms*. One statement.

    Raises:
        StatementTimeout: there are too many.
        BackendError: the database did not answer.
    """
    masks = WordMasks(database.dialect, terms)
    title = index.columns[:1] if index.titled else ()
    before = f"{index.expressions}, " if index.expressions else ""
    statement = f"""
        WITH RECURSIVE {before}said AS (
            SELECT id, {masks.mask("hay")} AS said, {masks.mask("titles")} AS titled
            FROM (
                SELECT {index.key} AS id, {masks.haystack(index.columns)} AS hay,
                       {masks.haystack(title)} AS titles
                FROM {index.source}
                WHERE {index.condition}
                LIMIT 1000000000
            ) texts
        )
        {classes_sql("said")}
    """  # noqa: S608  # see TextIndex
    rows = database.rows(statement, {**index.parameters, **masks.parameters})
    return likeliest_first(terms, rows)
