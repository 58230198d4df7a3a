"""An AgentCore gateway's recorded call through the real handler, and every refusal."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from tests.unit.edge.fakes import FakeBackend, event, services_of
from tests.unit.edge.real_functions import Handler, demo_site, load, minted
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.edge.agentcore import agentcore_handler
from typo3_retrieval.edge.authorizer import EveryTokenHolder
from typo3_retrieval.edge.exports import exported
from typo3_retrieval_cli.demo import site

GATEWAY = event("agentcore_context")["custom"]["bedrockAgentCoreGatewayId"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def environment(demo: Path) -> Iterator[dict[str, str]]:
    with pytest.MonkeyPatch.context() as patch, demo_site(demo, patch) as made:
        patch.setenv("RETRIEVAL_AGENTCORE_GATEWAYS", f"other=11, {GATEWAY}={site.EDITOR}")
        yield made


@pytest.fixture(scope="module")
def handler(environment: dict[str, str]) -> Handler:
    return load("agentcore")


def context(tool: str | None = "site_rag_query", **custom: Any) -> SimpleNamespace:
    """The context of the recorded call, of another tool."""
    recorded = event("agentcore_context")["custom"]
    if tool is None:
        del recorded["bedrockAgentCoreToolName"]
    else:
        recorded["bedrockAgentCoreToolName"] = f"typo3-retrieval___{tool}"
    return SimpleNamespace(
        client_context=SimpleNamespace(custom=recorded | custom, env=None), aws_request_id="1"
    )


def test_the_tool_is_named_by_the_context(handler: Handler) -> None:
    answer = handler(event("agentcore"), context())

    assert answer["backend"] == "database"
    assert {source["language"] for source in answer["sources"]} == {"de"}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("site_rag_query", {"question": "When is bulky waste collected?"}),
        ("site_fetch_source", {"source_id": "database:3:0"}),
        ("site_keyword_search", {"query": "bridge"}),
    ],
)
def test_every_tool_answers_as_its_schema_says(
    handler: Handler, tool: str, arguments: dict[str, Any]
) -> None:
    answer = handler(arguments, context(tool))

    (schema,) = (each["outputSchema"] for each in exported("agentcore") if each["name"] == tool)
    jsonschema.validate(answer, schema)
    assert "error" not in answer


def test_the_context_may_be_a_mapping_with_other_spelling(handler: Handler) -> None:
    custom = {
        "BEDROCKAGENTCORETOOLNAME": "a___b___site_keyword_search",
        "bedrockagentcoregatewayid": GATEWAY,
    }
    answer = handler({"query": "bridge"}, SimpleNamespace(client_context={"custom": custom}))

    assert answer["available"] is True


@pytest.mark.parametrize("tool", [None, "", "nothing", "search"])
def test_a_missing_or_unknown_tool_is_a_clear_error(handler: Handler, tool: str | None) -> None:
    answer = handler({"question": "x"}, context(tool))

    assert "bedrockAgentCoreToolName" in answer["error"]
    assert "site_rag_query" in answer["error"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "question: missing"),
        ({"question": "x"}, "Question too short"),
        ({"question": "waste", "language": "xx"}, "0 (en), 1 (de)"),
        ({"question": "waste", "max_sources": "5"}, "max_sources"),
        ([], "must be an object"),
    ],
)
def test_wrong_arguments_are_a_clear_error(handler: Handler, arguments: Any, named: str) -> None:
    assert named in handler(arguments, context())["error"]


@pytest.mark.parametrize("gateway", ["stranger", "", None, 5, "OTHER", GATEWAY.upper()])
def test_a_gateway_that_no_setting_names_gets_no_answer(handler: Handler, gateway: Any) -> None:
    answer = handler(event("agentcore"), context(bedrockAgentCoreGatewayId=gateway))

    assert answer == {"error": "This gateway is not trusted."}


@pytest.mark.parametrize("invocation", [None, SimpleNamespace(), SimpleNamespace(client_context=5)])
def test_a_call_by_no_gateway_gets_no_answer(handler: Handler, invocation: Any) -> None:
    assert handler(event("agentcore"), invocation) == {"error": "This gateway is not trusted."}


def test_a_gateway_whose_user_is_not_active_gets_no_answer(handler: Handler) -> None:
    answer = handler(event("agentcore"), context(bedrockAgentCoreGatewayId="other"))

    assert answer == {"error": "The gateway asks for no active backend user."}


def test_an_identity_among_the_arguments_is_none(
    handler: Handler, environment: dict[str, str]
) -> None:
    arguments = {"question": "waste", "authorization": minted(environment)}

    stranger = handler(arguments, context(bedrockAgentCoreGatewayId="stranger"))
    assert stranger == {"error": "This gateway is not trusted."}
    assert "authorization: unknown argument." in handler(arguments, context())["error"]


def test_without_the_setting_no_gateway_is_trusted() -> None:
    handler = agentcore_handler(services_of(FakeBackend()), EveryTokenHolder())

    assert handler({"question": "waste"}, context()) == {"error": "This gateway is not trusted."}


class Undecided:
    """Users in a database that does not answer."""

    def is_active(self, uid: int) -> bool:
        raise BackendUnavailable("refused")


def test_when_it_cannot_be_found_out_nobody_gets_in(environment: dict[str, str]) -> None:
    from typo3_retrieval.bootstrap import services

    answer = agentcore_handler(services(), Undecided())(event("agentcore"), context())

    assert answer == {"error": "Who calls cannot be found out now; try again later."}
