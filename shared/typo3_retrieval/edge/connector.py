"""search and fetch, in the shapes that OpenAI's connectors and deep research ask for.

They know nothing of backends or pages of a text: what they find is an answer of ours, reshaped.
"""

from http import HTTPStatus

from pydantic import BaseModel, ConfigDict, StrictStr

from typo3_retrieval.core.access import AccessContext
from typo3_retrieval.edge.answers import answer_fetch, answer_query
from typo3_retrieval.edge.http import Refused
from typo3_retrieval.edge.models import FetchRequest, QueryRequest, QueryResponse
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.tools import Tool

MAX_PARTS = 5  # of 8,000 characters, that one fetch joins


class SearchRequest(BaseModel):
    """search."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: StrictStr


class SearchResult(BaseModel):
    """One result; without an absolute `url` no citation is built of it."""

    id: str
    title: str
    url: str
    text: str


class SearchResults(BaseModel):
    """The answer of search."""

    results: tuple[SearchResult, ...]


class DocumentRequest(BaseModel):
    """fetch."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: StrictStr


class Document(BaseModel):
    """The answer of fetch."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


def search_results(answer: QueryResponse) -> SearchResults:
    """The sources of *answer*, as a connector wants them."""
    return SearchResults(
        results=tuple(
            SearchResult(
                id=source.source_id,
                title=source.title or source.url,
                url=source.url,
                text=source.excerpt,
            )
            for source in answer.sources
            if source.url.startswith(("https://", "http://"))
        )
    )


def answer_search(
    services: Services, request: SearchRequest, access: AccessContext
) -> SearchResults:
    """Search.

    Raises:
        InvalidInput: the question is too short.
        Refused: nobody could search, which the shape has no other word for.
    """
    answer = answer_query(services, QueryRequest(question=request.query), access)
    if answer.degraded:
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "No search backend available.")
    return search_results(answer)


def answer_document(
    services: Services, request: DocumentRequest, access: AccessContext
) -> Document:
    """Read a source, all of it or its first 40,000 characters.

    Raises:
        InvalidInput: the id is outside its grammar.
        SourceNotFound: unknown, gone or not public.
        BackendError: its backend did not answer.
    """
    parts: list[str] = []
    offset: int | None = 0
    while offset is not None and len(parts) < MAX_PARTS:
        part = answer_fetch(services, FetchRequest(source_id=request.id, offset=offset), access)
        parts.append(part.text)
        offset = part.next_offset
    metadata = {"backend": part.backend, "total_characters": str(part.total_characters)}
    if part.last_modified:
        metadata["last_modified"] = part.last_modified
    if offset is not None:
        metadata["cut_at_character"] = str(offset)
    return Document(
        id=part.source_id,
        title=part.title or part.url,
        text="".join(parts),
        url=part.url,
        metadata=metadata,
    )


CONNECTOR_TOOLS = (
    Tool(
        "search",
        "Search",
        "Search the site's public pages. Returns ids for fetch, with title, URL and passage.",
        SearchRequest,
        SearchResults,
        answer_search,
        required=("query",),
    ),
    Tool(
        "fetch",
        "Fetch",
        "Read a result of search in full, by its id.",
        DocumentRequest,
        Document,
        answer_document,
        required=("id",),
    ),
)
