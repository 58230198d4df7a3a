"""POST /fetch-source: one source's text, a page at a time."""

from typo3_retrieval.bootstrap import services
from typo3_retrieval.edge.answers import answer_fetch
from typo3_retrieval.edge.http import AccessContext, http_handler
from typo3_retrieval.edge.models import FetchRequest, FetchResponse

built = services()  # at initialisation, so that a wrong setting stops the start


@http_handler(FetchRequest)
def lambda_handler(request: FetchRequest, access: AccessContext) -> FetchResponse:
    return answer_fetch(built, request, access)
