"""The tools, as an action group of an Amazon Bedrock agent."""

from typo3_retrieval.bootstrap import authorizer, services
from typo3_retrieval.edge.bedrock import bedrock_handler

lambda_handler = bedrock_handler(services(), authorizer())
