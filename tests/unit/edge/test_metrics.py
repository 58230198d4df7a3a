"""What is told of every request: to the log and to CloudWatch, never the question."""

import json
from typing import Any

import pytest

from tests.unit.edge.fakes import FakeBackend, event, services_of
from typo3_retrieval.core.deadline import seconds_left
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.edge.answers import answer_keyword_search, answer_query
from typo3_retrieval.edge.http import LambdaHandler, http_handler
from typo3_retrieval.edge.models import HealthResponse, KeywordRequest, QueryRequest

DOWN = BackendUnavailable("10.0.0.7 refused", reason="refused")
NOW = 1796031600.0


def query_handler(*backends: FakeBackend) -> LambdaHandler:
    services = services_of(*backends)
    return http_handler(QueryRequest, now=lambda: NOW)(
        lambda request, access: answer_query(services, request, access)
    )


def told(capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The log's line on the answer, and the metrics."""
    captured = capsys.readouterr()
    lines = [json.loads(line) for line in captured.err.splitlines() if line.startswith("{")]
    (answered,) = [line for line in lines if line["message"] == "answered"]
    metrics = [json.loads(line) for line in captured.out.splitlines()]
    return answered, [{name: _only(value) for name, value in each.items()} for each in metrics]


def _only(value: Any) -> Any:
    """The format has a list for each value, in case there are more."""
    return value[0] if isinstance(value, list) else value


def test_the_log_tells_who_answered(capsys: pytest.CaptureFixture[str]) -> None:
    failing = FakeBackend(name="solr", error=DOWN)
    response = query_handler(failing, FakeBackend(name="database"))(event("query"), None)
    answered, metrics = told(capsys)
    assert answered["request_id"] == response["headers"]["X-Request-Id"]
    assert answered["backend"] == "database"
    assert (answered["degraded"], answered["empty"], answered["hits"]) == (False, False, 1)
    assert (answered["language"], answered["confidence"]) == (0, "high")
    assert [each["reason"] for each in answered["attempts"]] == ["refused", ""]
    assert answered["status"] == 200
    request, solr, database = metrics
    assert request["Fallback"] == request["Requests"] == request["Confident"] == 1
    assert request["Degraded"] == request["Empty"] == request["Failures"] == 0
    assert request["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "typo3-retrieval"
    assert request["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]
    assert (solr["backend"], solr["AttemptFailed"]) == ("solr", 1)
    assert (database["backend"], database["AttemptFailed"]) == ("database", 0)


def test_broken_and_empty_are_two_things(capsys: pytest.CaptureFixture[str]) -> None:
    query_handler(FakeBackend(sources=()))(event("query"), None)
    answered, metrics = told(capsys)
    assert (answered["empty"], answered["degraded"]) == (True, False)
    assert (metrics[0]["Empty"], metrics[0]["Degraded"]) == (1, 0)

    query_handler(FakeBackend(error=DOWN))(event("query"), None)
    answered, metrics = told(capsys)
    assert (answered["empty"], answered["degraded"]) == (False, True)
    assert (metrics[0]["Empty"], metrics[0]["Degraded"], metrics[0]["Fallback"]) == (0, 1, 0)


def test_a_problem_carries_the_same_id(capsys: pytest.CaptureFixture[str]) -> None:
    response = query_handler(FakeBackend())(event("query", body="{"), None)
    answered, metrics = told(capsys)
    body = json.loads(response["body"])
    assert body["request_id"] == response["headers"]["X-Request-Id"] == answered["request_id"]
    assert answered["status"] == 400
    assert "Degraded" not in metrics[0]


def test_no_question_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    body = json.dumps({"question": "Wo ist der Hundekotbeutel?"})
    query_handler(FakeBackend())(event("query", body=body), None)
    captured = capsys.readouterr()
    assert "Hundekot" not in captured.out + captured.err


def test_keywords_are_measured_too(capsys: pytest.CaptureFixture[str]) -> None:
    services = services_of(FakeBackend())
    handler = http_handler(KeywordRequest, now=lambda: NOW)(
        lambda request, access: answer_keyword_search(services, request, access)
    )
    handler(event("keyword_search"), None)
    assert told(capsys)[0]["backend"] == "fake"


def test_nothing_of_one_request_is_in_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    handler = query_handler(FakeBackend())
    handler(event("query"), None)
    told(capsys)
    handler(event("query", body="{"), None)
    answered, _ = told(capsys)
    assert "backend" not in answered


class Context:
    """Lambda's, with half a second and a bit left."""

    def get_remaining_time_in_millis(self) -> int:
        return 700


def test_what_lambda_leaves_bounds_a_request() -> None:
    left: list[float] = []

    def answer(request: QueryRequest, access: object) -> HealthResponse:
        left.append(seconds_left())
        return HealthResponse(version="1")

    http_handler(QueryRequest, now=lambda: NOW)(answer)(event("query"), Context())
    assert 0 < left[0] <= 0.2


def test_a_header_takes_no_id_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    odd = event("query")
    odd["requestContext"]["requestId"] = "x\r\nSet-Cookie: a=b"
    assert "X-Request-Id" not in query_handler(FakeBackend())(odd, None)["headers"]
