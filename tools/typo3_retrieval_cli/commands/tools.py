"""tools: the agents' tools in a vendor's format."""

from enum import StrEnum
from typing import Annotated

import typer

from typo3_retrieval_cli.output import write_document


class Format(StrEnum):
    """Whose tool definitions."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"
    AGENTCORE = "agentcore"
    MCP = "mcp"


def tools(
    format_: Annotated[
        Format, typer.Option("--format", help="Whose tool definitions.")
    ] = Format.MCP,
) -> None:
    """Print the tools' names, descriptions and schemas as JSON, to hand to a model."""
    from typo3_retrieval.edge.exports import exported

    write_document(exported(format_))
