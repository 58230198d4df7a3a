"""The official client of the Model Context Protocol against the local server."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from tests.integration.agents import (
    BULKY_WASTE,
    ORIGIN,
    WASTE_PAGE,
    WASTE_SOURCE,
    Demo,
    demo_server,
)

CALLS: dict[str, dict[str, Any]] = {
    "site_rag_query": {"question": BULKY_WASTE, "language": "en", "max_sources": 3},
    "site_fetch_source": {"source_id": WASTE_SOURCE},
    "site_keyword_search": {"query": "bulky waste", "limit": 2},
    "search": {"query": BULKY_WASTE},
    "fetch": {"id": WASTE_SOURCE},
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
CALLS_IN_ONE_PROCESS = 100

T = TypeVar("T")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo_server(tmp_path_factory.mktemp("demo")) as running:
        yield running


@asynccontextmanager
async def connected(demo: Demo, mode: str, query: str = "") -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=demo.headers, timeout=30) as http:
        transport = streamable_http_client(f"{demo.url}mcp{query}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def with_client(demo: Demo, mode: str, use: Callable[[Client], Awaitable[T]], query: str = "") -> T:
    async def run() -> T:
        async with connected(demo, mode, query) as client:
            return await use(client)

    return asyncio.run(run())


@pytest.fixture(params=[("legacy", "2025-11-25"), ("auto", "2026-07-28")], ids=lambda it: it[0])
def mode(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


def test_every_tool_is_listed_and_called(demo: Demo, mode: tuple[str, str]) -> None:
    async def use(client: Client) -> dict[str, CallToolResult]:
        assert client.protocol_version == mode[1]
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(CALLS)
        # The client checks each structure with the tool's output schema.
        return {name: await client.call_tool(name, given) for name, given in CALLS.items()}

    results = with_client(demo, mode[0], use)

    for name, result in results.items():
        assert result.is_error is False, name
        (block,) = result.content
        assert isinstance(block, TextContent)
        assert json.loads(block.text) == result.structured_content
    found: Any = results["site_rag_query"].structured_content
    assert found["sources"][0]["url"] == WASTE_PAGE
    found = results["search"].structured_content
    assert found["results"][0] | {"text": ""} == {
        "id": WASTE_SOURCE,
        "title": "Waste collection",
        "url": WASTE_PAGE,
        "text": "",
    }


def test_a_tools_failure_is_told_to_the_model(demo: Demo, mode: tuple[str, str]) -> None:
    async def use(client: Client) -> CallToolResult:
        with pytest.raises(MCPError, match="Unknown tool"):
            await client.call_tool("site_nothing", {})
        return await client.call_tool("site_rag_query", {"question": "waste", "language": "xx"})

    result = with_client(demo, mode[0], use)

    assert result.is_error is True
    assert isinstance(result.content[0], TextContent)
    assert result.content[0].text == "Unknown language. Languages: 0 (en), 1 (de)."


def test_a_hundred_calls_are_answered_in_one_process(demo: Demo, mode: tuple[str, str]) -> None:
    async def use(client: Client) -> list[CallToolResult]:
        return [
            await client.call_tool("site_keyword_search", CALLS["site_keyword_search"])
            for _ in range(CALLS_IN_ONE_PROCESS)
        ]

    results = with_client(demo, mode[0], use)

    assert len(results) == CALLS_IN_ONE_PROCESS
    first = results[0].structured_content
    assert first is not None
    assert first["hits"]
    assert all(result.structured_content == first for result in results)


def test_the_connectors_profile_has_two_tools(demo: Demo, mode: tuple[str, str]) -> None:
    async def use(client: Client) -> list[str]:
        await client.call_tool("search", CALLS["search"])
        return [tool.name for tool in (await client.list_tools()).tools]

    assert with_client(demo, mode[0], use, query="?profile=connector") == ["search", "fetch"]


# --- without a client ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def http(demo: Demo) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=demo.url, headers=demo.headers, timeout=30) as client:
        yield client


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_another_method_is_405(http: httpx.Client, method: str) -> None:
    response = http.request(method, "mcp")

    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_an_origin_that_no_setting_names_is_403(http: httpx.Client) -> None:
    assert http.post("mcp", json=PING, headers={"Origin": "https://x.example"}).status_code == 403
    assert http.post("mcp", json=PING, headers={"Origin": ORIGIN}).status_code == 200


def test_a_batch_is_refused(http: httpx.Client) -> None:
    response = http.post("mcp", json=[PING, PING])

    assert (response.status_code, response.json()["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("header", [None, "Bearer a.b.c"])
def test_without_a_valid_token_there_is_no_answer(demo: Demo, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    response = httpx.post(f"{demo.url}mcp", json=PING, headers=headers)

    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
