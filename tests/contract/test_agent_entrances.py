"""MCP, the Bedrock action group and the AgentCore target, as entrances."""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from tests.contract.entrance_contract import EntranceContract
from tests.contract.test_entrances import OverHttp
from tests.contract.witness import Witness
from tests.unit.edge.fakes import KEYS, NOW, TOKEN_SECRET, FakeDatabase, FakeSecrets, event
from typo3_retrieval.bootstrap import build_authorizer
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.core.secrets import SecretReference, TokenKeys
from typo3_retrieval.edge.agentcore import agentcore_handler
from typo3_retrieval.edge.bedrock import bedrock_handler
from typo3_retrieval.edge.mcp.endpoint import mcp_handler
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.edge.tokens import mint
from typo3_retrieval.typo3.backend_users import BackendUsers

GATEWAY = "site-gateway-a1b2c3d4e5"
TOKEN = mint(10, KEYS, now=NOW, ttl=60)
STRANGERS_KEYS = TokenKeys(keys={KEYS.active: "x" * 32}, active=KEYS.active)


class TestMcp(OverHttp):
    """POST /mcp: a call of a tool; the caller's words are its arguments and its _meta."""

    def ask(self, witness: Witness, caller: Any, claims: Mapping[str, Any]) -> object:
        meta = {"io.example/claims": claims}
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {
                "name": "site_rag_query",
                "arguments": {"question": "waste", **claims},
                "_meta": meta,
            },
        }
        recorded = event("mcp", fields=call)
        request_context = recorded["requestContext"] | {"authorizer": caller}
        handler = mcp_handler(witness.services(now=NOW), now=lambda: NOW)
        return handler(recorded | {"requestContext": request_context}, None)


class TestBedrock(EntranceContract):
    """The action group: the user's token comes with the session, which no model writes."""

    def ask(self, witness: Witness, caller: Any, claims: Mapping[str, Any]) -> object:
        reference = SecretReference(setting="RETRIEVAL_TOKEN_SECRET", reference="tokens")
        authorizer = build_authorizer(
            Settings(token_secret=reference),
            secrets=FakeSecrets({"tokens": TOKEN_SECRET}),
            database=FakeDatabase(error=BackendUnavailable("refused"))
            if caller == {"token": "database away"}
            else FakeDatabase(),
            now=lambda: NOW,
        )
        said = {"question": "waste", **claims}
        parameters = [
            {"name": name, "type": "string", "value": json.dumps(value) if claims else value}
            for name, value in said.items()
        ]
        recorded = event("bedrock_function", function="site_rag_query", parameters=parameters)
        given = {"token": TOKEN} if caller == {"token": "database away"} else caller
        handler = bedrock_handler(witness.services(now=NOW), authorizer)
        # What a model may write: the prompt's attributes, and the arguments.
        prompt = {"authorization": f"Bearer {TOKEN}", **claims}
        return handler(
            recorded | {"sessionAttributes": given, "promptSessionAttributes": prompt}, None
        )

    def verified(self) -> Any:
        return {"authorization": f"Bearer {TOKEN}"}

    def others(self) -> Mapping[str, Any]:
        return {
            "no session": None,
            "an empty session": {},
            "an empty token": {"token": ""},
            "no token": {"token": "10"},
            "two tokens": {"token": TOKEN, "Authorization": f"Bearer {TOKEN}"},
            "a token that is none": {"token": ["Bearer", TOKEN]},
            "a forged token": {"token": mint(10, STRANGERS_KEYS, now=NOW, ttl=60)},
            "an expired token": {"token": mint(10, KEYS, now=NOW - 3600, ttl=60)},
            "a user who is not active": {"token": mint(11, KEYS, now=NOW, ttl=60)},
            "a database that is away": {"token": "database away"},
        }


class TestAgentCore(EntranceContract):
    """The target: the settings name the user of each gateway, whose id the platform tells."""

    def ask(self, witness: Witness, caller: Any, claims: Mapping[str, Any]) -> object:
        services = witness.services(now=NOW)
        trusted = replace(services.settings, agentcore_gateways={GATEWAY: 10, "left": 11})
        users = BackendUsers(FakeDatabase(), now=lambda: NOW)
        custom = {"bedrockAgentCoreToolName": "typo3___site_rag_query", **caller}
        context = SimpleNamespace(aws_request_id="1", client_context=SimpleNamespace(custom=custom))
        arguments = {"question": "waste", "bedrockAgentCoreGatewayId": GATEWAY, **claims}
        if not claims and caller == self.verified():
            arguments = {"question": "waste"}
        return agentcore_handler(replace(services, settings=trusted), users)(arguments, context)

    def verified(self) -> Any:
        return {"bedrockAgentCoreGatewayId": GATEWAY}

    def others(self) -> Mapping[str, Any]:
        return {
            "no gateway": {},
            "an empty gateway": {"bedrockAgentCoreGatewayId": ""},
            "another gateway": {"bedrockAgentCoreGatewayId": f"{GATEWAY}-2"},
            "a gateway that is none": {"bedrockAgentCoreGatewayId": [GATEWAY]},
            "a gateway whose user is not active": {"bedrockAgentCoreGatewayId": "left"},
        }
