"""Asks an Amazon Bedrock agent that has the action group; the token goes into the session.

pip install boto3
"""

import os
import sys
import uuid
from typing import Any

import boto3


def answer(client: Any, question: str, *, agent: str, alias: str, token: str) -> str:
    """Ask the agent on behalf of the backend user whose token this is.

    Args:
        client: boto3's for `bedrock-agent-runtime`.
        question: for the agent.
        agent: id of the agent.
        alias: id of one of its aliases.
        token: of the backend user; in the session's attributes no model sees it. Never put it
            into promptSessionAttributes, which become part of the prompt.
    """
    response = client.invoke_agent(
        agentId=agent,
        agentAliasId=alias,
        sessionId=str(uuid.uuid4()),
        inputText=question,
        sessionState={"sessionAttributes": {"authorization": f"Bearer {token}"}},
    )
    chunks = (event["chunk"]["bytes"] for event in response["completion"] if "chunk" in event)
    return b"".join(chunks).decode()


if __name__ == "__main__":
    print(
        answer(
            boto3.client("bedrock-agent-runtime"),
            " ".join(sys.argv[1:]) or "When is bulky waste collected?",
            agent=os.environ["BEDROCK_AGENT_ID"],
            alias=os.environ["BEDROCK_AGENT_ALIAS_ID"],
            token=os.environ["RETRIEVAL_TOKEN"],
        )
    )
