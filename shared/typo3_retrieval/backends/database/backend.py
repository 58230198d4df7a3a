"""Search and fetch over `pages` and `tt_content`: only what is visible, as it is now."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Self

from typo3_retrieval.backends.database.candidates import Scope, find_candidates
from typo3_retrieval.core.deadline import within
from typo3_retrieval.core.errors import ConfigurationError, InvalidInput
from typo3_retrieval.core.ranking.analysis import Term, analyzer
from typo3_retrieval.core.ranking.bm25f import Text
from typo3_retrieval.core.ranking.hits import Hit, best_first
from typo3_retrieval.core.ranking.question import Question
from typo3_retrieval.core.wordings import search_wordings
from typo3_retrieval.plugin import (
    AVAILABLE,
    AccessContext,
    Availability,
    Document,
    EvidenceSource,
    Resources,
    RetrievalQuery,
    SearchAnswer,
    SourceId,
    unavailable,
)
from typo3_retrieval.typo3.database import Database, StatementTimeout
from typo3_retrieval.typo3.enable_fields import access_time
from typo3_retrieval.typo3.page_text import PageText
from typo3_retrieval.typo3.public_pages import PublicPages, searchable
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites
from typo3_retrieval.typo3.word_classes import Scan

NAME = "database"

# TYPO3's own searchable fields of the two tables (TCA ctrl searchFields, 13.4).
PAGE_FIELDS = (
    "title",
    "slug",
    "nav_title",
    "subtitle",
    "url",
    "keywords",
    "description",
    "abstract",
    "author",
    "author_email",
)
CONTENT_FIELDS = ("header", "header_link", "subheader", "bodytext", "pi_flexform")

_JUDGED = 150  # candidates that are looked up in the live tables
_READ = 50  # visible candidates whose text is read and scored
# Most of the time goes into the long texts. Of a site for which there is too little of it, the
# titles and headers with all words of the question find more than all texts with two of them.
_PATIENCE = 0.8  # seconds, so that both attempts together end in two
_SHORT_FIELDS = ("header", "subheader")
_NARROWED_NOTE = "The search took too long; only titles and headers were searched."
_SPARE = 5  # hits beyond the limit, in case two have one address
_COLUMN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class DatabaseBackend:
    """The plain tables: slower than an index, always there, never stale."""

    name = NAME

    def __init__(
        self,
        *,
        database: Database | None,
        sites: Sites,
        public_pages: PublicPages | None,
        now: Callable[[], int],
        page_fields: Sequence[str] = PAGE_FIELDS,
        content_fields: Sequence[str] = CONTENT_FIELDS,
    ) -> None:
        self._database = database
        self._sites = sites
        self._public_pages = public_pages
        self._now = now
        self._page_fields = page_fields
        self._content_fields = content_fields

    @classmethod
    def from_resources(cls, resources: Resources) -> Self:
        """Build it.

        Options: ``RETRIEVAL_DATABASE_PAGE_FIELDS`` and ``RETRIEVAL_DATABASE_CONTENT_FIELDS``,
        comma lists of the columns in which candidates are looked for.

        Raises:
            ConfigurationError: an option is no list of column names.
        """
        return cls(
            database=resources.database,
            sites=resources.sites,
            public_pages=resources.public_pages,
            now=resources.now,
            page_fields=_fields(resources.options, "page_fields", PAGE_FIELDS),
            content_fields=_fields(resources.options, "content_fields", CONTENT_FIELDS),
        )

    def availability(self) -> Availability:
        """Available when a database with TYPO3's tables is configured."""
        if self._database is None or self._public_pages is None:
            return unavailable("no database configured")
        if not self._database.columns("pages") or not self._database.columns("tt_content"):
            return unavailable("no TYPO3 tables")
        return AVAILABLE

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        """See `SearchBackend.search`. Wordings are fused by reciprocal rank."""
        del access  # nothing but public rows is ever read
        return search_wordings(query, lambda wording: self._search(query, wording))

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        """Read ``database:<page uid>:<language>``: the visible text of one page."""
        del access  # see search
        key = _page_key(source_id)
        if key is None:
            return None
        public_pages = self._connected()[1]
        pages = searchable(public_pages.published([key]).values())
        if not pages:
            return None
        text = public_pages.texts(pages)[key]
        return Document(
            source_id=source_id,
            title=text.title,
            url=text.page.url,
            text=text.document,
            last_modified=text.last_modified,
        )

    def _search(self, query: RetrievalQuery, wording: str) -> SearchAnswer:
        languages = _languages(self._sites.asked(query.site), query.language_id)
        if not languages:
            return SearchAnswer(())
        analysis = analyzer(languages[0][1].code)
        terms = analysis.question(wording)
        if not terms:
            return SearchAnswer(())
        scope = Scope(
            language_ids=frozenset(
                language_id for _, language in languages for language_id in _shown(language)
            ),
            root_uid=languages[0][0].root_page_uid if query.site else None,
            now=access_time(self._now()),
        )
        candidates, terms, notes = self._candidates(terms, scope)
        pages = self._texts(candidates, query)
        hits = best_first(
            Question(analysis, terms, candidates.counts.idf),
            [Text(page.title, page.body, page.vocabulary) for page in pages],
            limit=query.limit + _SPARE,
        )
        return SearchAnswer([_source(pages[hit.index], hit) for hit in hits], notes)

    def _candidates(
        self, terms: tuple[Term, ...], scope: Scope
    ) -> tuple[Scan, tuple[Term, ...], tuple[str, ...]]:
        """Find candidates; if that takes too long, once more without the long texts."""
        try:
            with within(_PATIENCE):
                return self._found(terms, scope, self._content_fields), terms, ()
        except StatementTimeout:
            headers = [field for field in self._content_fields if field in _SHORT_FIELDS]
            return self._found(terms, scope, headers), terms, (_NARROWED_NOTE,)

    def _found(self, terms: Sequence[Term], scope: Scope, content_fields: Sequence[str]) -> Scan:
        return find_candidates(
            self._connected()[0],
            terms,
            scope,
            page_fields=self._page_fields,
            content_fields=content_fields,
        )

    def _texts(self, candidates: Scan, query: RetrievalQuery) -> list[PageText]:
        """The visible text of the likeliest candidates that can be opened and cited."""
        public_pages = self._connected()[1]
        keys = [(int(uid), query.language_id) for uid in candidates.keys[:_JUDGED]]
        pages = [
            page
            for page in searchable(public_pages.published(keys).values())
            if query.site in (None, page.site.identifier)
        ]
        texts = public_pages.texts(pages[:_READ], page_fields=self._page_fields)
        return list(texts.values())

    def _connected(self) -> tuple[Database, PublicPages]:
        if self._database is None or self._public_pages is None:
            raise RuntimeError("asked although unavailable")
        return self._database, self._public_pages


def _source(text: PageText, hit: Hit) -> EvidenceSource:
    page = text.page
    return EvidenceSource(
        source_id=SourceId.of(NAME, page.uid, page.language_id),
        title=text.title,
        url=page.url,
        excerpt=hit.excerpt,
        language_id=page.language_id,
        site=page.site.identifier,
        page_uid=page.uid,
        score=hit.score.value,
        confidence=hit.score.confidence,
        last_modified=text.last_modified,
    )


def _languages(sites: Sequence[Site], language_id: int) -> list[tuple[Site, SiteLanguage]]:
    """The asked sites that have the language, with it."""
    found = ((site, site.language(language_id)) for site in sites)
    return [(site, language) for site, language in found if language and language.enabled]


def _shown(language: SiteLanguage) -> set[int]:
    """The languages whose rows can show in *language*: its own and those it falls back to."""
    fallbacks = set(language.fallbacks)
    if language.fallback_type == "fallback":
        fallbacks.add(0)
    return {language.language_id, *fallbacks}


def _page_key(source_id: SourceId) -> tuple[int, int] | None:
    """The page and language that an id names; only plain decimal numbers are."""
    try:
        page_uid, language_id = map(int, source_id.parts)
    except ValueError:  # not two parts, or not numbers
        return None
    key = (page_uid, language_id)
    try:
        written = SourceId.of(NAME, *key)
    except InvalidInput:
        return None
    return key if written == source_id else None


def _fields(options: Mapping[str, str], name: str, default: Sequence[str]) -> tuple[str, ...]:
    fields = tuple(filter(None, (each.strip() for each in options.get(name, "").split(","))))
    for field in fields:
        if not _COLUMN_NAME.fullmatch(field):
            raise ConfigurationError(
                f"RETRIEVAL_DATABASE_{name.upper()}: {field!r} is no column name;"
                " expected a comma list such as header,bodytext."
            )
    return fields or tuple(default)
