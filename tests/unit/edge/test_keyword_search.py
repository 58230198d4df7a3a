"""Keyword search over HTTP: 200 for every well-formed JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.edge.fakes import NOW, FakeBackend, event, json_values, services_of
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.edge.answers import answer_availability, answer_keyword_search
from typo3_retrieval.edge.http import AccessContext, http_handler
from typo3_retrieval.edge.models import (
    AvailabilityRequest,
    AvailabilityResponse,
    KeywordRequest,
    KeywordResponse,
)
from typo3_retrieval.edge.services import Services


def searched(built: Services, body: str) -> dict[str, Any]:
    @http_handler(KeywordRequest, now=lambda: NOW)
    def handler(request: KeywordRequest, access: AccessContext) -> KeywordResponse:
        return answer_keyword_search(built, request, access)

    response = handler(event("keyword_search", body=body), None)
    assert response["statusCode"] == 200, response["body"]
    answer: dict[str, Any] = json.loads(response["body"])
    return answer


def available(built: Services, query: dict[str, str] | None) -> tuple[int, Any]:
    @http_handler(AvailabilityRequest, now=lambda: NOW)
    def handler(request: AvailabilityRequest, access: AccessContext) -> AvailabilityResponse:
        return answer_availability(built, request)

    response = handler(event("availability", queryStringParameters=query), None)
    return response["statusCode"], json.loads(response["body"])


def test_keywords_find_hits() -> None:
    answer = searched(services_of(FakeBackend()), '{"query": "bulky waste"}')
    assert answer["available"] is True
    assert answer["degraded"] is False
    assert answer["hits"] == [
        {
            "source_id": "fake:3:0",
            "title": "Waste collection",
            "url": "https://www.example.org/citizen-services/waste-collection",
            "excerpt": "Bulky waste is collected on the first Monday of each month.",
            "language_id": 0,
            "score": 4.2,
            "page_uid": 3,
        }
    ]


@pytest.mark.parametrize(
    ("limit", "used"),
    [
        ("0", 1),
        ("-3", 1),
        ("100", 20),
        ("1e3", 20),
        ('"5"', 5),
        ("1e400", 8),
        ('"many"', 8),
        ("null", 8),
        ("[]", 8),
        ("2.5", 8),
    ],
)
def test_a_limit_is_clamped_or_replaced(limit: str, used: int) -> None:
    backend = FakeBackend()
    searched(services_of(backend), f'{{"query": "waste", "limit": {limit}}}')
    assert backend.asked[0].limit == used


@pytest.mark.parametrize(
    "body",
    [
        "{}",
        "[]",
        "7",
        "null",
        '"waste"',
        '{"query": ""}',
        '{"query": "a"}',
        '{"query": null}',
        '{"query": ["waste"]}',
        '{"query": "\\ud800"}',
        '{"query": "\\u0000"}',
        '{"query": "waste", "language_id": 99}',
    ],
)
def test_what_cannot_be_searched_finds_nothing(body: str) -> None:
    backend = FakeBackend()
    answer = searched(services_of(backend), body)
    assert answer == {"hits": [], "available": True, "degraded": False}
    assert backend.asked == []


@pytest.mark.parametrize(
    ("language", "used"), [("1", 1), ('"1"', 1), ("-1", 0), ("null", 0), ('"de"', 0), ("{}", 0)]
)
def test_a_language_is_clamped_or_ignored(language: str, used: int) -> None:
    backend = FakeBackend()
    searched(services_of(backend), f'{{"query": "waste", "language_id": {language}}}')
    assert backend.asked[0].language_id == used


def test_unknown_fields_are_ignored() -> None:
    body = '{"query": "waste", "nonsense": 1, "\\ud800": 2, "index_backed": "perhaps"}'
    assert len(searched(services_of(FakeBackend()), body)["hits"]) == 1


def test_a_failing_backend_degrades() -> None:
    backend = FakeBackend(error=BackendUnavailable("refused"))
    answer = searched(services_of(backend), '{"query": "waste"}')
    assert answer == {"hits": [], "available": False, "degraded": True}


def test_only_an_index_answers_when_an_index_is_wanted() -> None:
    built = services_of(FakeBackend(), priority=0)
    assert searched(built, '{"query": "waste"}')["hits"]
    answer = searched(built, '{"query": "waste", "index_backed": true}')
    assert answer == {"hits": [], "available": False, "degraded": True}


def test_availability_is_told_for_each_kind() -> None:
    built = services_of(FakeBackend(), priority=0)
    assert available(built, None) == (200, {"available": True})
    assert available(built, {"index_backed": "false"}) == (200, {"available": True})
    assert available(built, {"index_backed": "true"}) == (200, {"available": False})


@pytest.mark.parametrize("query", [{"index_backed": "perhaps"}, {"indexbacked": "true"}])
def test_a_wrong_parameter_of_availability_is_named(query: dict[str, str]) -> None:
    status, body = available(services_of(FakeBackend()), query)
    assert status == 400
    assert next(iter(query)) in body["detail"]


@given(
    fields=st.dictionaries(
        st.sampled_from(["query", "limit", "language_id", "index_backed"]) | st.text(), json_values
    )
)
def test_every_json_is_answered(fields: dict[str, Any]) -> None:
    searched(services_of(FakeBackend()), json.dumps(fields))
