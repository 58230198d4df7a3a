"""The answers themselves, from a checked request to the wire: what every entrance calls."""

from dataclasses import replace
from datetime import UTC, datetime

from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.core.evidence import Evidence, EvidenceSource
from typo3_retrieval.core.evidence_text import evidence_text
from typo3_retrieval.core.keyword_search import KeywordSearch
from typo3_retrieval.core.query import DEFAULT_SOURCES, RetrievalQuery
from typo3_retrieval.core.reading import page_of
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.core.text import without_hidden
from typo3_retrieval.edge.metrics import note_evidence
from typo3_retrieval.edge.models import (
    AvailabilityRequest,
    AvailabilityResponse,
    BackendAttempt,
    FetchRequest,
    FetchResponse,
    KeywordRequest,
    KeywordResponse,
    KeywordSource,
    QueryRequest,
    QueryResponse,
    Source,
)
from typo3_retrieval.edge.services import Services
from typo3_retrieval.typo3.languages import choose_language
from typo3_retrieval.typo3.sites import Sites


def answer_query(services: Services, request: QueryRequest, access: AccessContext) -> QueryResponse:
    """Search for a question's evidence.

    Raises:
        InvalidInput: the question is too short, or site or language are unknown.
    """
    services = services.current()
    query = query_of(request, services.sites)
    evidence = services.cascade.search(query, access)
    note_evidence(evidence, query.language_id)
    return query_response(query, evidence, services.sites)


def query_of(request: QueryRequest, sites: Sites) -> RetrievalQuery:
    """Check a request against limits, sites and languages.

    Raises:
        InvalidInput: the question is too short, or site or language are unknown.
    """
    query = RetrievalQuery.of(
        request.question,
        limit=DEFAULT_SOURCES if request.max_sources is None else request.max_sources,
        site=request.site,
        alternatives=request.alternatives or (),
    )
    choice = choose_language(sites, request.site, request.language, query.text)
    return replace(query, language_id=choice.language_id, notes=(*query.notes, *choice.notes))


def query_response(query: RetrievalQuery, evidence: Evidence, sites: Sites) -> QueryResponse:
    """Put *evidence* into the words of the wire."""
    return QueryResponse(
        backend=evidence.backend,
        degraded=evidence.degraded,
        sources=tuple(_source(each, sites) for each in evidence.sources),
        notes=tuple(map(without_hidden, evidence.notes)),
        attempts=tuple(
            BackendAttempt(
                backend=attempt.backend,
                outcome=attempt.outcome,
                reason=without_hidden(attempt.reason),
                milliseconds=attempt.milliseconds,
            )
            for attempt in evidence.attempts
        ),
        text=evidence_text(query.text, evidence),
    )


def answer_fetch(services: Services, request: FetchRequest, access: AccessContext) -> FetchResponse:
    """Read a page of one source's text.

    Raises:
        InvalidInput: the source id is outside its grammar.
        SourceNotFound: unknown, gone or not public.
        BackendError: its backend did not answer.
    """
    services = services.current()
    document = services.cascade.fetch(SourceId.parse(request.source_id), access)
    page = page_of(replace(document, text=without_hidden(document.text)), request.offset or 0)
    return FetchResponse(
        source_id=str(document.source_id),
        title=without_hidden(document.title),
        url=without_hidden(document.url),
        backend=document.source_id.backend,
        text=page.text,
        offset=page.offset,
        next_offset=page.next_offset,
        total_characters=page.total_characters,
        last_modified=iso_time(document.last_modified),
    )


def answer_keyword_search(
    services: Services, request: KeywordRequest, access: AccessContext, *, site: str | None = None
) -> KeywordResponse:
    """Search for keywords. Nothing is refused and no failure shows but as `degraded`.

    Args:
        services: the built system.
        request: the words.
        access: what may be read.
        site: identifier of a site that exists; None asks all. HTTP has no field for it.
    """
    services = services.current()
    search = _keyword_search(services, index_backed=request.index_backed)
    language_id = max(0, request.language_id or 0)
    if not any(site.language(language_id) for site in services.sites):
        # An id that no site has is out of range, and there is nothing to clamp it to.
        return KeywordResponse(hits=(), available=search.is_available(), degraded=False)
    answer = search.search(
        request.query, access, limit=request.limit, language_id=language_id, site=site
    )
    note_evidence(answer.evidence, language_id)
    return KeywordResponse(
        hits=tuple(
            KeywordSource(
                source_id=str(hit.source_id),
                title=without_hidden(hit.title),
                url=without_hidden(hit.url),
                excerpt=without_hidden(hit.excerpt),
                language_id=hit.language_id,
                score=hit.score,
                page_uid=hit.page_uid,
            )
            for hit in answer.hits
        ),
        available=answer.available,
        degraded=answer.degraded,
    )


def answer_availability(services: Services, request: AvailabilityRequest) -> AvailabilityResponse:
    """Tell whether a keyword search now would find a backend."""
    services = services.current()
    search = _keyword_search(services, index_backed=request.index_backed)
    return AvailabilityResponse(available=search.is_available())


def iso_time(seconds: int | None) -> str | None:
    """Format UNIX epoch seconds as ISO 8601 in UTC; TYPO3's 0 and nonsense mean unknown."""
    if not seconds or seconds < 0:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return None


def _keyword_search(services: Services, *, index_backed: bool) -> KeywordSearch:
    return services.index_backed_keyword_search if index_backed else services.keyword_search


def _source(source: EvidenceSource, sites: Sites) -> Source:
    return Source(
        source_id=str(source.source_id),
        title=without_hidden(source.title),
        url=without_hidden(source.url),
        excerpt=without_hidden(source.excerpt),
        site=source.site,
        language_id=source.language_id,
        language=_language_code(source, sites),
        page_uid=source.page_uid,
        score=source.score,
        confidence=source.confidence,
        last_modified=iso_time(source.last_modified),
    )


def _language_code(source: EvidenceSource, sites: Sites) -> str | None:
    """ISO code of the hit's language, as its own site configures it."""
    site = next((each for each in sites if each.identifier == source.site), None)
    language = site.language(source.language_id) if site else None
    return (language.code or None) if language else None
