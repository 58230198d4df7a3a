"""The command line's entry: commands, and what their errors mean for the exit status."""

import logging
import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from typo3_retrieval_cli.commands import (
    demo,
    evaluate,
    openapi,
    probe,
    search,
    serve,
    sites,
    tokens,
    tools,
    urls,
    visible,
)
from typo3_retrieval_cli.output import FAILED, WRONG_USAGE, fail
from typo3_retrieval_cli.system import System


class Commands(TyperGroup):
    """Runs a command and turns what this project raises into a line and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        from typo3_retrieval.core.errors import (
            BackendError,
            ConfigurationError,
            InvalidInput,
            RetrievalError,
        )

        try:
            return super().invoke(ctx)
        except (ConfigurationError, InvalidInput) as error:
            self._fail(ctx, str(error), WRONG_USAGE)
        except BackendError as error:
            # A library's message may be empty; the class says at least what kind it was.
            self._fail(ctx, str(error) or type(error).__name__, FAILED)
        except RetrievalError as error:
            self._fail(ctx, str(error), FAILED)
        finally:
            if isinstance(ctx.obj, System):
                ctx.obj.close()

    def _fail(self, ctx: Any, message: str, status: int) -> None:
        as_json = isinstance(ctx.obj, System) and ctx.obj.as_json
        fail(message, status, json_wanted=as_json)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,  # a local may hold a secret
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Cited evidence from TYPO3 sites: ask, inspect and serve locally. "
    "Set the RETRIEVAL_* variables of docs/settings.md first, or try the demo.",
)
app.command()(search.ask)
app.command()(search.fetch)
app.command()(search.keywords)
app.command()(urls.url)
app.command()(visible.visible)
app.command()(serve.serve)
app.command()(probe.probe)
app.command()(demo.demo)
app.command()(openapi.openapi)
app.command()(tools.tools)
app.command()(evaluate.evaluate)
app.add_typer(tokens.app, name="token")
app.add_typer(sites.app, name="sites")


@app.callback()
def prepare(
    context: typer.Context,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log more to stderr.")] = False,
) -> None:
    """Ready the streams, the log and the system for the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # whatever the locale says: JSON is UTF-8
            stream.reconfigure(encoding="utf-8", errors="replace")
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(levelname)s: %(message)s",
    )
    if context.obj is None:
        context.obj = System()
