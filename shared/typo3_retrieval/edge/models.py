"""The JSON that callers send and get: requests, answers, and their limits.

Requests are strict: "5" is no number. Optional fields may be null, which means absent, because
some clients must send every property.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from typo3_retrieval.core.evidence import Confidence, Outcome
from typo3_retrieval.core.query import DEFAULT_SOURCES

Name = Annotated[StrictStr, Field(max_length=255)]


class Request(BaseModel):
    """What a caller sends: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(BaseModel):
    """What a caller gets."""

    model_config = ConfigDict(frozen=True)


def _nameable(value: object) -> object:
    """A language of another type is none that exists; as text the core says which ones do."""
    return value if value is None or type(value) in (int, str) else str(value)[:255]


class QueryRequest(Request):
    """POST /query."""

    question: StrictStr  # 2 to 200 characters after trimming; longer ones are cut, with a note
    site: Name | None = None  # identifier; absent asks every site
    # id, ISO code or locale; absent: a guess
    language: Annotated[StrictInt | Name | None, BeforeValidator(_nameable)] = None
    max_sources: StrictInt | None = None  # default 8, clamped to 1..20
    alternatives: tuple[StrictStr, ...] | None = None  # up to two other wordings


class Source(Answer):
    """One hit of an answer to /query."""

    source_id: str
    title: str
    url: str
    excerpt: str
    site: str | None
    language_id: int
    language: str | None  # ISO 639-1 code, from the site's configuration
    page_uid: int | None
    score: float | None  # the backend's own scale
    confidence: Confidence | None
    last_modified: str | None  # ISO 8601, UTC


class BackendAttempt(Answer):
    """One backend's turn."""

    backend: str
    outcome: Outcome
    reason: str
    milliseconds: int


class QueryResponse(Answer):
    """The evidence of the first backend that could answer."""

    backend: str  # "none": there was none
    degraded: bool  # nobody could search, so no sources does not mean that there are none
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    attempts: tuple[BackendAttempt, ...]
    text: str  # the block that a model reads


class FetchRequest(Request):
    """POST /fetch-source."""

    source_id: StrictStr
    offset: Annotated[StrictInt, Field(ge=0)] | None = None  # characters


class FetchResponse(Answer):
    """A page of one source's text."""

    source_id: str
    title: str
    url: str
    backend: str
    text: str  # at most 8,000 characters
    offset: int
    next_offset: int | None  # null at the end
    total_characters: int
    last_modified: str | None  # ISO 8601, UTC


def _default_if_unusable(
    value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo
) -> Any:
    """Take what can be used; the field's default replaces the rest."""
    try:
        return handler(value)
    except ValueError:
        field = KeywordRequest.model_fields[str(info.field_name)]
        return field.get_default()


_Lenient = WrapValidator(_default_if_unusable)


class KeywordRequest(BaseModel):
    """POST /keyword-search: never refused, so what cannot be used counts as absent."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query: Annotated[str, _Lenient] = ""
    limit: Annotated[int, _Lenient] = DEFAULT_SOURCES
    language_id: Annotated[int | None, _Lenient] = None
    index_backed: Annotated[bool, _Lenient] = False

    @model_validator(mode="before")
    @classmethod
    def _object(cls, value: object) -> object:
        return value if isinstance(value, Mapping) else {}


class KeywordSource(Answer):
    """One hit of a keyword search."""

    source_id: str
    title: str
    url: str
    excerpt: str
    language_id: int
    score: float | None
    page_uid: int | None


class KeywordResponse(Answer):
    """Hits, best first."""

    hits: tuple[KeywordSource, ...]
    available: bool  # a backend answered
    degraded: bool  # a backend failed or none was there: no hits may mean nothing


class AvailabilityRequest(Request):
    """GET /keyword-search/availability."""

    index_backed: bool = False


class AvailabilityResponse(Answer):
    """Whether a keyword search now would find a backend."""

    available: bool


class HealthRequest(BaseModel):
    """GET /health: whatever stands in the query string."""


class HealthResponse(Answer):
    """The service runs. No backend was asked."""

    status: str = "ok"
    version: str


class Problem(Answer):
    """An error, as RFC 9457 has it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    request_id: str
