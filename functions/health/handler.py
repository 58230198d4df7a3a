"""GET /health: the service runs; nothing behind it is asked."""

from typo3_retrieval.edge.health import answer_health
from typo3_retrieval.edge.http import AccessContext, http_handler
from typo3_retrieval.edge.models import HealthRequest, HealthResponse


@http_handler(HealthRequest)
def lambda_handler(request: HealthRequest, access: AccessContext) -> HealthResponse:
    return answer_health()
