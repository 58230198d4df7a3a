"""The description of the API in OpenAPI 3.0.3, for API Gateway, generators and agent platforms.

documents  the two documents: of all routes, and of the tools for Amazon Bedrock
dialect    the wire models' schemas in the dialect of 3.0.3
examples   a request and an answer of each route

No function but the one that serves the document imports this.
"""

from typo3_retrieval.edge.openapi.documents import bedrock_document as bedrock_document
from typo3_retrieval.edge.openapi.documents import document as document
from typo3_retrieval.edge.openapi.documents import server_of as server_of
