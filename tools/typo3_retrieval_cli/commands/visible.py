"""visible: what a visitor without login gets, and why not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from typo3_retrieval_cli.options import Batch, Json, system_of
from typo3_retrieval_cli.output import show, show_address, write_json

if TYPE_CHECKING:
    from typo3_retrieval.core.errors import RetrievalError
    from typo3_retrieval.typo3.public_pages import PageKey, PublicPages
    from typo3_retrieval.typo3.visibility import Verdict

MAX_UID = 2**32 - 1  # TYPO3's uid columns are unsigned integers of 32 bits


def visible(
    context: typer.Context,
    page: Annotated[int | None, typer.Option(metavar="UID", help="The page.")] = None,
    language: Annotated[int, typer.Option(metavar="ID", help="sys_language_uid.")] = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Show which rows decided it.")] = False,
    batch: Batch = False,
    as_json: Json = False,
) -> None:
    """Tell whether an anonymous visitor sees a page, at which URL, and if not, why."""
    from typo3_retrieval_cli import batch as lines

    pages = system_of(context).public_pages()
    if batch:
        lines.run(lambda chunk: judged(pages, chunk))
        return
    if page is None:
        raise typer.BadParameter("--page is missing (or read lines from stdin with --batch).")
    key = _key({"page": page, "language": language})
    verdict = pages.verdicts([key])[key]
    found = pages.published([key]).get(key)
    answer = _answer(verdict, found.url if found else None)
    if explain:
        answer["explanation"] = _explanation(verdict)
    if as_json:
        write_json(answer)
    else:
        _show(answer)


def judged(
    pages: "PublicPages", lines: Sequence[Mapping[str, Any]]
) -> "Iterator[Mapping[str, Any] | RetrievalError]":
    """Judge the pages of many lines with two statements.

    Raises:
        BackendError: the database does not answer.
    """
    from typo3_retrieval.core.errors import InvalidInput

    keys: list[PageKey | InvalidInput] = []
    for line in lines:
        try:
            keys.append(_key(line))
        except InvalidInput as error:
            keys.append(error)
    wanted = [key for key in keys if isinstance(key, tuple)]
    verdicts, published = pages.verdicts(wanted), pages.published(wanted)
    for key in keys:
        if isinstance(key, tuple):
            found = published.get(key)
            yield _answer(verdicts[key], found.url if found else None)
        else:
            yield key


def _key(line: Mapping[str, Any]) -> "PageKey":
    """Read a line.

    Raises:
        InvalidInput: names the field that is wrong.
    """
    from typo3_retrieval.core.errors import InvalidInput

    for name, value in (("page", line.get("page")), ("language", line.get("language", 0))):
        if type(value) is not int:  # True is an int too, and no uid
            raise InvalidInput(f"{name}: must be a whole number.")
        if abs(value) > MAX_UID:
            raise InvalidInput(f"{name}: must be at most {MAX_UID}.")
    return line["page"], line.get("language", 0)


def _answer(verdict: "Verdict", url: str | None) -> dict[str, Any]:
    return {
        "visible": verdict.visible,
        "reason": verdict.reason,
        "url": url if verdict.visible else None,
    }


def _explanation(verdict: "Verdict") -> dict[str, Any]:
    return {
        "site": verdict.site.identifier if verdict.site else None,
        "language": verdict.language.title if verdict.language else None,
        "rootline": [f"{page.uid} {page.title}" for page in verdict.rootline],
        "shown_row": verdict.rendered.uid if verdict.rendered else None,
        "title": verdict.rendered.title if verdict.rendered else None,
        "content_of_page": verdict.content_page_uid or None,
        "redirect": verdict.redirect,
    }


def _show(answer: Mapping[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    if answer["visible"]:
        show(Text("visible", style="green"))
        if answer["url"]:
            show_address(answer["url"])
    else:
        show(Text.assemble(("not visible", "red"), f": {answer['reason']}"))
    if "explanation" in answer:
        table = Table.grid(padding=(0, 2))
        for name, value in answer["explanation"].items():
            shown = " < ".join(value) if isinstance(value, list) else str(value)
            table.add_row(Text(name.replace("_", " "), style="dim"), Text(shown))
        show(table)
