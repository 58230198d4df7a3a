"""Search and fetch over indexed_search's index, its rows checked against the live tables."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from typo3_retrieval.backends.indexed_search.postings import found_pages
from typo3_retrieval.backends.indexed_search.rows import (
    MAX_CONTENT,
    NAME,
    ROW_COLUMNS,
    file_path,
    read_row,
)
from typo3_retrieval.backends.indexed_search.table import (
    ALL_LANGUAGES,
    ANONYMOUS,
    IndexTables,
    Scope,
    public_rows_sql,
    public_scope,
    public_texts,
)
from typo3_retrieval.backends.indexed_search.words import Words
from typo3_retrieval.core.ranking.analysis import Analyzer, Term, analyzer
from typo3_retrieval.core.ranking.hits import Hit, best_first
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
from typo3_retrieval.typo3.files import public_files_at
from typo3_retrieval.typo3.index_rows import Citable, citable, language_code, needs_records
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import UrlRequest
from typo3_retrieval.typo3.site_tree import site_tree
from typo3_retrieval.typo3.sites import Sites
from typo3_retrieval.typo3.text_index import count_words, found_words, placed, scan

_STATEMENTS = 5  # of a search
_LOADED = 100  # candidates that are checked: some will have gone from the site
_READ = 50  # whose text is read from the index; as many are scored
_SPARE = 5  # hits beyond the limit, in case two have one address
_CHECKS = 2  # statements that checking pages and elements takes
_PHASH = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Candidates, likeliest first, and how common the question's words are."""

    rows: Sequence[Row] = ()
    counts: Counts
    statements: int  # that it took


class IndexedSearchBackend:
    """The index of TYPO3's own indexer, on MariaDB, MySQL or SQLite."""

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
        self._tables = IndexTables(database, now) if database is not None else None
        self._words = Words(database) if database is not None else None
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
        """Available when the tables are there, fit, and hold rows.

        Raises:
            BackendUnavailable: the database did not answer, so nobody can tell.
        """
        if self._tables is None or self._public_pages is None:
            return unavailable("no database configured")
        try:
            return self._tables.state().availability
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
            "SELECT COUNT(*) AS documents, MAX(tstamp) AS newest FROM index_phash"
        )
        newest = int(row["newest"] or 0) or None
        return IndexState(documents=int(row["documents"] or 0), newest=newest)

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        """Read ``indexed_search:<phash>``, checked again."""
        del access  # see search
        if source_id.backend != NAME or not _PHASH.fullmatch(":".join(source_id.parts)):
            return None
        database = self._connected()[0]
        statement = f"""
            SELECT {ROW_COLUMNS}, f.fulltextdata AS content
            FROM index_phash p LEFT JOIN index_fulltext f ON f.phash = p.phash
            WHERE p.phash = %(phash)s AND {public_rows_sql(database)}
        """  # noqa: S608  # constants
        parameters: dict[str, Parameter] = {
            "phash": source_id.parts[0],
            "anonymous": ANONYMOUS,
        }
        for row in database.rows(statement, parameters):
            for language_id in self._languages_of(row):
                for found in self._citable([row], language_id):
                    return found.document()
        return None

    def _languages_of(self, row: Row) -> Sequence[int]:
        """The row's language; of a row for all languages those of the sites, default first."""
        own = int(row["sys_language_uid"] or 0)
        if own != ALL_LANGUAGES:
            return (own,)
        of_sites = {each.language_id for site in self._sites for each in site.languages}
        return sorted(of_sites) or (0,)

    def _search(self, query: RetrievalQuery, wording: str) -> SearchAnswer:
        language = language_code(self._sites, query.site, query.language_id)
        analysis = analyzer(language)
        terms = analysis.question(wording)
        if not terms:
            return SearchAnswer(())
        try:
            found = self._found(query, language, analysis, terms, wording)
        except BackendProtocolError:
            # The tables may have changed since they were seen: an upgrade is at work.
            self._connected()[2].forget()
            raise
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
        best = _other_views_last([(sources[hit.index], hit) for hit in hits])
        return SearchAnswer([source.source(hit, query.language_id) for source, hit in best])

    def _found(
        self,
        query: RetrievalQuery,
        language: str,
        analysis: Analyzer,
        terms: Sequence[Term],
        wording: str,
    ) -> _Found:
        """Find candidates by the index's words; by its texts when it keeps no words."""
        database, _, tables, words = self._connected()
        scope = public_scope(
            database,
            language_id=query.language_id,
            tree=site_tree(self._sites.named(query.site), self._sites) if query.site else None,
        )
        if not tables.state().has_words:
            return self._found_in_texts(scope, terms)
        vocabulary = words.of(language, analysis, terms, wording)
        counts = vocabulary.counts
        if not counts.known:  # perhaps parts of longer words
            try:
                return self._scanned(scope, terms, statements=3)
            except StatementTimeout:
                return _Found(counts=counts, statements=2)
        expression, parameters = found_pages(
            scope, counts.affordable(terms), vocabulary.wids, counts.idf, _LOADED
        )
        rows = self._load(expression, parameters)
        return _Found(rows=rows, counts=counts, statements=2)

    def _found_in_texts(self, scope: Scope, terms: Sequence[Term]) -> _Found:
        database, _, tables, _ = self._connected()
        key = tables.state().key
        if key is not None:
            index = public_texts(scope, key)
            counts = self._statistics.counts(
                terms, lambda unknown: count_words(database, index, unknown)
            )
            if counts.known:
                expression, parameters = found_words(index, counts.affordable(terms), _LOADED)
                return _Found(rows=self._load(expression, parameters), counts=counts, statements=2)
            return self._scanned(scope, terms, statements=3)
        return self._scanned(scope, terms, statements=2)

    def _scanned(self, scope: Scope, terms: Sequence[Term], *, statements: int) -> _Found:
        scanned = scan(self._connected()[0], public_texts(scope, None), terms)
        keys = [str(key) for key in scanned.keys[:_LOADED]]
        parameters: dict[str, Parameter] = {"keys": keys, "read": keys[:_READ]}
        loaded = self._load(_GIVEN, parameters) if keys else ()
        rows = {str(row["phash"]): row for row in loaded}
        return _Found(
            rows=[rows[key] for key in keys if key in rows],
            counts=scanned.counts,
            statements=statements,
        )

    def _load(self, found: str, parameters: Mapping[str, Parameter]) -> Sequence[Row]:
        """Read the rows of the expression ``found (id, score)``, best first. One statement."""
        statement = f"""
            WITH RECURSIVE {placed(found)}
            SELECT {ROW_COLUMNS}, SUBSTR(f.fulltextdata, 1, {MAX_CONTENT}) AS content
            FROM placed
            JOIN index_phash p ON p.phash = placed.id
            LEFT JOIN index_fulltext f ON f.phash = p.phash AND placed.place <= {_READ}
            ORDER BY placed.place
        """  # noqa: S608  # constants, and what this package's own functions write
        return self._connected()[0].rows(statement, parameters)

    def _citable(
        self,
        rows: Sequence[Row],
        language_id: int,
        *,
        site: str | None = None,
        statements: int = _STATEMENTS,
    ) -> list[Citable]:
        """Check *rows*. Files are looked up unless the statements are needed for records."""
        paths = {path for row in rows if (path := file_path(row))}
        read = [read_row(row, language_id=language_id, address="") for row in rows]
        if paths and statements <= _CHECKS + any(row and needs_records(row) for row in read):
            paths = set()
        database, public_pages, _, _ = self._connected()
        files = public_files_at(database, paths) if paths else {}
        base = next((each.base for each in self._sites.asked(site)), "")
        addresses = {path: file.url(base) or "" for path, file in files.items()}
        read = [
            read_row(row, language_id=language_id, address=addresses.get(file_path(row), ""))
            for row in rows
        ]
        return citable(
            public_pages,
            [row for row in read if row],
            site=site,
            statements=statements - bool(paths),
        )

    def _connected(self) -> tuple[Database, PublicPages, IndexTables, Words]:
        if (
            self._database is None
            or self._public_pages is None
            or self._tables is None
            or self._words is None
        ):
            raise RuntimeError("asked although unavailable")
        return self._database, self._public_pages, self._tables, self._words


# The expression ``found (id, score)`` of rows that are known already.
_GIVEN = """found (id, score) AS (
    SELECT phash, CASE WHEN phash IN %(read)s THEN 1 ELSE 0 END
    FROM index_phash WHERE phash IN %(keys)s
)"""


def _other_views_last(found: Sequence[tuple[Citable, Hit]]) -> list[tuple[Citable, Hit]]:
    """Put print versions and mounted copies behind the pages that are no hit yet.

    Of two views that score the same, the one with fewer arguments is the page itself.
    """
    found = sorted(found, key=lambda pair: (-pair[1].score.value, _arguments_of(pair[0])))
    first: list[tuple[Citable, Hit]] = []
    again: list[tuple[Citable, Hit]] = []
    seen: set[str] = set()
    for citable_row, hit in found:
        request = citable_row.row.request
        view = "" if request is None else _content_of(request)
        (again if view and view in seen else first).append((citable_row, hit))
        seen.add(view)
    return first + again


def _content_of(request: UrlRequest) -> str:
    """A name for the page and the arguments that make its content another one."""
    arguments = sorted(
        (name, value) for name, value in request.arguments.items() if name not in ("type", "MP")
    )
    return repr((request.page_uid, request.language_id, arguments))


def _arguments_of(found: Citable) -> int:
    return len(found.row.request.arguments) if found.row.request else 0
