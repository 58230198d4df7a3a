"""POST /keyword-search: hits for callers that must never fail."""

from typo3_retrieval.bootstrap import services
from typo3_retrieval.edge.answers import answer_keyword_search
from typo3_retrieval.edge.http import AccessContext, http_handler
from typo3_retrieval.edge.models import KeywordRequest, KeywordResponse

built = services()  # at initialisation, so that a wrong setting stops the start


@http_handler(KeywordRequest)
def lambda_handler(request: KeywordRequest, access: AccessContext) -> KeywordResponse:
    return answer_keyword_search(built, request, access)
