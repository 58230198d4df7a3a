"""An action group of an Amazon Bedrock agent: both kinds of its events in, its answers out."""

import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from typo3_retrieval.core.errors import InvalidInput, SourceNotFound
from typo3_retrieval.edge.bedrock_body import bedrock_body
from typo3_retrieval.edge.http import Refused, explained, parse_json
from typo3_retrieval.edge.identity import PolicyMaker, access_by_session
from typo3_retrieval.edge.metrics import measured
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.tools import SITE_TOOLS, Tool

Event = Mapping[str, Any]
Answer = dict[str, Any]

_MODELS_FAULT = (InvalidInput, SourceNotFound)  # which it may mend by asking again


def bedrock_handler(
    services: Services, authorizer: PolicyMaker
) -> Callable[[Event, object], Answer]:
    """Make the Lambda handler of the action group.

    Args:
        services: the built system.
        authorizer: checks the token in the session's attributes.
    """

    def lambda_handler(event: Event, context: object) -> Answer:
        status, state = HTTPStatus.OK, ""
        request_id = getattr(context, "aws_request_id", "")
        with measured(request_id, "bedrock", context) as request:
            try:
                access = access_by_session(event.get("sessionAttributes"), authorizer)
                tool = _tool(event)
                body = bedrock_body(tool.call(services, _arguments(event, tool), access))
            except Exception as error:  # noqa: BLE001  # the border: nothing gets past it
                status, detail = explained(error)
                state = "REPROMPT" if isinstance(error, _MODELS_FAULT) else "FAILURE"
                body = json.dumps({"error": detail}, ensure_ascii=False)
            request.status = status.value
        return _answer(event, status, state, body)

    return lambda_handler


def _tool(event: Event) -> Tool:
    """The tool that a path or a function's name asks for.

    Raises:
        InvalidInput: there is none; names those that there are.
    """
    for tool in SITE_TOOLS:
        if "function" in event and event["function"] == tool.name:
            return tool
        if event.get("apiPath") == tool.path and event.get("httpMethod") == "POST":
            return tool
    raise InvalidInput(f"Unknown tool. Tools: {', '.join(each.name for each in SITE_TOOLS)}.")


def _arguments(event: Event, tool: Tool) -> dict[str, Any]:
    """The arguments, which all come as text, in the types that the tool wants."""
    content = (event.get("requestBody") or {}).get("content") or {}
    properties = (content.get("application/json") or {}).get("properties") or ()
    given: Iterable[Mapping[str, Any]] = (*(event.get("parameters") or ()), *properties)
    wanted = tool.input["properties"]
    arguments = {}
    for each in given:
        name, value = str(each.get("name")), each.get("value")
        kind = wanted.get(name, {}).get("type")
        if value not in (None, "") or name in tool.required:
            arguments[name] = _typed(value, kind) if isinstance(value, str) else value
    return arguments


def _typed(text: str, kind: str | None) -> Any:
    """*text* as a number, truth or list; as it is when it is none, which the tool will tell."""
    if kind in ("integer", "boolean", "array"):
        try:
            value = parse_json(text.lower() if kind == "boolean" else text)
        except Refused:
            return [text] if kind == "array" else text
        if kind == "integer" and isinstance(value, float) and value.is_integer():
            return int(value)
        return value
    return text


def _answer(event: Event, status: HTTPStatus, state: str, body: str) -> Answer:
    """The answer in the kind of the event."""
    response: dict[str, Any] = {"actionGroup": event.get("actionGroup")}
    if "function" in event:
        function: dict[str, Any] = {"responseBody": {"TEXT": {"body": body}}}
        if state:
            function["responseState"] = state
        response |= {"function": event["function"], "functionResponse": function}
    else:
        response |= {
            "apiPath": event.get("apiPath"),
            "httpMethod": event.get("httpMethod"),
            "httpStatusCode": status.value,
            "responseBody": {"application/json": {"body": body}},
        }
    return {"messageVersion": "1.0", "response": response}
