"""A Lambda target of an Amazon Bedrock AgentCore gateway: bare arguments in, an object out."""

from collections.abc import Callable, Mapping
from typing import Any

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.edge.authorizer import Users
from typo3_retrieval.edge.http import explained
from typo3_retrieval.edge.identity import access_by_gateway
from typo3_retrieval.edge.metrics import measured
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.tools import SITE_TOOLS, Tool

TOOL_NAME = "bedrockagentcoretoolname"  # keys of the client context, in lower case
GATEWAY_ID = "bedrockagentcoregatewayid"
SEPARATOR = "___"  # between the target's name and the tool's

Answer = dict[str, Any]


def agentcore_handler(services: Services, users: Users) -> Callable[[object, object], Answer]:
    """Make the Lambda handler of the target.

    Args:
        services: the built system; its settings name the trusted gateways.
        users: who is active.
    """
    trusted = services.settings.agentcore_gateways

    def lambda_handler(event: object, context: object) -> Answer:
        status = 200
        request_id = getattr(context, "aws_request_id", "")
        with measured(request_id, "agentcore", context) as request:
            try:
                about = _about(context)
                access = access_by_gateway(about.get(GATEWAY_ID), trusted, users)
                tool = _tool(about.get(TOOL_NAME))
                if not isinstance(event, Mapping):
                    raise InvalidInput("The arguments must be an object.")
                # The schemas there know no null: what is null is left out.
                answer = tool.call(services, event, access)
                answered = answer.model_dump(mode="json", exclude_none=True)
            except Exception as error:  # noqa: BLE001  # the border: nothing gets past it
                status, detail = explained(error)
                answered = {"error": detail}
            request.status = int(status)
        return answered

    return lambda_handler


def _about(context: object) -> Mapping[str, object]:
    """What the gateway says about the call, by key in lower case."""
    client_context = getattr(context, "client_context", None)
    if isinstance(client_context, Mapping):
        custom = client_context.get("custom")
    else:
        custom = getattr(client_context, "custom", None)
    if not isinstance(custom, Mapping):
        return {}
    return {str(key).lower(): value for key, value in custom.items()}


def _tool(name: object) -> Tool:
    """The tool of the gateway's name for it, ``<target>___<tool>``.

    Raises:
        InvalidInput: there is none; names those that there are.
    """
    wanted = name.rpartition(SEPARATOR)[2] if isinstance(name, str) else ""
    for tool in SITE_TOOLS:
        if tool.name == wanted:
            return tool
    known = ", ".join(each.name for each in SITE_TOOLS)
    raise InvalidInput(
        f"bedrockAgentCoreToolName in the client context names no tool. Tools: {known}."
    )
