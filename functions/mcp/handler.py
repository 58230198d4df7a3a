"""POST /mcp: the tools, for clients of the Model Context Protocol."""

from typo3_retrieval.bootstrap import services
from typo3_retrieval.edge.mcp.endpoint import mcp_handler

lambda_handler = mcp_handler(services())
