"""GET /keyword-search/availability: whether a keyword search would find a backend."""

from typo3_retrieval.bootstrap import services
from typo3_retrieval.edge.answers import answer_availability
from typo3_retrieval.edge.http import AccessContext, http_handler
from typo3_retrieval.edge.models import AvailabilityRequest, AvailabilityResponse

built = services()  # at initialisation, so that a wrong setting stops the start


@http_handler(AvailabilityRequest)
def lambda_handler(request: AvailabilityRequest, access: AccessContext) -> AvailabilityResponse:
    return answer_availability(built, request)
