"""Whether the service runs, told without touching anything behind it."""

from typo3_retrieval import __version__
from typo3_retrieval.edge.models import HealthResponse


def answer_health() -> HealthResponse:
    """Tell that the service runs, and in which version."""
    return HealthResponse(version=__version__)
