"""HTTP: recorded events in, answers and problems out."""

import base64
import json
import logging
from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.unit.edge.fakes import NOW, WASTE, FakeBackend, event, json_values, services_of
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.edge.answers import answer_fetch, answer_query
from typo3_retrieval.edge.http import (
    MAX_BODY,
    MAX_DEPTH,
    AccessContext,
    LambdaHandler,
    http_handler,
    prefers_text,
)
from typo3_retrieval.edge.models import FetchRequest, QueryRequest


def query_handler(backend: FakeBackend | None = None) -> LambdaHandler:
    built = services_of(backend or FakeBackend())

    @http_handler(QueryRequest, as_text=attrgetter("text"), now=lambda: NOW)
    def handler(request: QueryRequest, access: AccessContext) -> BaseModel:
        return answer_query(built, request, access)

    return handler


def fetch_handler(backend: FakeBackend) -> LambdaHandler:
    built = services_of(backend)

    @http_handler(FetchRequest, now=lambda: NOW)
    def handler(request: FetchRequest, access: AccessContext) -> BaseModel:
        return answer_fetch(built, request, access)

    return handler


def problem(response: Mapping[str, Any], status: int) -> str:
    """The detail of a problem, after all that every problem has was checked."""
    assert response["statusCode"] == status
    assert response["headers"]["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = json.loads(response["body"])
    assert set(body) == {"type", "title", "status", "detail", "request_id"}
    assert (body["type"], body["status"]) == ("about:blank", status)
    assert body["request_id"].startswith("6f3c2b7e-")
    return str(body["detail"])


def authorized(context: object) -> dict[str, Any]:
    """A query whose authorizer context is this."""
    recorded = event("query")
    return recorded | {"requestContext": recorded["requestContext"] | {"authorizer": context}}


def test_a_question_is_answered() -> None:
    response = query_handler()(event("query"), None)
    assert response["statusCode"] == 200
    assert response["headers"]["Content-Type"] == "application/json"
    assert response["headers"]["Cache-Control"] == "no-store"
    body = json.loads(response["body"])
    assert list(body) == ["backend", "degraded", "sources", "notes", "attempts", "text"]
    assert body["sources"][0] == {
        "source_id": "fake:3:0",
        "title": "Waste collection",
        "url": "https://www.example.org/citizen-services/waste-collection",
        "excerpt": "Bulky waste is collected on the first Monday of each month.",
        "site": "main",
        "language_id": 0,
        "language": "en",
        "page_uid": 3,
        "score": 4.2,
        "confidence": "high",
        "last_modified": "2026-05-04T10:30:00Z",
    }
    assert body["attempts"][0]["outcome"] == "answered"
    assert body["text"].startswith('Evidence for "When is bulky waste collected?" (backend: fake')


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", "body is empty"),
        (None, "body is empty"),
        ("   ", "body is empty"),
        ("{", "Malformed JSON"),
        ('{"question": "waste"', "Malformed JSON"),
        ("question=waste", "Malformed JSON"),
        ("{'question': 'waste'}", "Malformed JSON"),
        ('{"question": "waste"} {}', "Malformed JSON"),
        ('{"question": "wa\nste"}', "Malformed JSON"),
        ('\ufeff{"question": "waste"}', "Malformed JSON"),
        ('{"question": "waste", "max_sources": NaN}', "NaN is no number"),
        ('{"question": "waste", "max_sources": -Infinity}', "-Infinity is no number"),
        ('{"question": "waste", "max_sources": ' + "9" * 5000 + "}", "number is too long"),
        ('{"question": "waste", "question": "water"}', "question: is there twice"),
        ("[" * 20_000, f"deeper than {MAX_DEPTH}"),
        ('{"a":' * 10_000, f"deeper than {MAX_DEPTH}"),
        ("[]", "must be a JSON object"),
        ('"waste"', "must be a JSON object"),
        ("null", "must be a JSON object"),
        ("7", "must be a JSON object"),
    ],
)
def test_what_is_no_json_object_is_refused(body: str | None, expected: str) -> None:
    assert expected in problem(query_handler()(event("query", body=body), None), 400)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "question: Field required."),
        ({"question": None}, "question: "),
        ({"question": 7}, "question: Input should be a valid string."),
        ({"question": ["waste"]}, "question: "),
        ({"question": "waste", "site": 1}, "site: "),
        ({"question": "waste", "max_sources": "5"}, "max_sources: Input should be a valid integer"),
        ({"question": "waste", "max_sources": 5.5}, "max_sources: "),
        ({"question": "waste", "max_sources": True}, "max_sources: "),
        ({"question": "waste", "language": ["de"]}, "Languages: 0 (en), 1 (de)."),
        ({"question": "waste", "language": {"id": 1}}, "Languages: 0 (en), 1 (de)."),
        ({"question": "waste", "language": 1.5}, "Languages: 0 (en), 1 (de)."),
        ({"question": "waste", "language": "9" * 5000}, "language: "),
        ({"question": "waste", "alternatives": "rubbish"}, "alternatives: "),
        ({"question": "waste", "alternatives": [1]}, "alternatives: "),
        ({"question": "waste", "limit": 5}, "limit: unknown field."),
        ({"question": "waste", "access": {"groups": [1]}}, "access: unknown field."),
        ({"question": "waste", "\ud800\u202e": 1}, ": unknown field."),
        ({"question": "a"}, "Question too short (minimum 2 characters)."),
        ({"question": " \t\n "}, "Question too short (minimum 2 characters)."),
        ({"question": "\x00\x00"}, "Question too short (minimum 2 characters)."),
        ({"question": "waste", "site": "other"}, "Unknown site. Sites: main."),
        ({"question": "waste", "language": "fr"}, "Unknown language. Languages: 0 (en), 1 (de)."),
        ({"question": "waste", "language": 7}, "Unknown language. Languages: 0 (en), 1 (de)."),
        ({"question": "waste", "language": -1}, "Unknown language. Languages: 0 (en), 1 (de)."),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], expected: str) -> None:
    assert expected in problem(query_handler()(event("query", fields=fields), None), 400)


def test_a_wrong_value_is_not_repeated() -> None:
    response = query_handler()(event("query", fields={"question": {"hunter2": "hunter2"}}), None)
    assert "hunter2" not in problem(response, 400)


@pytest.mark.parametrize("language", [1, "1", "de", "DE", "de-DE", "de_DE.UTF-8", "de-AT"])
def test_a_language_has_many_names(language: int | str) -> None:
    backend = FakeBackend()
    query_handler(backend)(event("query", fields={"question": "waste", "language": language}), None)
    assert backend.asked[0].language_id == 1


@pytest.mark.parametrize(("wanted", "given"), [(0, 1), (-5, 1), (21, 20), (10**30, 20), (None, 8)])
def test_a_number_of_sources_is_clamped(wanted: int | None, given: int) -> None:
    backend = FakeBackend()
    fields = {"question": "waste", "max_sources": wanted}
    query_handler(backend)(event("query", fields=fields), None)
    assert backend.asked[0].limit == given


def test_null_is_absent() -> None:
    fields = {"question": "waste", "site": None, "language": None, "alternatives": None}
    assert query_handler()(event("query", fields=fields), None)["statusCode"] == 200


def test_a_long_question_is_cut_with_a_note() -> None:
    backend = FakeBackend()
    response = query_handler(backend)(event("query", fields={"question": "ä" * 201}), None)
    assert backend.asked[0].text == "ä" * 200
    assert json.loads(response["body"])["notes"] == ["Question cut to its first 200 characters."]


@pytest.mark.parametrize("question", ["wa\x00ste", "\u202ewaste", "wa\u200bste", "w\U000e0041aste"])
def test_hidden_characters_are_dropped(question: str) -> None:
    backend = FakeBackend()
    query_handler(backend)(event("query", fields={"question": question}), None)
    assert backend.asked[0].text == "waste"


@pytest.mark.parametrize("name", ["question", "site", "language"])
def test_a_lone_surrogate_is_no_failure_of_ours(name: str) -> None:
    body = json.dumps({"question": "waste", name: "wa\ud800ste"})
    assert query_handler()(event("query", body=body), None)["statusCode"] in (200, 400)


def test_a_lone_surrogate_in_the_raw_body_is_refused() -> None:
    response = query_handler()(event("query", body='{"question": "\ud800"}'), None)
    assert "UTF-8" in problem(response, 400)


def test_a_hit_with_bad_characters_is_cleaned() -> None:
    hit = type(WASTE)(
        source_id=WASTE.source_id,
        title="Wa\ud800ste\u202e",
        url=WASTE.url,
        excerpt="\x00Bulky",
        language_id=9,
        score=float("nan"),
        last_modified=10**20,
    )
    response = query_handler(FakeBackend([hit]))(event("query"), None)
    source = json.loads(response["body"])["sources"][0]
    assert (source["title"], source["excerpt"]) == ("Waste", "Bulky")
    assert (source["score"], source["last_modified"], source["language"]) == (None, None, None)


def test_a_body_in_base64_is_read() -> None:
    body = base64.b64encode('{"question": "Wann wird Sperrmüll geholt?"}'.encode()).decode()
    backend = FakeBackend()
    query_handler(backend)(event("query", body=body, isBase64Encoded=True), None)
    assert backend.asked[0].text == "Wann wird Sperrmüll geholt?"


@pytest.mark.parametrize("body", ["%%%", "ä", base64.b64encode(b"\xff\xfe").decode()])
def test_a_body_that_is_no_text_is_refused(body: str) -> None:
    response = query_handler()(event("query", body=body, isBase64Encoded=True), None)
    assert "UTF-8" in problem(response, 400)


@pytest.mark.parametrize("encoded", [False, True])
def test_a_large_body_is_refused_before_it_is_parsed(encoded: bool) -> None:
    body = "[" * (MAX_BODY + 1)
    if encoded:
        body = base64.b64encode(body.encode()).decode()
    response = query_handler()(event("query", body=body, isBase64Encoded=encoded), None)
    assert str(MAX_BODY) in problem(response, 413)


def test_characters_of_many_bytes_count_as_bytes() -> None:
    body = json.dumps({"question": "ä" * (MAX_BODY // 2)}, ensure_ascii=False)
    problem(query_handler()(event("query", body=body), None), 413)


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        "10",
        {"sub": "10"},
        {"exp": str(NOW + 60)},
        {"sub": "", "exp": str(NOW + 60)},
        {"sub": "admin", "exp": str(NOW + 60)},
        {"sub": "10", "exp": "never"},
        {"sub": "10", "exp": str(NOW - 30)},
        {"principalId": "10", "exp": str(NOW + 60)},
    ],
)
def test_without_a_valid_authorizer_nobody_gets_in(context: object) -> None:
    backend = FakeBackend()
    response = query_handler(backend)(authorized(context), None)
    problem(response, 401)
    assert response["headers"]["WWW-Authenticate"] == "Bearer"
    assert backend.asked == []


def test_a_failing_backend_is_told_and_not_explained() -> None:
    backend = FakeBackend(error=BackendUnavailable("host db.internal refused", reason="refused"))
    body = json.loads(query_handler(backend)(event("query"), None)["body"])
    assert (body["backend"], body["degraded"], body["sources"]) == ("none", True, [])
    assert body["notes"] == [
        'Backend "fake" failed and was skipped.',
        "No search backend available.",
    ]
    assert body["attempts"][0]["reason"] == "refused"


def test_an_unexpected_error_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    @http_handler(QueryRequest, now=lambda: NOW)
    def handler(request: QueryRequest, access: AccessContext) -> BaseModel:
        raise RuntimeError(f"cannot digest {request.question}")

    assert "digest" not in problem(handler(event("query"), None), 500)
    written = capsys.readouterr().err
    assert "RuntimeError" in written
    assert "test_http.py" in written
    assert "bulky" not in written


def test_an_answer_out_of_shape_is_not_the_callers_fault() -> None:
    @http_handler(QueryRequest, now=lambda: NOW)
    def handler(request: QueryRequest, access: AccessContext) -> BaseModel:
        return QueryRequest.model_validate({})

    problem(handler(event("query"), None), 500)


def test_the_log_has_the_request_and_not_the_question(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    query_handler()(event("query"), None)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (line,) = [line for line in lines if line["message"] == "answered"]
    assert line["request_id"] == "6f3c2b7e-0000-4000-8000-000000000001"
    assert (line["route"], line["status"]) == ("/query", 200)
    assert "bulky" not in f"{lines} {caplog.text}"


@pytest.mark.parametrize(
    ("accept", "text"),
    [
        ("text/plain", True),
        ("text/plain;charset=utf-8", True),
        ("TEXT/PLAIN", True),
        ("text/*", True),
        ("text/plain, */*;q=0.1", True),
        ("application/json;q=0.5, text/plain", True),
        ("application/json, text/plain, */*", False),
        ("text/plain;q=0.5, application/json", False),
        ("text/plain;q=0", False),
        ("text/plain;q=nonsense.", True),
        ("text/html,*/*;q=0.8", False),
        ("*/*", False),
        ("", False),
        (",;q=..", False),
    ],
)
def test_text_is_for_those_who_prefer_it(accept: str, text: bool) -> None:
    assert prefers_text(accept) is text


def test_the_text_block_is_an_answer_of_its_own() -> None:
    headers = {"accept": "text/plain", "Authorization": "Bearer ***"}
    response = query_handler()(event("query", headers=headers), None)
    assert response["headers"]["Content-Type"] == "text/plain; charset=utf-8"
    assert response["body"].startswith('Evidence for "When is bulky waste collected?"')


def test_a_problem_is_json_whatever_was_asked_for() -> None:
    headers = {"accept": "text/plain"}
    problem(query_handler()(event("query", headers=headers, body="{"), None), 400)


def test_a_source_is_read_in_pages() -> None:
    handler = fetch_handler(FakeBackend(documents={"fake:3:0": "a" * 8000 + "b" * 10}))
    fields = {"source_id": "fake:3:0"}
    first = json.loads(handler(event("fetch_source", fields=fields), None)["body"])
    assert first == {
        "source_id": "fake:3:0",
        "title": "Waste collection",
        "url": "https://www.example.org/citizen-services/waste-collection",
        "backend": "fake",
        "text": "a" * 8000,
        "offset": 0,
        "next_offset": 8000,
        "total_characters": 8010,
        "last_modified": None,
    }
    fields |= {"offset": first["next_offset"]}
    second = json.loads(handler(event("fetch_source", fields=fields), None)["body"])
    assert (second["text"], second["next_offset"]) == ("b" * 10, None)
    beyond = {"source_id": "fake:3:0", "offset": 10**30}
    assert json.loads(handler(event("fetch_source", fields=beyond), None)["body"])["text"] == ""


@pytest.mark.parametrize(
    "source_id",
    ["", "fake", "Fake:1", "fake:", "fake:1:2:3:4:5", "fake:1\n", "fake:ä", "fake:" + "1" * 200],
)
def test_a_source_id_out_of_grammar_is_invalid(source_id: str) -> None:
    response = fetch_handler(FakeBackend())(
        event("fetch_source", fields={"source_id": source_id}), None
    )
    assert problem(response, 400) == "Invalid source_id."


@pytest.mark.parametrize("source_id", ["fake:4:0", "other:3:0", "database:3:0"])
def test_a_source_that_is_not_there_is_not_found(source_id: str) -> None:
    response = fetch_handler(FakeBackend())(
        event("fetch_source", fields={"source_id": source_id}), None
    )
    assert problem(response, 404) == "Source not found or not permitted."


@pytest.mark.parametrize("offset", [-1, "0", 1.5])
def test_a_wrong_offset_is_named(offset: object) -> None:
    fields = {"source_id": "fake:3:0", "offset": offset}
    response = fetch_handler(FakeBackend())(event("fetch_source", fields=fields), None)
    assert "offset: " in problem(response, 400)


def test_a_dead_backend_of_a_source_is_told() -> None:
    handler = fetch_handler(FakeBackend(error=BackendUnavailable("db.internal refused")))
    response = handler(event("fetch_source", fields={"source_id": "fake:3:0"}), None)
    assert "db.internal" not in problem(response, 503)


@given(body=st.text() | json_values.map(json.dumps))
def test_no_body_makes_a_failure(body: str) -> None:
    assert query_handler()(event("query", body=body), None)["statusCode"] in (200, 400)


@given(
    fields=st.fixed_dictionaries(
        {},
        optional={
            "question": json_values,
            "site": json_values,
            "language": json_values,
            "max_sources": json_values,
            "alternatives": json_values,
        },
    )
)
def test_no_value_makes_a_failure(fields: dict[str, Any]) -> None:
    response = query_handler()(event("query", fields=fields), None)
    assert response["statusCode"] in (200, 400)


@given(headers=st.dictionaries(st.text(), st.text()))
def test_no_header_makes_a_failure(headers: dict[str, str]) -> None:
    assert query_handler()(event("query", headers=headers), None)["statusCode"] == 200
