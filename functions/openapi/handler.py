"""GET /openapi.json: the description of the API."""

from typo3_retrieval.edge.http import AccessContext, Event, Response, event_handler
from typo3_retrieval.edge.openapi import document_response

built = document_response()  # at initialisation: it is the same for everybody


@event_handler
def lambda_handler(event: Event, access: AccessContext) -> Response:
    return built
