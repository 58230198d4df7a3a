"""openapi: the description of the API."""

from typing import Annotated

import typer

from typo3_retrieval_cli.output import write_document


def openapi(
    bedrock: Annotated[
        bool,
        typer.Option("--bedrock", help="The plainer one, for an Amazon Bedrock action group."),
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where the routes begin, to put into the document."),
    ] = None,
) -> None:
    """Print the API's description in OpenAPI 3.0.3, as GET /openapi.json serves it."""
    from typo3_retrieval.edge.openapi import bedrock_document, document

    write_document(bedrock_document() if bedrock else document(server))
