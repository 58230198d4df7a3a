"""The Model Context Protocol, cell by cell of docs/agents.md, with a fake backend behind it."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.edge.fakes import NOW, WASTE, FakeBackend, event, services_of
from typo3_retrieval import __version__
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.edge.http import Response
from typo3_retrieval.edge.mcp.endpoint import mcp_handler
from typo3_retrieval.edge.mcp.eras import LEGACY, MODERN, SUPPORTED
from typo3_retrieval.edge.settings import Settings

SITE = ["site_rag_query", "site_fetch_source", "site_keyword_search"]
CONNECTOR = ["search", "fetch"]
META = "io.modelcontextprotocol/"
ENVELOPE = {f"{META}protocolVersion": MODERN[0], f"{META}clientCapabilities": {}}
QUESTION = {"question": "When is bulky waste collected?"}


class Endpoint:
    """The handler, and short ways to call it."""

    def __init__(self, *backends: FakeBackend, settings: Settings | None = None) -> None:
        services = services_of(*backends)
        services = replace(services, settings=settings or Settings())
        self.handler = mcp_handler(services, now=lambda: NOW)

    def send(
        self,
        body: object,
        headers: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> Response:
        """Post *body* with these headers and no others."""
        given = dict(headers or {})
        recorded = event(
            "mcp",
            body=body if isinstance(body, str) else json.dumps(body),
            headers=given,
            multiValueHeaders={name: [value] for name, value in given.items()},
            queryStringParameters=query,
            **changes,
        )
        return self.handler(recorded, None)

    def legacy(self, method: str, params: object = None, **more: Any) -> Response:
        """A request of a client that shook hands."""
        body = {"jsonrpc": "2.0", "id": 7, "method": method}
        return self.send(body if params is None else {**body, "params": params}, **more)

    def modern(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        meta: Mapping[str, Any] = ENVELOPE,
        **more: Any,
    ) -> Response:
        """A request that says its version itself; a header of None is left out."""
        body = {"_meta": dict(meta), **(params or {})}
        usual = {"MCP-Protocol-Version": MODERN[0], "Mcp-Method": method}
        if method == "tools/call":
            usual["Mcp-Name"] = str(body.get("name"))
        sent = {name: text for name, text in {**usual, **(headers or {})}.items() if text}
        return self.send({"jsonrpc": "2.0", "id": "a", "method": method, "params": body}, sent)


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint(FakeBackend(documents={"fake:3:0": "Bulky waste. " * 700}))


def said(response: Response, status: int = 200) -> Any:
    """The message of an answer that has this status."""
    assert response["statusCode"] == status, response["body"]
    assert response["headers"]["Content-Type"] == "application/json"
    return json.loads(response["body"])


def result(response: Response) -> Any:
    return said(response)["result"]


def error(response: Response, status: int) -> tuple[int, Any]:
    """Code and data of an error."""
    message = said(response, status)
    assert message["error"]["message"]
    return message["error"]["code"], message["error"].get("data")


# --- legacy ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", LEGACY)
def test_a_handshake_agrees_on_the_version_that_is_asked_for(
    endpoint: Endpoint, version: str
) -> None:
    found = result(endpoint.legacy("initialize", {"protocolVersion": version}))

    assert found["protocolVersion"] == version
    assert found["capabilities"] == {"tools": {}}
    assert found["serverInfo"]["version"] == __version__
    assert "site_rag_query" in found["instructions"]


@pytest.mark.parametrize("version", ["2024-11-05", "2099-01-01", MODERN[0], 5, None])
def test_a_handshake_with_another_version_gets_the_newest_legacy_one(
    endpoint: Endpoint, version: object
) -> None:
    found = result(endpoint.legacy("initialize", {"protocolVersion": version}))

    assert found["protocolVersion"] == LEGACY[0]


def test_a_notification_is_taken_without_an_answer(endpoint: Endpoint) -> None:
    response = endpoint.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (response["statusCode"], response["body"]) == (202, "")


def test_a_ping_is_answered(endpoint: Endpoint) -> None:
    assert said(endpoint.legacy("ping")) == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.parametrize("headers", [{}, *({"Mcp-Protocol-Version": each} for each in LEGACY)])
def test_the_version_header_may_be_missing_or_a_legacy_one(
    endpoint: Endpoint, headers: Mapping[str, str]
) -> None:
    assert len(result(endpoint.legacy("tools/list", headers=headers))["tools"]) == 5


@pytest.mark.parametrize("version", ["2024-11-05", "2027-01-01", "yes"])
def test_an_invalid_version_header_is_400(endpoint: Endpoint, version: str) -> None:
    response = endpoint.legacy("tools/list", headers={"MCP-Protocol-Version": version})

    assert error(response, 400) == (
        -32022,
        {"supported": list(SUPPORTED), "requested": version},
    )


@pytest.mark.parametrize("method", ["server/discover", "resources/list", "tools/nothing", ""])
def test_an_unknown_method_of_a_legacy_client_is_an_error_in_a_200(
    endpoint: Endpoint, method: str
) -> None:
    assert error(endpoint.legacy(method), 200)[0] == -32601


def test_an_unknown_tool_of_a_legacy_client_is_an_error_in_a_200(endpoint: Endpoint) -> None:
    response = endpoint.legacy("tools/call", {"name": "site_rag", "arguments": {}})

    assert error(response, 200)[0] == -32602
    assert "site_rag_query" in said(response)["error"]["message"]


def test_a_legacy_answer_holds_nothing_of_the_new_era(endpoint: Endpoint) -> None:
    for response in (endpoint.legacy("tools/list"), called(endpoint.legacy, SITE[0], QUESTION)):
        assert result(response).keys().isdisjoint({"resultType", "ttlMs", "cacheScope"})


def test_a_session_id_is_ignored_and_none_is_given(endpoint: Endpoint) -> None:
    response = endpoint.legacy("ping", headers={"Mcp-Session-Id": "x"})

    assert result(response) == {}
    assert "mcp-session-id" not in {name.lower() for name in response["headers"]}


# --- modern ----------------------------------------------------------------------------------


def test_discover_tells_versions_capabilities_and_who_this_is(endpoint: Endpoint) -> None:
    found = result(endpoint.modern("server/discover"))

    assert found["resultType"] == "complete"
    assert found["supportedVersions"][0] == MODERN[0]
    assert found["capabilities"] == {"tools": {}}
    assert found["instructions"]
    assert found["_meta"][f"{META}serverInfo"]["name"] == "typo3-retrieval"
    assert (found["ttlMs"] > 0, found["cacheScope"]) == (True, "private")


def test_a_modern_list_may_be_kept(endpoint: Endpoint) -> None:
    found = result(endpoint.modern("tools/list"))

    assert (found["resultType"], found["cacheScope"]) == ("complete", "private")
    assert found["ttlMs"] == 3_600_000
    assert found["tools"] == result(endpoint.legacy("tools/list"))["tools"]


def test_a_modern_call_is_complete(endpoint: Endpoint) -> None:
    found = result(called(endpoint.modern, SITE[0], QUESTION))

    assert found["resultType"] == "complete"
    assert found["structuredContent"]["sources"][0]["url"] == WASTE.url


@pytest.mark.parametrize("method", ["ping", "initialize", "resources/list", ""])
def test_an_unknown_modern_method_is_404(endpoint: Endpoint, method: str) -> None:
    # A header that is empty is none, so only a body's empty method equals it.
    assert error(endpoint.modern(method), 404)[0] == -32601


def test_an_unknown_tool_of_a_modern_client_is_400(endpoint: Endpoint) -> None:
    assert error(called(endpoint.modern, "site_rag", {}), 400)[0] == -32602


@pytest.mark.parametrize(
    "headers",
    [
        {"MCP-Protocol-Version": None},
        {"MCP-Protocol-Version": LEGACY[0]},
        {"Mcp-Method": None},
        {"Mcp-Method": "tools/list"},
        {"Mcp-Name": None},
        {"Mcp-Name": "fetch"},
        {"Mcp-Name": "=?base64?!?="},
        {"Mcp-Name": "=?base64?/w==?="},
    ],
)
def test_a_header_that_is_missing_or_differs_is_400(
    endpoint: Endpoint, headers: Mapping[str, str | None]
) -> None:
    response = called(endpoint.modern, SITE[0], QUESTION, headers=headers)

    assert error(response, 400)[0] == -32020


def test_a_header_that_is_there_twice_is_400(endpoint: Endpoint) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
    headers = {"MCP-Protocol-Version": MODERN[0], "Mcp-Method": "tools/list"}
    recorded = event("mcp", body=json.dumps(body), headers=headers)
    recorded["multiValueHeaders"] = {name: ["tools/call", value] for name, value in headers.items()}

    assert error(endpoint.handler(recorded, None), 400)[0] == -32020


def test_a_name_may_be_in_base64(endpoint: Endpoint) -> None:
    name = f"=?base64?{base64.b64encode(SITE[0].encode()).decode()}?="

    response = called(endpoint.modern, SITE[0], QUESTION, headers={"Mcp-Name": name})

    assert result(response)["isError"] is False


@pytest.mark.parametrize("version", ["2027-01-01", LEGACY[0], "yes"])
def test_an_unsupported_version_is_400_and_names_those_that_are(
    endpoint: Endpoint, version: str
) -> None:
    response = endpoint.modern(
        "server/discover",
        headers={"MCP-Protocol-Version": version},
        meta={**ENVELOPE, f"{META}protocolVersion": version},
    )

    code, data = error(response, 400)
    assert code == -32022
    assert data == {"supported": list(SUPPORTED), "requested": version}


@pytest.mark.parametrize("missing", list(ENVELOPE))
def test_an_incomplete_envelope_is_400(endpoint: Endpoint, missing: str) -> None:
    meta = {name: value for name, value in ENVELOPE.items() if name != missing}

    response = endpoint.modern("tools/list", meta=meta)

    assert error(response, 400)[0] == -32602
    assert missing in said(response, 400)["error"]["message"]


def test_a_modern_notification_is_taken(endpoint: Endpoint) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"_meta": ENVELOPE}}

    assert endpoint.send(body, {"MCP-Protocol-Version": MODERN[0]})["statusCode"] == 202


# --- both eras -------------------------------------------------------------------------------

Call = Callable[..., Response]


def called(call: Call, tool: str, arguments: object, **more: Any) -> Response:
    return call("tools/call", {"name": tool, "arguments": arguments}, **more)


@pytest.fixture(params=["legacy", "modern"])
def call(request: pytest.FixtureRequest, endpoint: Endpoint) -> Call:
    found: Call = getattr(endpoint, request.param)
    return found


def test_the_tools_are_listed_in_a_stable_order(call: Call) -> None:
    tools = result(call("tools/list"))["tools"]

    assert [tool["name"] for tool in tools] == SITE + CONNECTOR
    for tool in tools:
        assert tool["title"]
        assert tool["description"]
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert "$ref" not in json.dumps(tool)
        assert tool["annotations"] == {
            "title": tool["title"],
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }


def test_the_list_has_one_page(call: Call) -> None:
    assert call("tools/list", {"cursor": "2"})["statusCode"] in (200, 400)
    assert json.loads(call("tools/list", {"cursor": "2"})["body"])["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (SITE[0], {**QUESTION, "language": "de", "max_sources": 3}),
        (SITE[1], {"source_id": "fake:3:0", "offset": 8000}),
        (SITE[2], {"query": "bulky waste"}),
        ("search", {"query": "bulky waste"}),
        ("fetch", {"id": "fake:3:0"}),
    ],
)
def test_structure_and_text_hold_the_same(
    call: Call, tool: str, arguments: Mapping[str, Any]
) -> None:
    found = result(called(call, tool, arguments))

    assert found["isError"] is False
    (block,) = found["content"]
    assert block["type"] == "text"
    assert json.loads(block["text"]) == found["structuredContent"]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        (SITE[0], {}, "question"),
        (SITE[0], {"question": None}, "question"),
        (SITE[0], {"question": "a"}, "Question too short (minimum 2 characters)."),
        (SITE[0], {**QUESTION, "language": "xx"}, "Languages: 0 (en), 1 (de)"),
        (SITE[0], {**QUESTION, "language": ["de"]}, "Languages: 0 (en), 1 (de)"),
        (SITE[0], {**QUESTION, "language": True}, "Languages: 0 (en), 1 (de)"),
        (SITE[0], {**QUESTION, "site": "atlantis"}, "Sites: main"),
        (SITE[0], {**QUESTION, "max_sources": "many"}, "max_sources"),
        (SITE[0], {**QUESTION, "sources": 3}, "max_sources"),
        (SITE[0], {**QUESTION, "sub": "1"}, "sub: unknown argument."),
        (SITE[1], {"source_id": "../etc/passwd"}, "Invalid source_id."),
        (SITE[1], {"source_id": "fake:9:9"}, "Source not found or not permitted."),
        (SITE[1], {"source_id": "fake:3:0", "offset": -1}, "offset"),
        (SITE[2], {}, "query"),
        (SITE[2], {"query": "waste", "language": "de"}, "language_id"),
        ("search", {"q": "waste"}, "query"),
        ("fetch", {"id": "fake:9:9"}, "Source not found or not permitted."),
    ],
)
def test_a_tools_failure_is_a_result_that_says_what_is_wrong(
    call: Call, tool: str, arguments: Mapping[str, Any], named: str
) -> None:
    found = result(called(call, tool, arguments))

    assert found["isError"] is True
    assert "structuredContent" not in found
    assert named in found["content"][0]["text"]


@pytest.mark.parametrize("language", [1, "1", "de", "DE", "de-DE", "de_AT.UTF-8"])
def test_every_form_of_a_language_means_the_same(language: object) -> None:
    backend = FakeBackend()
    result(called(Endpoint(backend).legacy, SITE[0], {**QUESTION, "language": language}))

    assert [query.language_id for query in backend.asked] == [1]


@pytest.mark.parametrize("arguments", [[], "x", 5])
def test_arguments_that_are_no_object_are_an_error(call: Call, arguments: object) -> None:
    message = json.loads(called(call, SITE[0], arguments)["body"])

    assert message["error"]["code"] == -32602


def test_arguments_may_be_missing(call: Call) -> None:
    assert result(call("tools/call", {"name": SITE[0]}))["isError"] is True


# --- the connector's two tools ---------------------------------------------------------------


def test_a_profile_offers_two_tools_only(call: Call, endpoint: Endpoint) -> None:
    query = {"profile": "connector"}
    listed = result(endpoint.legacy("tools/list", query=query))["tools"]
    refused = called(endpoint.legacy, SITE[0], QUESTION, query=query)

    assert [tool["name"] for tool in listed] == CONNECTOR
    assert error(refused, 200)[0] == -32602


def test_an_unknown_profile_is_400_and_names_those_that_there_are(endpoint: Endpoint) -> None:
    response = endpoint.legacy("tools/list", query={"profile": "two"})

    assert error(response, 400)[0] == -32602
    assert "all, connector" in said(response, 400)["error"]["message"]


def test_search_finds_what_a_citation_needs(endpoint: Endpoint) -> None:
    found = result(called(endpoint.legacy, "search", {"query": "bulky waste"}))

    assert found["structuredContent"] == {
        "results": [
            {"id": "fake:3:0", "title": WASTE.title, "url": WASTE.url, "text": WASTE.excerpt}
        ]
    }


def test_search_leaves_out_what_has_no_absolute_address() -> None:
    backend = FakeBackend(sources=(replace(WASTE, url="/waste"), replace(WASTE, title="")))
    found = result(called(Endpoint(backend).legacy, "search", {"query": "bulky waste"}))

    assert [each["title"] for each in found["structuredContent"]["results"]] == [WASTE.url]


def test_search_tells_broken_from_empty() -> None:
    broken = Endpoint(FakeBackend(error=BackendUnavailable("refused")))
    empty = Endpoint(FakeBackend(sources=()))

    failed = result(called(broken.legacy, "search", {"query": "waste"}))
    assert failed["content"][0]["text"] == "No search backend available."
    found = result(called(empty.legacy, "search", {"query": "waste"}))
    assert found["structuredContent"] == {"results": []}


def test_fetch_joins_the_parts_of_a_text(endpoint: Endpoint) -> None:
    document = result(called(endpoint.legacy, "fetch", {"id": "fake:3:0"}))["structuredContent"]

    assert document["text"] == "Bulky waste. " * 700
    assert document["url"] == WASTE.url
    assert document["metadata"] == {"backend": "fake", "total_characters": "9100"}


def test_fetch_ends_after_five_parts_and_says_so() -> None:
    endpoint = Endpoint(FakeBackend(documents={"fake:3:0": "x" * 50_000}))

    document = result(called(endpoint.legacy, "fetch", {"id": "fake:3:0"}))["structuredContent"]

    assert len(document["text"]) == 40_000
    assert document["metadata"]["cut_at_character"] == "40000"


# --- what is no message ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", -32700),
        ("{", -32700),
        ('{"a": 1, "a": 2}', -32700),
        ("[" * 20, -32700),
        ([], -32600),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], -32600),
        ("5", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, -32600),
    ],
)
def test_what_is_no_single_message_is_400(endpoint: Endpoint, body: object, code: int) -> None:
    response = endpoint.send(body)

    assert error(response, 400)[0] == code
    assert said(response, 400)["id"] is None


@pytest.mark.parametrize("message_id", [0, -3, "", "ä", "\ud800"])
def test_an_id_comes_back_as_it_was(endpoint: Endpoint, message_id: object) -> None:
    message = said(endpoint.send({"jsonrpc": "2.0", "id": message_id, "method": "ping"}))

    assert message["id"] == message_id or message_id == "\ud800"


# --- who may call, and how -------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_another_method_is_405(endpoint: Endpoint, method: str) -> None:
    response = endpoint.send("", httpMethod=method)

    assert response["statusCode"] == 405
    assert response["headers"]["Allow"] == "POST"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://chat.example.org.x"])
def test_a_web_page_may_not_call(origin: str) -> None:
    settings = Settings(mcp_origins=frozenset({"https://chat.example.org"}))
    response = Endpoint(FakeBackend(), settings=settings).legacy("ping", headers={"Origin": origin})

    assert response["statusCode"] == 403
    assert json.loads(response["body"])["detail"] == "This origin may not call."


def test_a_web_page_that_the_settings_name_may_call() -> None:
    settings = Settings(mcp_origins=frozenset({"https://chat.example.org"}))
    endpoint = Endpoint(FakeBackend(), settings=settings)

    assert result(endpoint.legacy("ping", headers={"Origin": "https://chat.example.org"})) == {}


@pytest.mark.parametrize(
    ("metadata", "challenge"),
    [
        (None, "Bearer"),
        ("https://x.example/m", 'Bearer resource_metadata="https://x.example/m"'),
    ],
)
def test_without_an_authorizer_nobody_calls(metadata: str | None, challenge: str) -> None:
    endpoint = Endpoint(FakeBackend(), settings=Settings(resource_metadata=metadata))
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})

    response = endpoint.send(body, requestContext={"requestId": "1"})

    assert response["statusCode"] == 401
    assert response["headers"]["WWW-Authenticate"] == challenge


def test_a_body_that_is_too_large_is_413(endpoint: Endpoint) -> None:
    assert endpoint.send(" " * 70_000)["statusCode"] == 413


def test_a_fault_of_ours_is_told_without_its_message() -> None:
    backend = FakeBackend(documents={"fake:3:0": "x"}, error=RuntimeError("hunter2"))

    response = called(Endpoint(backend).legacy, SITE[1], {"source_id": "fake:3:0"})

    assert result(response)["isError"] is True
    assert "hunter2" not in response["body"]


def test_a_hundred_calls_in_one_process_are_alike(endpoint: Endpoint) -> None:
    bodies = {called(endpoint.legacy, "search", {"query": "waste"})["body"] for _ in range(100)}

    assert len(bodies) == 1
