"""Backend `indexed_search`: searches the tables that TYPO3's own indexer fills."""

from typo3_retrieval.backends.indexed_search.backend import IndexedSearchBackend
from typo3_retrieval.plugin import Registration

BACKEND = Registration("indexed_search", priority=10, build=IndexedSearchBackend.from_resources)
