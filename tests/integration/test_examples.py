"""The examples against the local server, with the model's side recorded."""

import ast
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import pytest
from pydantic import SecretStr

from tests.integration.agents import BULKY_WASTE, WASTE_PAGE, WASTE_SOURCE, Demo, demo_server

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = "a-model"


def example(name: str) -> ModuleType:
    """The module of examples/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # pydantic looks annotations up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo_server(tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture
def site(demo: Demo) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=demo.url, headers=demo.headers, timeout=30) as client:
        yield client


class RecordedModel:
    """Stands where the model's API is: gives recorded answers, keeps what it was sent."""

    def __init__(self, answers: Sequence[dict[str, Any]]) -> None:
        self.answers = list(answers)
        self.sent: list[Any] = []

    def client(self) -> httpx2.Client:
        return httpx2.Client(transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(json.loads(request.content))
        return httpx2.Response(200, json=self.answers[len(self.sent) - 1])


# --- retrievers ------------------------------------------------------------------------------


def test_langchains_retriever_returns_documents_that_can_be_cited(demo: Demo) -> None:
    module = example("langchain_retriever")
    retriever = module.Typo3Retriever(url=demo.url, token=SecretStr(demo.token), max_sources=3)

    documents = retriever.invoke(BULKY_WASTE)

    assert 0 < len(documents) <= 3
    first = documents[0]
    assert first.id == first.metadata["source_id"] == WASTE_SOURCE
    assert first.metadata["source"] == WASTE_PAGE
    assert first.metadata["title"] == "Waste collection"
    assert (first.metadata["language"], first.metadata["backend"]) == ("en", "database")
    assert "ulky waste" in first.page_content
    assert demo.token not in repr(retriever)


def test_langchains_retriever_asks_in_a_language(demo: Demo) -> None:
    module = example("langchain_retriever")
    retriever = module.Typo3Retriever(url=demo.url, token=SecretStr(demo.token), language="de")

    documents = retriever.invoke("Was kostet ein Reisepass?")

    assert {document.metadata["language"] for document in documents} == {"de"}


def test_llamaindexs_retriever_returns_nodes_that_can_be_cited(demo: Demo) -> None:
    retriever = example("llamaindex_retriever").Typo3Retriever(demo.url, demo.token, max_sources=3)

    nodes = retriever.retrieve(BULKY_WASTE)

    assert 0 < len(nodes) <= 3
    first = nodes[0]
    assert first.node.node_id == WASTE_SOURCE
    assert first.metadata["url"] == WASTE_PAGE
    assert first.metadata["title"] == "Waste collection"
    assert (first.metadata["language"], first.metadata["backend"]) == ("en", "database")
    assert "ulky waste" in first.text
    assert first.score is not None


@pytest.mark.parametrize("name", ["langchain_retriever", "llamaindex_retriever"])
def test_a_retriever_without_a_valid_token_raises(demo: Demo, name: str) -> None:
    retriever: Any = example(name).Typo3Retriever
    if name == "langchain_retriever":
        ask: Callable[[str], object] = retriever(url=demo.url, token=SecretStr("x")).invoke
    else:
        ask = retriever(demo.url, "x").retrieve

    with pytest.raises(httpx.HTTPStatusError, match="401"):
        ask(BULKY_WASTE)


# --- tool loops ------------------------------------------------------------------------------


def anthropics(content: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def test_claude_asks_the_site_and_cites_it(site: httpx.Client) -> None:
    module = example("anthropic_tool_loop")
    use = {"type": "tool_use", "name": "site_rag_query"}
    model = RecordedModel(
        [
            anthropics(
                [
                    {**use, "id": "tu_1", "input": {"question": "bulky waste", "language": "xx"}},
                    {**use, "id": "tu_2", "input": {"question": BULKY_WASTE, "language": "en"}},
                ],
                "tool_use",
            ),
            anthropics(
                [
                    {
                        "type": "tool_use",
                        "name": "site_fetch_source",
                        "id": "tu_3",
                        "input": {"source_id": WASTE_SOURCE},
                    }
                ],
                "tool_use",
            ),
            anthropics([{"type": "text", "text": "On the first Monday."}], "end_turn"),
        ]
    )
    with model.client() as http, anthropic.Anthropic(api_key="x", http_client=http) as client:
        message = module.answer(client, site, BULKY_WASTE, model=MODEL)

    assert message.content[0].text == "On the first Monday."
    assert [tool["name"] for tool in model.sent[0]["tools"]] == list(module.ROUTES)
    wrong, found = model.sent[1]["messages"][-1]["content"]
    assert wrong["is_error"] is True
    assert "Languages: 0 (en), 1 (de)." in wrong["content"]
    assert found["content"][0]["type"] == "search_result"
    assert found["content"][0]["source"] == WASTE_PAGE
    assert found["content"][0]["citations"] == {"enabled": True}
    read = model.sent[2]["messages"][-1]["content"][0]
    assert json.loads(read["content"])["url"] == WASTE_PAGE


def openais(message: dict[str, Any], reason: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "finish_reason": reason,
                "message": {"role": "assistant", "content": None, "refusal": None, **message},
                "logprobs": None,
            }
        ],
    }


def openai_call(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"call_{name}", "type": "function", "function": function}


def test_an_openai_model_asks_the_site(site: httpx.Client) -> None:
    module = example("openai_tool_loop")
    model = RecordedModel(
        [
            openais(
                {
                    "tool_calls": [
                        openai_call(
                            "site_rag_query",
                            question=BULKY_WASTE,
                            site=None,
                            language="en",
                            max_sources=3,
                            alternatives=None,
                        ),
                        openai_call("site_fetch_source", source_id="database:42:0", offset=None),
                    ]
                },
                "tool_calls",
            ),
            openais({"content": f"On the first Monday ({WASTE_PAGE})."}, "stop"),
        ]
    )
    with model.client() as http, openai.OpenAI(api_key="x", http_client=http) as client:
        reply = module.answer(client, site, BULKY_WASTE, model=MODEL)

    assert WASTE_PAGE in reply
    assert all(tool["function"]["strict"] for tool in model.sent[0]["tools"])
    found, hidden = (json.loads(each["content"]) for each in model.sent[1]["messages"][-2:])
    assert found["sources"][0]["url"] == WASTE_PAGE
    assert hidden["detail"] == "Source not found or not permitted."


@pytest.mark.parametrize("name", ["anthropic_tool_loop", "openai_tool_loop"])
def test_a_model_that_never_ends_is_stopped(site: httpx.Client, name: str) -> None:
    module = example(name)
    use = {"type": "tool_use", "name": "site_keyword_search", "id": "t", "input": {"query": "x"}}
    call = openai_call("site_keyword_search", query="x")
    answers = {
        "anthropic_tool_loop": anthropics([use], "tool_use"),
        "openai_tool_loop": openais({"tool_calls": [call]}, "tool_calls"),
    }
    model = RecordedModel([answers[name]] * 10)
    sdk: Any = anthropic.Anthropic if name.startswith("anthropic") else openai.OpenAI

    with (
        model.client() as http,
        sdk(api_key="x", http_client=http) as client,
        pytest.raises(RuntimeError, match="No answer after 5 rounds"),
    ):
        module.answer(client, site, BULKY_WASTE, model=MODEL)


# --- what needs an AWS account ---------------------------------------------------------------


class RecordedAgents:
    """Stands where boto3's client for agents is."""

    def invoke_agent(self, **request: Any) -> dict[str, Any]:
        self.request = request
        parts = (b"On the first ", b"Monday.")
        return {"completion": [{"trace": {}}, *({"chunk": {"bytes": each}} for each in parts)]}


def test_a_bedrock_agent_gets_the_token_in_its_session_only() -> None:
    client = RecordedAgents()

    reply = example("bedrock_invoke").answer(
        client, BULKY_WASTE, agent="A", alias="B", token="a.b.c"
    )

    assert reply == "On the first Monday."
    state = client.request.pop("sessionState")
    assert state == {"sessionAttributes": {"authorization": "Bearer a.b.c"}}
    assert "a.b.c" not in json.dumps(client.request)


def test_the_strands_example_is_python() -> None:
    """Its library is no dependency of the tests: it would bind the versions of the others."""
    source = (EXAMPLES / "strands_agent.py").read_text()

    names = {each.id for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Name)}
    assert {"Agent", "MCPClient"} <= names


def test_the_readme_names_every_example() -> None:
    readme = (EXAMPLES / "README.md").read_text()

    for path in EXAMPLES.iterdir():
        if path.is_file() and path.name != "README.md":
            assert f"`{path.name}`" in readme
