"""The schedule's probe: each backend by itself, for the alarms."""

from typo3_retrieval.bootstrap import services
from typo3_retrieval.edge.probe import probe_handler

lambda_handler = probe_handler(services())
