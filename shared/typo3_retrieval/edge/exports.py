"""The tools and the answers in the shapes that model vendors ask for."""

from collections.abc import Callable, Mapping
from typing import Any

from typo3_retrieval.edge.connector import CONNECTOR_TOOLS
from typo3_retrieval.edge.connector import search_results as openai_search_results
from typo3_retrieval.edge.mcp.methods import described
from typo3_retrieval.edge.models import QueryResponse
from typo3_retrieval.edge.schemas import mapped, plain
from typo3_retrieval.edge.tools import SITE_TOOLS, Tool

__all__ = ["FORMATS", "anthropic_search_results", "exported", "openai_search_results"]

Json = dict[str, Any]


def exported(name: str) -> list[Json]:
    """The tools in the format *name*, one of `FORMATS`."""
    return [FORMATS[name](tool) for tool in (SITE_TOOLS if name != "mcp" else _MCP_TOOLS)]


def anthropic_search_results(answer: QueryResponse) -> list[Json]:
    """The sources as `search_result` blocks, which the model cites natively.

    They go into the content of a `tool_result`, or of a user's message.
    """
    return [
        {
            "type": "search_result",
            "source": source.url,
            "title": source.title or source.url,
            # An empty block would be refused.
            "content": [{"type": "text", "text": source.excerpt or source.title or source.url}],
            "citations": {"enabled": True},
        }
        for source in answer.sources
    ]


def _openai(tool: Tool) -> Json:
    """A function tool in strict mode: every property is required, what may be left out is null."""
    required = tool.input["required"]

    def strict(schema: Json) -> Json:
        if schema.get("type") == "object":
            schema["required"] = list(schema["properties"])
            schema["additionalProperties"] = False
            schema["properties"] = {
                name: each if name in required else {**each, "type": [each["type"], "null"]}
                for name, each in schema["properties"].items()
            }
        return schema

    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "strict": True,
            "parameters": mapped(tool.input, strict),
        },
    }


def _anthropic(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input | {"additionalProperties": False},
    }


def _bedrock(tool: Tool) -> Json:
    """A function of an action group that is defined by functions; it has no lists."""
    return {
        "name": tool.name,
        "description": tool.description,
        "requireConfirmation": "DISABLED",
        "parameters": {
            name: {
                "type": each["type"],
                "description": each["description"],
                "required": name in tool.required,
            }
            for name, each in tool.input["properties"].items()
            if each["type"] != "array"
        },
    }


def _agentcore(tool: Tool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": plain(tool.output),
    }


_MCP_TOOLS = (*SITE_TOOLS, *CONNECTOR_TOOLS)

FORMATS: Mapping[str, Callable[[Tool], Json]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "agentcore": _agentcore,
    "mcp": described,
}
