"""Backend `ke_search`: searches the table that the extension ke_search fills."""

from typo3_retrieval.backends.ke_search.backend import KeSearchBackend
from typo3_retrieval.plugin import Registration

BACKEND = Registration("ke_search", priority=20, build=KeSearchBackend.from_resources)
