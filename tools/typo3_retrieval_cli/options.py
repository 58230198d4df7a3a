"""Options that several commands share."""

from typing import Annotated

import typer

from typo3_retrieval_cli.system import System

OPERATOR = "_cli_"  # the acting user when no other is named: whoever runs the command line


def system_of(context: typer.Context) -> System:
    """The system behind the running command."""
    system = context.find_root().obj
    if not isinstance(system, System):
        raise TypeError("the context holds no System")
    return system


def _remember_json(context: typer.Context, value: bool) -> bool:
    system_of(context).as_json = value
    return value


Json = Annotated[
    bool, typer.Option("--json", help="Print JSON for machines.", callback=_remember_json)
]
Batch = Annotated[
    bool,
    typer.Option("--batch", help="Read requests from stdin, one JSON line each; answer likewise."),
]
SiteIdentifier = Annotated[
    str | None,
    typer.Option("--site", metavar="IDENTIFIER", help="Ask this site only.", show_default="all"),
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="LANGUAGE",
        help="Language: id, ISO code or locale.",
        show_default="the question's, else the site's first",
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--max-sources", "--limit", metavar="NUMBER", help="At most this many sources, up to 20."
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        "--backend", metavar="NAME", help="Ask this backend only.", show_default="the cascade"
    ),
]
User = Annotated[
    str,
    typer.Option("--user", metavar="UID", help="Backend user on whose behalf this is asked."),
]
