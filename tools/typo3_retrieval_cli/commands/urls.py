"""url: the address that the router gives, and how it came about."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from typo3_retrieval_cli.options import Batch, Json, system_of
from typo3_retrieval_cli.output import show, show_address, write_json

if TYPE_CHECKING:
    from typo3_retrieval.core.errors import RetrievalError
    from typo3_retrieval.typo3.routing import BuiltUrl, Router, UrlRequest


def url(
    context: typer.Context,
    page: Annotated[int | None, typer.Option(metavar="UID", help="The page.")] = None,
    site: Annotated[
        str | None, typer.Option(metavar="IDENTIFIER", show_default="the page's own")
    ] = None,
    language: Annotated[int, typer.Option(metavar="ID", help="sys_language_uid.")] = 0,
    arguments: Annotated[
        str | None, typer.Option(metavar="JSON", help="Query arguments, nested as in PHP.")
    ] = None,
    fragment: Annotated[str, typer.Option(help="What stands behind #.")] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell which enhancers and aspects made it.")
    ] = False,
    batch: Batch = False,
    as_json: Json = False,
) -> None:
    """Build the URL of a page as TYPO3 would."""
    from typo3_retrieval_cli import batch as lines

    router = system_of(context).router()
    if batch:
        lines.run(lambda chunk: built(router, chunk))
        return
    if page is None:
        raise typer.BadParameter("--page is missing (or read lines from stdin with --batch).")
    line = {
        "page": page,
        "site": site,
        "language": language,
        "arguments": _parsed(arguments),
        "fragment": fragment,
    }
    _print(router.build(_request(line)), explain=explain, as_json=as_json)


def built(
    router: "Router", lines: Sequence[Mapping[str, Any]]
) -> "Iterator[Mapping[str, Any] | RetrievalError]":
    """Build the URLs of many lines with a few statements.

    Raises:
        BackendError: the database does not answer.
    """
    from typo3_retrieval.core.errors import InvalidInput, RetrievalError

    requests: list[UrlRequest | RetrievalError] = []
    for line in lines:
        try:
            requests.append(_request(line))
        except InvalidInput as error:
            requests.append(error)
    good = [each for each in requests if not isinstance(each, RetrievalError)]
    found = iter(router.build_all(good))
    for request in requests:
        result = request if isinstance(request, RetrievalError) else next(found)
        yield result if isinstance(result, RetrievalError) else {"url": result.url}


def _request(line: Mapping[str, Any]) -> "UrlRequest":
    """Read a line. Fields that are not asked for count for nothing.

    Raises:
        InvalidInput: names the field that is wrong.
    """
    from typo3_retrieval.typo3.routing import UrlRequest

    return UrlRequest(
        page_uid=_field(line, "page", int, None),
        site=_field(line, "site", str, "") or None,
        language_id=_field(line, "language", int, 0),
        arguments=_arguments(line),
        fragment=_field(line, "fragment", str, ""),
    )


def _arguments(line: Mapping[str, Any]) -> Mapping[str, Any]:
    if line.get("arguments") == []:  # PHP writes an empty map so
        return {}
    found: Mapping[str, Any] = _field(line, "arguments", dict, {})
    return found


def _field(line: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    from typo3_retrieval.core.errors import InvalidInput

    value = line.get(name)
    if value is None and default is not None:
        return default
    if type(value) is not kind:  # True is an int too, and no uid
        named = {int: "a whole number", str: "text", dict: "an object"}[kind]
        raise InvalidInput(f"{name}: must be {named}.")
    return value


def _parsed(arguments: str | None) -> object:
    try:
        return json.loads(arguments) if arguments else {}
    except ValueError:
        raise typer.BadParameter("--arguments is no JSON.") from None


def _print(found: "BuiltUrl", *, explain: bool, as_json: bool) -> None:
    from rich.text import Text

    if as_json:
        explanation = {"explanation": list(found.explanation)} if explain else {}
        write_json({"url": found.url, **explanation})
        return
    show_address(found.url)
    if explain:
        sentences = found.explanation or ("No enhancer took part: the page's slug is the path.",)
        show(*(Text(f"  {sentence}", style="dim") for sentence in sentences))
