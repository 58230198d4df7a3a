"""The tools and answers in vendors' shapes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from tests.unit.edge.fakes import FakeBackend, services_of
from tests.unit.edge.test_openapi import walk
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.edge import settings
from typo3_retrieval.edge.exports import (
    FORMATS,
    anthropic_search_results,
    exported,
    openai_search_results,
)
from typo3_retrieval.edge.models import QueryResponse
from typo3_retrieval.edge.openapi import bedrock_document, document, examples
from typo3_retrieval.edge.tools import SITE_TOOLS
from typo3_retrieval_cli.main import app
from typo3_retrieval_cli.server.template import _decode

ROOT = Path(__file__).parents[3]
NAMES = [tool.name for tool in SITE_TOOLS]
ANSWER = QueryResponse.model_validate_json(json.dumps(examples.EVIDENCE))
ACCESS = AccessContext.public_only(BackendUser("10"))
CALLS = {
    "site_rag_query": {"question": "When is bulky waste collected?"},
    "site_fetch_source": {"source_id": "fake:3:0"},
    "site_keyword_search": {"query": "waste"},
}


def printed(*arguments: str) -> Any:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_command_prints_every_format(name: str) -> None:
    assert printed("tools", "--format", name) == exported(name)


def test_an_unknown_format_is_wrong_usage() -> None:
    assert CliRunner().invoke(app, ["tools", "--format", "xml"]).exit_code == 2


def test_the_command_prints_both_documents() -> None:
    assert printed("openapi") == document()
    assert printed("openapi", "--bedrock") == bedrock_document()
    assert printed("openapi", "--server", "https://x")["servers"] == [{"url": "https://x"}]


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_has_the_three_tools(name: str) -> None:
    tools = [tool.get("function", tool) for tool in exported(name)]

    assert [tool["name"] for tool in tools[:3]] == NAMES
    assert len(tools) == (5 if name == "mcp" else 3)
    assert all(re.fullmatch("[A-Za-z0-9_-]{1,64}", tool["name"]) for tool in tools)
    assert all(0 < len(tool["description"]) <= 1200 for tool in tools)
    assert "$ref" not in json.dumps(tools)


def test_the_documentation_knows_tools_formats_and_settings() -> None:
    text = (ROOT / "docs" / "agents.md").read_text()

    for tool in exported("mcp"):
        assert f"| `{tool['name']}` |" in text
        assert all(f"`{name}`" in text for name in tool["inputSchema"]["properties"])
    for name in FORMATS:
        assert f"| `{name}` |" in text
    for name in (settings.MCP_ORIGINS, settings.RESOURCE_METADATA, settings.AGENTCORE_GATEWAYS):
        assert f"`{name}`" in text


# --- OpenAI ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", exported("openai"))
def test_openais_strict_mode_wants_every_property(tool: dict[str, Any]) -> None:
    function = tool["function"]
    parameters = function["parameters"]

    assert (tool["type"], function["strict"]) == ("function", True)
    assert parameters["additionalProperties"] is False
    assert parameters["required"] == list(parameters["properties"])


@pytest.mark.parametrize("tool", exported("openai"))
def test_a_call_with_nulls_is_answered(tool: dict[str, Any]) -> None:
    """In strict mode the model sends null for what it leaves out."""
    function = tool["function"]
    arguments = dict.fromkeys(function["parameters"]["properties"]) | CALLS[function["name"]]
    jsonschema.validate(arguments, function["parameters"])
    (called,) = (each for each in SITE_TOOLS if each.name == function["name"])

    services = services_of(FakeBackend(documents={"fake:3:0": "x"}))
    answer = called.call(services, arguments, ACCESS).model_dump(mode="json")

    jsonschema.validate(answer, called.output)


def test_search_results_are_those_of_a_connector() -> None:
    assert openai_search_results(ANSWER).model_dump(mode="json") == {
        "results": [
            {
                "id": examples.SOURCE_ID,
                "title": "Waste collection",
                "url": examples.URL,
                "text": examples.EXCERPT,
            }
        ]
    }


# --- Anthropic -------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", exported("anthropic"))
def test_anthropics_tools_have_three_fields(tool: dict[str, Any]) -> None:
    assert set(tool) == {"name", "description", "input_schema"}
    jsonschema.Draft202012Validator.check_schema(tool["input_schema"])


def test_a_source_is_a_block_that_can_be_cited() -> None:
    assert anthropic_search_results(ANSWER) == [
        {
            "type": "search_result",
            "source": examples.URL,
            "title": "Waste collection",
            "content": [{"type": "text", "text": examples.EXCERPT}],
            "citations": {"enabled": True},
        }
    ]


def test_no_block_is_empty() -> None:
    bare = ANSWER.sources[0].model_copy(update={"excerpt": "", "title": ""})
    (block,) = anthropic_search_results(ANSWER.model_copy(update={"sources": (bare,)}))

    assert block["title"] == block["content"][0]["text"] == examples.URL


# --- Bedrock and AgentCore -------------------------------------------------------------------


@pytest.mark.parametrize("function", exported("bedrock"))
def test_bedrocks_functions_have_up_to_five_parameters(function: dict[str, Any]) -> None:
    assert 1 <= len(function["parameters"]) <= 5
    for parameter in function["parameters"].values():
        assert set(parameter) == {"type", "description", "required"}
        assert parameter["type"] in ("string", "number", "integer", "boolean")
        assert len(parameter["description"]) <= 500


@pytest.mark.parametrize("tool", exported("agentcore"))
def test_agentcores_schemas_know_five_words(tool: dict[str, Any]) -> None:
    assert set(tool) == {"name", "description", "inputSchema", "outputSchema"}
    for schema in walk([tool["inputSchema"], tool["outputSchema"]]):
        assert schema.keys() <= {"type", "properties", "required", "items", "description"}
        assert isinstance(schema["type"], str)


def test_the_template_has_agentcores_tools() -> None:
    resources = _decode(ROOT / "template.yaml")["Resources"]
    target = resources["AgentCoreTarget"]["Properties"]["TargetConfiguration"]["Mcp"]["Lambda"]

    assert _lower(target["ToolSchema"]["InlinePayload"]) == exported("agentcore")


def test_the_agents_example_has_bedrocks_functions() -> None:
    resources = _decode(ROOT / "examples" / "bedrock_agent.yaml")["Resources"]
    (group,) = resources["Agent"]["Properties"]["ActionGroups"]
    functions = group["FunctionSchema"]["Functions"]

    assert [_lower(function) for function in functions] == exported("bedrock")


def _lower(node: Any, *, names: bool = False) -> Any:
    """CloudFormation's spelling of keywords, which are names only below `Properties`."""
    if isinstance(node, list):
        return [_lower(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key if names else key[0].lower() + key[1:]: _lower(
            each, names=not names and key in ("Properties", "Parameters")
        )
        for key, each in node.items()
    }


# --- MCP -------------------------------------------------------------------------------------


def everything_with_a_schema() -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in exported("mcp"):
        yield f"{tool['name']} in", tool["inputSchema"]
        yield f"{tool['name']} out", tool["outputSchema"]


@pytest.mark.parametrize(("name", "schema"), list(everything_with_a_schema()))
def test_mcps_schemas_are_objects(name: str, schema: dict[str, Any]) -> None:
    assert schema["type"] == "object", name
    jsonschema.Draft202012Validator.check_schema(schema)
