"""GET /openapi.json: the description of the API."""

import json
from http import HTTPStatus

from typo3_retrieval.edge.http import AccessContext, Event, Response, event_handler, response_of
from typo3_retrieval.edge.openapi import document, server_of

built = document()  # at initialisation: but for the address it is the same for everybody


@event_handler
def lambda_handler(event: Event, access: AccessContext) -> Response:
    server = server_of(event)
    described = built | ({"servers": [{"url": server}]} if server else {})
    return response_of(HTTPStatus.OK, "application/json", json.dumps(described))
