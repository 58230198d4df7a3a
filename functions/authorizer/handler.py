"""The TOKEN authorizer of every route."""

from typo3_retrieval.bootstrap import authorizer
from typo3_retrieval.edge.authorizer import authorizer_handler

lambda_handler = authorizer_handler(authorizer())
