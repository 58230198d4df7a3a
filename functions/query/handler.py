"""POST /query: the evidence of the first backend that can answer."""

from operator import attrgetter

from typo3_retrieval.bootstrap import services
from typo3_retrieval.edge.answers import answer_query
from typo3_retrieval.edge.http import AccessContext, http_handler
from typo3_retrieval.edge.models import QueryRequest, QueryResponse

built = services()  # at initialisation, so that a wrong setting stops the start


@http_handler(QueryRequest, as_text=attrgetter("text"))
def lambda_handler(request: QueryRequest, access: AccessContext) -> QueryResponse:
    return answer_query(built, request, access)
