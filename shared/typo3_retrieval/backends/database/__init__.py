"""Backend `database`: searches TYPO3's own tables when a site has no index."""

from typo3_retrieval.backends.database.backend import DatabaseBackend
from typo3_retrieval.plugin import Registration

BACKEND = Registration("database", priority=0, build=DatabaseBackend.from_resources)
