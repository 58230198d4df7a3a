"""Backend `solr`: asks the cores that EXT:solr fills."""

from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.plugin import Registration

BACKEND = Registration("solr", priority=30, build=SolrBackend.from_resources)
