"""Requests of the command line, which are HTTP's with a backend's name beside them."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.edge.answers import answer_fetch, answer_keyword_search, answer_query
from typo3_retrieval.edge.models import (
    FetchRequest,
    FetchResponse,
    KeywordRequest,
    KeywordResponse,
    QueryRequest,
    QueryResponse,
)
from typo3_retrieval.edge.services import Services
from typo3_retrieval.typo3.languages import choose_language
from typo3_retrieval_cli.system import System

Line = Mapping[str, Any]
Request = TypeVar("Request", bound=BaseModel)


def access(user: str) -> AccessContext:
    """What the acting user may read.

    Raises:
        InvalidInput: no user is named.
    """
    try:
        return AccessContext.public_only(BackendUser(user))
    except ValueError as error:
        raise InvalidInput(str(error)) from error


def query(system: System, line: Line, who: AccessContext) -> QueryResponse:
    """Answer a question.

    Raises:
        InvalidInput: a field is wrong; the message names it.
    """
    services, fields = _split(system, line)
    return answer_query(services, checked(QueryRequest, fields), who)


def fetch(system: System, line: Line, who: AccessContext) -> FetchResponse:
    """Read a source.

    Raises:
        InvalidInput: a field is wrong; the message names it.
        SourceNotFound: unknown, gone or not public.
        BackendError: its backend does not answer.
    """
    services, fields = _split(system, line)
    return answer_fetch(services, checked(FetchRequest, fields), who)


def keywords(system: System, line: Line, who: AccessContext) -> KeywordResponse:
    """Search for words. Beyond HTTP's fields `site` and `language` (id, code, locale) count.

    Raises:
        InvalidInput: an unknown site or language; all else is clamped.
    """
    services, fields = _split(system, line)
    site, language = fields.pop("site", None), fields.pop("language", None)
    if site is not None:
        services.sites.named(site)
    if language is not None:
        fields["language_id"] = choose_language(services.sites, site, language, "").language_id
    return answer_keyword_search(services, checked(KeywordRequest, fields), who, site=site)


def checked(model: type[Request], fields: Line) -> Request:
    """Read a request's fields.

    Raises:
        InvalidInput: names the fields that are wrong, never their values.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        raise InvalidInput(_wrong_fields(error)) from None


def _wrong_fields(error: ValidationError) -> str:
    found: dict[str, str] = {}
    for each in error.errors(include_url=False, include_input=False, include_context=False):
        # A union's branches follow the field's name: the name is enough.
        name = str(each["loc"][0]) if each["loc"] else "request"
        found.setdefault(
            name, "unknown field" if each["type"] == "extra_forbidden" else each["msg"]
        )
    return " ".join(f"{name}: {message}." for name, message in found.items())


def _split(system: System, line: Line) -> tuple[Services, dict[str, Any]]:
    """The services that a line asks, and its fields for them."""
    fields = dict(line)
    backend = fields.pop("backend", None)
    if backend is not None and not isinstance(backend, str):
        raise InvalidInput("backend: Input should be a valid string.")
    return system.services(backend), fields
