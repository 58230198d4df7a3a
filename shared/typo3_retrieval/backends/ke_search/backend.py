"""Search and fetch over ke_search's index, its rows checked against the live tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from typo3_retrieval.backends.ke_search.rows import (
    FILES_JOIN,
    MAX_CONTENT,
    NAME,
    ROW_COLUMNS,
    read_row,
)
from typo3_retrieval.backends.ke_search.table import (
    ALL_LANGUAGES,
    TABLE,
    IndexTable,
    public_rows_sql,
    public_texts,
)
from typo3_retrieval.core.ranking.analysis import Term, analyzer
from typo3_retrieval.core.ranking.hits import best_first
from typo3_retrieval.core.ranking.question import Question
from typo3_retrieval.core.ranking.statistics import Counts, Statistics
from typo3_retrieval.core.wordings import search_wordings
from typo3_retrieval.plugin import (
    AccessContext,
    Availability,
    BackendProtocolError,
    Document,
    IndexState,
    Resources,
    RetrievalQuery,
    SearchAnswer,
    SourceId,
    unavailable,
)
from typo3_retrieval.typo3.database import Database, Parameter, Row, StatementTimeout
from typo3_retrieval.typo3.enable_fields import access_time
from typo3_retrieval.typo3.index_rows import Citable, citable, language_code
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.site_tree import site_tree
from typo3_retrieval.typo3.sites import Sites
from typo3_retrieval.typo3.text_index import TextIndex, count_words, found_words, placed, scan

_STATEMENTS = 5  # of a search
_LOADED = 100  # candidates that are checked: some will have gone from the site
_READ = 50  # whose text is read from the index; as many are scored
_SPARE = 5  # hits beyond the limit, in case two have one address
_SCANNABLE = 2_000  # rows that are read one by one as fast as a key is asked
_MAX_UID = 2**31 - 1
_NO_KEY_NOTE = "The full-text key of ke_search's index is missing; every row was read."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Candidates, likeliest first, and how common the question's words are."""

    rows: Sequence[Row] = ()
    counts: Counts
    statements: int  # that it took


class KeSearchBackend:
    """ke_search's index, on MariaDB, MySQL or SQLite."""

    name = NAME

    def __init__(
        self,
        *,
        database: Database | None,
        sites: Sites,
        public_pages: PublicPages | None,
        now: Callable[[], int],
    ) -> None:
        self._database = database
        self._sites = sites
        self._public_pages = public_pages
        self._now = now
        self._table = IndexTable(database, now) if database is not None else None
        self._statistics = Statistics()

    @classmethod
    def from_resources(cls, resources: Resources) -> Self:
        """Build it. It has no options."""
        return cls(
            database=resources.database,
            sites=resources.sites,
            public_pages=resources.public_pages,
            now=resources.now,
        )

    def availability(self) -> Availability:
        """Available when the table is there, fits, and holds rows.

        Raises:
            BackendUnavailable: the database did not answer, so nobody can tell.
        """
        if self._table is None or self._public_pages is None:
            return unavailable("no database configured")
        try:
            return self._table.state().availability
        except BackendProtocolError as error:  # half of an upgrade
            return unavailable(error.reason)

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        """See `SearchBackend.search`. Wordings are fused by reciprocal rank."""
        del access  # nothing but public rows is ever read
        return search_wordings(query, lambda wording: self._search(query, wording))

    def index_state(self) -> IndexState:
        """See `IndexedBackend.index_state`."""
        database = self._connected()[0]
        (row,) = database.rows(
            "SELECT COUNT(*) AS documents, MAX(tstamp) AS newest FROM tx_kesearch_index"
        )
        newest = int(row["newest"] or 0) or None
        return IndexState(documents=int(row["documents"] or 0), newest=newest)

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        """Read ``ke_search:<uid>``, checked again."""
        del access  # see search
        uid = _row_uid(source_id)
        if uid is None:
            return None
        statement = f"""
            SELECT {ROW_COLUMNS}, i.content
            FROM {TABLE} i {FILES_JOIN}
            WHERE i.uid = %(uid)s AND {public_rows_sql()}
        """  # noqa: S608  # constants
        rows = self._connected()[0].rows(statement, {"uid": uid, "now": access_time(self._now())})
        for row in rows:
            for language_id in self._languages_of(row):
                for found in self._citable([row], language_id):
                    return found.document()
        return None

    def _languages_of(self, row: Row) -> Sequence[int]:
        """The row's language; of a row for all languages those of the sites, default first."""
        own = int(row["language"] or 0)
        if own != ALL_LANGUAGES:
            return (own,)
        of_sites = {each.language_id for site in self._sites for each in site.languages}
        return sorted(of_sites) or (0,)

    def _search(self, query: RetrievalQuery, wording: str) -> SearchAnswer:
        analysis = analyzer(language_code(self._sites, query.site, query.language_id))
        terms = analysis.question(wording)
        if not terms:
            return SearchAnswer(())
        table = self._connected()[2]
        key = table.state().key
        try:
            found = self._found(query, terms)
        except BackendProtocolError:
            # The key may have been dropped since it was seen: an indexer is at work.
            table.forget()
            if key is None or table.state().key == key:
                raise
            found = self._found(query, terms)
        sources = self._citable(
            found.rows,
            query.language_id,
            site=query.site,
            statements=_STATEMENTS - found.statements,
        )[:_READ]
        hits = best_first(
            Question(analysis, terms, found.counts.idf),
            [source.text for source in sources],
            limit=query.limit + _SPARE,
        )
        return SearchAnswer(
            [sources[hit.index].source(hit, query.language_id) for hit in hits], self._notes()
        )

    def _notes(self) -> tuple[str, ...]:
        database, _, table = self._connected()
        missing = database.dialect == "mysql" and table.state().key is None
        return (_NO_KEY_NOTE,) if missing else ()

    def _found(self, query: RetrievalQuery, terms: Sequence[Term]) -> _Found:
        """Find candidates by the full-text key, or by reading every row."""
        database, _, table = self._connected()
        state = table.state()
        index = public_texts(
            language_id=query.language_id,
            now=self._now(),
            key=state.key,
            tree=site_tree(self._sites.named(query.site), self._sites) if query.site else None,
        )
        if state.key is None or (state.rows <= _SCANNABLE and any(map(state.key.lacks, terms))):
            return self._scanned(index, terms, statements=2)
        counts = self._statistics.counts(
            terms, lambda unknown: count_words(database, index, unknown)
        )
        if not counts.known:  # perhaps parts of longer words, or words that the key leaves out
            try:
                return self._scanned(index, terms, statements=3)
            except StatementTimeout:
                return _Found(counts=counts, statements=2)
        expression, parameters = found_words(index, counts.affordable(terms), _LOADED)
        statement = f"""
            WITH RECURSIVE {placed(expression)}
            SELECT {ROW_COLUMNS},
                   CASE WHEN placed.place <= {_READ} THEN LEFT(i.content, {MAX_CONTENT}) END
                       AS content
            FROM placed JOIN {TABLE} i ON i.uid = placed.id {FILES_JOIN}
            ORDER BY placed.place
        """  # noqa: S608  # constants, and what this package's own functions write
        return _Found(rows=database.rows(statement, parameters), counts=counts, statements=2)

    def _scanned(self, index: TextIndex, terms: Sequence[Term], *, statements: int) -> _Found:
        database = self._connected()[0]
        found = scan(database, index, terms)
        keys = [key for key in found.keys if isinstance(key, int)][:_LOADED]
        statement = f"""
            SELECT {ROW_COLUMNS},
                   CASE WHEN i.uid IN %(read)s THEN SUBSTR(i.content, 1, {MAX_CONTENT}) END
                       AS content
            FROM {TABLE} i {FILES_JOIN}
            WHERE i.uid IN %(uids)s
        """  # noqa: S608  # constants
        parameters: dict[str, Parameter] = {"uids": keys, "read": keys[:_READ]}
        rows = {row["uid"]: row for row in database.rows(statement, parameters)} if keys else {}
        return _Found(
            rows=[rows[key] for key in keys if key in rows],
            counts=found.counts,
            statements=statements,
        )

    def _citable(
        self,
        rows: Sequence[Row],
        language_id: int,
        *,
        site: str | None = None,
        statements: int = _STATEMENTS,
    ) -> list[Citable]:
        base = next((each.base for each in self._sites.asked(site)), "")
        read = (read_row(row, language_id=language_id, base=base) for row in rows)
        return citable(
            self._connected()[1],
            [row for row in read if row],
            site=site,
            statements=statements,
        )

    def _connected(self) -> tuple[Database, PublicPages, IndexTable]:
        if self._database is None or self._public_pages is None or self._table is None:
            raise RuntimeError("asked although unavailable")
        return self._database, self._public_pages, self._table


def _row_uid(source_id: SourceId) -> int | None:
    """The row that an id names; only a plain decimal number does."""
    part = source_id.parts[0]
    if not part.isascii() or not part.isdecimal():
        return None
    uid = int(part)
    # Comparing what it would be written as leaves out "007", further parts and other backends.
    return uid if 0 < uid <= _MAX_UID and SourceId.of(NAME, uid) == source_id else None
