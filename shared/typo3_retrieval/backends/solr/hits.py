"""From documents of an index to what can be cited: checked, addressed, one for each page."""

import logging
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from typo3_retrieval.backends.solr.addresses import Addresses
from typo3_retrieval.backends.solr.answer import SolrAnswer, SolrDocument
from typo3_retrieval.backends.solr.freshness import Lines, LiveCheck
from typo3_retrieval.backends.solr.scope import site_names
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.plugin import BackendError, SourceId
from typo3_retrieval.typo3.public_pages import PageKey, PublicPage
from typo3_retrieval.typo3.sites import Site, SiteLanguage

log = logging.getLogger(__name__)

NAME = "solr"
NOT_CHECKED = "Freshness was not checked: no database is reachable."

Place = tuple[Site, SiteLanguage]  # a site, and its language that is asked for

_KIND = re.compile(r"[a-z][a-z0-9_]{0,63}")  # the name of a table
_MAX_UID = 2**31 - 1  # of Solr's field: it calls a request with a greater number wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One page or record, at the address where it is cited."""

    document: SolrDocument
    source_id: SourceId
    site: Site  # that it belongs to, whatever the index says
    language: SiteLanguage
    url: str
    page: PublicPage | None = None  # of the live tables; None: a record, or not checked
    live_lines: Lines | None = None  # the live text, where the indexed one must not be shown

    @property
    def title(self) -> str:
        """The live title where there is one."""
        return self.page.title if self.page and self.page.title else self.document.title

    @property
    def text(self) -> str:
        """One line of plain text: where excerpts come from."""
        if self.live_lines is None:
            return self.document.text
        return " ".join(line.removeprefix("## ") for line in self.live_lines)

    @property
    def full_text(self) -> str:
        """The title and all of the text, headers marked by ``#``."""
        lines = (self.document.text,) if self.live_lines is None else self.live_lines
        return "\n\n".join((f"# {self.title}", *filter(None, lines)))


@dataclass(frozen=True, slots=True)
class _LiveState:
    """What the tables say of one answer's documents."""

    pages: Mapping[PageKey, PublicPage]  # those that are public
    hidden_records: Set[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HitReader:
    """Turns documents into hits.

    Args:
        addresses: the bases of all sites.
        roots: the uids of all sites' root pages.
        live: None where no database is configured.
    """

    addresses: Addresses
    roots: Set[int]
    live: LiveCheck | None

    def hits(
        self, answers: Sequence[tuple[SolrAnswer, Sequence[Place]]], limit: int
    ) -> tuple[list[Hit], tuple[str, ...]]:
        """The best *limit* documents that can be cited, and a note if nobody could check them.

        Scores of several cores are compared as they are: Solr does the same with its shards.
        """
        documents = [(document, places) for answer, places in answers for document in answer]
        documents.sort(key=lambda pair: -pair[0].score)  # stable: one core's order stays
        state = self._state(documents)
        hits: dict[SourceId, Hit] = {}
        for document, places in documents:
            hit = self._hit(document, places, state)
            if hit is None:
                continue
            first = hits.setdefault(hit.source_id, hit)
            if first.document.mounted and not document.mounted:
                # The page's own place instead of a mount point, at the rank of the best one.
                hits[hit.source_id] = hit
        best = [replace(hit, document=hit.document.plain()) for hit in list(hits.values())[:limit]]
        readable = self._readable(best)
        if state is None or readable is None:
            return readable or best, (NOT_CHECKED,)
        return readable, ()

    def _state(
        self, documents: Sequence[tuple[SolrDocument, Sequence[Place]]]
    ) -> _LiveState | None:
        """Ask the tables; None when there are none, or they do not answer."""
        if self.live is None:
            return None
        keys: list[PageKey] = []
        records: dict[str, set[int]] = {}
        for document, places in documents:
            if document.is_page:
                keys.append((document.uid, _language_id(places)))
            else:
                records.setdefault(document.kind, set()).add(document.uid)
        try:
            return _LiveState(self.live.pages(keys), self.live.hidden_records(records))
        except BackendError as error:
            log.warning("hits of Solr are not checked, the database failed: %s", error)
            return None

    def _hit(
        self, document: SolrDocument, places: Sequence[Place], state: _LiveState | None
    ) -> Hit | None:
        if state is None or not document.is_page:
            if state and (document.kind, document.uid) in state.hidden_records:
                return None
            return self._as_indexed(document, places)
        page = state.pages.get((document.uid, _language_id(places)))
        if page is None or all(page.site.identifier != site.identifier for site, _ in places):
            return None
        return _hit(document, page.site, page.language, page.url, page)

    def _as_indexed(self, document: SolrDocument, places: Sequence[Place]) -> Hit | None:
        """A record, or a page that nobody could check: where its own URL says it is."""
        address = self.addresses.locate(document.url, self._candidates(document, places))
        if address is None:
            return None
        language = next(
            language for site, language in places if site.identifier == address.site.identifier
        )
        return _hit(document, address.site, language, address.url)

    def _candidates(self, document: SolrDocument, places: Sequence[Place]) -> Sequence[Place]:
        """The sites that a document can be of: its rootline's, those of its `site`, or all.

        All, because an index may name a host that the configuration does not know any more.
        """
        if document.root_page_uid in self.roots:
            return [each for each in places if each[0].root_page_uid == document.root_page_uid]
        return [each for each in places if document.site in site_names(each[0])] or places

    def _readable(self, hits: Sequence[Hit]) -> list[Hit] | None:
        """Put live texts in the place of indexed ones that must not be shown any more.

        None when the tables do not answer.
        """
        checked = [(hit.page, hit.document) for hit in hits if hit.page is not None]
        if self.live is None or not checked:
            return list(hits)
        try:
            texts = self.live.outdated_texts(checked)
        except BackendError as error:
            log.warning("texts of Solr are not checked, the database failed: %s", error)
            return None
        return [
            replace(hit, live_lines=texts.get((hit.document.uid, hit.language.language_id)))
            if hit.page
            else hit
            for hit in hits
        ]


def _hit(
    document: SolrDocument,
    site: Site,
    language: SiteLanguage,
    url: str,
    page: PublicPage | None = None,
) -> Hit | None:
    """The hit, if a source id can name it: an identifier or a type may hold any character."""
    if not _KIND.fullmatch(document.kind) or not 0 < document.uid <= _MAX_UID:
        return None
    try:
        source_id = SourceId.of(
            NAME, site.identifier, document.kind, document.uid, language.language_id
        )
    except InvalidInput:
        return None
    return Hit(
        document=document, source_id=source_id, site=site, language=language, url=url, page=page
    )


def parsed(source_id: SourceId, sites: Sequence[Site]) -> tuple[Place, str, int] | None:
    """The site with language, the type and the uid that an id names, if there are such.

    The inverse of `_hit`.
    """
    try:
        identifier, kind, uid, language_id = source_id.parts
        written = SourceId.of(NAME, identifier, kind, int(uid), int(language_id))
    except (ValueError, InvalidInput):  # not four parts, or no numbers
        return None
    if written != source_id or not _KIND.fullmatch(kind) or not 0 < int(uid) <= _MAX_UID:
        return None  # such as "03" for 3
    for site in sites:
        language = site.language(int(language_id))
        if site.identifier == identifier and language is not None and language.enabled:
            return (site, language), kind, int(uid)
    return None


def _language_id(places: Sequence[Place]) -> int:
    """The language that was asked for: the same for all sites of one search."""
    return places[0][1].language_id
