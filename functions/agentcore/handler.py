"""The tools, as a target of an Amazon Bedrock AgentCore gateway."""

from typo3_retrieval.bootstrap import services, users
from typo3_retrieval.edge.agentcore import agentcore_handler

lambda_handler = agentcore_handler(services(), users())
