"""demo: the whole system on a made-up site, from nothing to cited evidence."""

import signal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer


def demo(
    keep: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Make the site here and leave it.", file_okay=False),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Leave the server running, until Ctrl-C.")
    ] = False,
) -> None:
    """Make a small TYPO3 site, serve it, ask it over HTTP, print the evidence, stop."""
    from typo3_retrieval_cli.demo.tour import tour

    # As Ctrl-C: so that server and folder are not left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if keep is not None:
        tour(keep, stay=serve, kept=True)
        return
    with TemporaryDirectory(prefix="typo3-retrieval-demo-") as folder:
        tour(Path(folder), stay=serve)
