"""Results on stdout, all else on stderr; JSON for machines, colours for people."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:  # and imported where it is used: half of what --help would wait for
    from rich.console import RenderableType

OK, FAILED, WRONG_USAGE = 0, 1, 2  # exit status


def show(*lines: "RenderableType") -> None:
    """Print a result for people."""
    from rich.console import Console

    console = Console(highlight=False)
    for line in lines:
        console.print(line)


def show_address(text: str, *, indent: str = "") -> None:
    """Print a URL or an id unbroken, however narrow the terminal is."""
    from rich.console import Console
    from rich.text import Text

    Console(highlight=False).print(Text(indent + text, style="cyan"), soft_wrap=True)


def tell(message: str, *, style: str = "") -> None:
    """Print a remark on stderr."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, highlight=False).print(Text(message, style=style), soft_wrap=True)


def write_json(document: Mapping[str, Any]) -> None:
    """Print one line of JSON, at once."""
    typer.echo(as_json(document))


def write_document(document: object) -> None:
    """Print JSON that goes into a file or another program."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def as_json(document: Mapping[str, Any]) -> str:
    """One line of JSON; a lone surrogate, which UTF-8 cannot carry, becomes a question mark."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


def fail(message: str, status: int, *, json_wanted: bool = False) -> NoReturn:
    """End the command with what went wrong.

    Raises:
        typer.Exit: always.
    """
    if json_wanted:
        write_json({"error": message})
    tell(f"Error: {message}", style="bold red")
    raise typer.Exit(status)
