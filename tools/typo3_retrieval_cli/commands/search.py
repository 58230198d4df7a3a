"""ask, fetch, keywords: the core's answers without HTTP, in HTTP's fields."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from typo3_retrieval_cli.options import (
    OPERATOR,
    Backend,
    Batch,
    Json,
    Language,
    Limit,
    SiteIdentifier,
    User,
    system_of,
)
from typo3_retrieval_cli.output import FAILED, write_json
from typo3_retrieval_cli.system import System

if TYPE_CHECKING:
    from pydantic import BaseModel

    from typo3_retrieval.core.access import AccessContext

    Answer = Callable[[System, Mapping[str, Any], AccessContext], BaseModel]


def ask(
    context: typer.Context,
    question: Annotated[str | None, typer.Argument(show_default=False)] = None,
    site: SiteIdentifier = None,
    language: Language = None,
    max_sources: Limit = None,
    backend: Backend = None,
    user: User = OPERATOR,
    batch: Batch = False,
    as_json: Json = False,
) -> None:
    """Answer QUESTION with cited evidence, as POST /query does."""
    from typo3_retrieval_cli import requests, views

    system = system_of(context)
    if batch:
        _answer_lines(system, requests.query, user)
        return
    line = {
        "question": _needed(question, "QUESTION"),
        "site": site,
        "language": language,
        "max_sources": max_sources,
        "backend": backend,
    }
    answer = requests.query(system, line, requests.access(user))
    _print(answer, views.evidence, as_json=as_json)
    if answer.degraded:
        raise typer.Exit(FAILED)


def fetch(
    context: typer.Context,
    source_id: Annotated[str | None, typer.Argument(show_default=False)] = None,
    offset: Annotated[int, typer.Option(help="Begin at this character.", min=0)] = 0,
    backend: Backend = None,
    user: User = OPERATOR,
    batch: Batch = False,
    as_json: Json = False,
) -> None:
    """Read the source SOURCE_ID in full, as POST /fetch-source does."""
    from typo3_retrieval_cli import requests, views

    system = system_of(context)
    if batch:
        _answer_lines(system, requests.fetch, user)
        return
    line = {
        "source_id": _needed(source_id, "SOURCE_ID"),
        "offset": offset,
        "backend": backend,
    }
    _print(requests.fetch(system, line, requests.access(user)), views.document, as_json=as_json)


def keywords(
    context: typer.Context,
    query: Annotated[str | None, typer.Argument(show_default=False)] = None,
    site: SiteIdentifier = None,
    language: Language = None,
    limit: Limit = None,
    index_backed: Annotated[
        bool, typer.Option("--index-backed", help="Ask only backends that have an index.")
    ] = False,
    backend: Backend = None,
    user: User = OPERATOR,
    batch: Batch = False,
    as_json: Json = False,
) -> None:
    """Search for the words of QUERY, as POST /keyword-search does."""
    from typo3_retrieval_cli import requests, views

    system = system_of(context)
    if batch:
        _answer_lines(system, requests.keywords, user)
        return
    line = {
        "query": _needed(query, "QUERY"),
        "site": site,
        "language": language,
        "index_backed": index_backed,
        "backend": backend,
        **({} if limit is None else {"limit": limit}),
    }
    answer = requests.keywords(system, line, requests.access(user))
    _print(answer, views.hits, as_json=as_json)
    if not answer.available:
        raise typer.Exit(FAILED)


def _answer_lines(system: System, answer: "Answer", user: str) -> None:
    from typo3_retrieval_cli import batch, requests

    system.services()  # a wrong setting must end the command before it reads a line
    access = requests.access(user)
    batch.run(batch.each(lambda line: answer(system, line, access).model_dump(mode="json")))


def _print(answer: "BaseModel", view: Callable[[Any], None], *, as_json: bool) -> None:
    if as_json:
        write_json(answer.model_dump(mode="json"))
    else:
        view(answer)


def _needed(value: str | None, name: str) -> str:
    if value is None:
        raise typer.BadParameter(f"{name} is missing (or read lines from stdin with --batch).")
    return value
