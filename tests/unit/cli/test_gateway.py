"""The local gateway answers as API Gateway does."""

import json
from typing import Any

import pytest

from typo3_retrieval_cli.server.authorizer import Refused, TokenCheck
from typo3_retrieval_cli.server.functions import Functions
from typo3_retrieval_cli.server.gateway import MAX_BODY, Gateway, Request, Response
from typo3_retrieval_cli.server.template import Template

GOOD = ("Authorization", "Bearer good")


def call(
    gateway: Gateway,
    target: str = "/echo",
    *,
    method: str = "POST",
    token: str | None = "good",  # noqa: S107  # means something to our test authorizer only
    body: bytes = b"",
) -> Response:
    headers = () if token is None else (("Authorization", f"Bearer {token}"),)
    return gateway.answer(Request(method=method, target=target, headers=headers, body=body))


def event_of(response: Response) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(response.body)["event"]
    return event


def test_a_request_reaches_its_handler_with_the_authorizers_context_as_strings(
    gateway: Gateway,
) -> None:
    response = call(gateway, body=b'{"a": 1}')

    event = event_of(response)
    assert response.status == 200
    assert event["body"] == '{"a": 1}'
    assert event["requestContext"]["authorizer"] == {
        "sub": "10",
        "exp": "12",
        "calls": "1",
        "admin": "true",
        "principalId": "user",
    }
    assert event["requestContext"]["requestId"] == dict(response.headers)["x-amzn-requestid"]


def test_query_and_headers_come_single_and_multiple(gateway: Gateway) -> None:
    request = Request(
        method="GET", target="/echo?a=1&a=%C3%A4&b=", headers=(GOOD, ("X-A", "1"), ("X-A", "2"))
    )

    event = event_of(gateway.answer(request))

    assert event["queryStringParameters"] == {"a": "ä", "b": ""}
    assert event["multiValueQueryStringParameters"] == {"a": ["1", "ä"], "b": [""]}
    assert event["headers"]["X-A"] == "2"
    assert event["multiValueHeaders"]["X-A"] == ["1", "2"]


def test_nothing_is_null_as_in_the_real_event(gateway: Gateway) -> None:
    event = event_of(call(gateway, method="GET"))

    assert event["body"] is None
    assert event["queryStringParameters"] is None


def test_a_body_that_is_no_utf8_comes_in_base64(gateway: Gateway) -> None:
    event = event_of(call(gateway, body=b"\xff\xfe"))

    assert (event["body"], event["isBase64Encoded"]) == ("//4=", True)


def test_repeated_headers_of_a_handler_are_sent_each(gateway: Gateway) -> None:
    headers = call(gateway).headers

    assert [value for name, value in headers if name == "x-two"] == ["a", "b"]


@pytest.mark.parametrize(
    ("target", "method"), [("/nowhere", "GET"), ("/echo/", "POST"), ("/echo", "DELETE")]
)
def test_an_unknown_route_is_403_missing_authentication_token(
    gateway: Gateway, target: str, method: str
) -> None:
    response = call(gateway, target, method=method)

    problem = json.loads(response.body)
    assert response.status == problem["status"] == 403
    assert problem["title"] == "Missing Authentication Token"
    assert dict(response.headers)["content-type"] == "application/problem+json"
    assert problem["request_id"]


@pytest.mark.parametrize(
    ("token", "status"),
    [
        (None, 401),
        ("UPPER", 401),  # not what the validation expression wants
        ("unknown", 401),  # the authorizer raised "Unauthorized"
        ("denied", 403),
        ("broken", 503),  # 500 in AWS, the template says 503
        ("shapeless", 500),
    ],
)
def test_the_authorizers_word_counts(gateway: Gateway, token: str | None, status: int) -> None:
    assert call(gateway, token=token).status == status


def test_an_open_route_asks_nobody(gateway: Gateway) -> None:
    response = call(gateway, "/open", method="GET", token=None)

    assert event_of(response)["requestContext"]["authorizer"] == {}


def test_the_templates_words_are_used_with_the_request_id(gateway: Gateway) -> None:
    response = call(gateway, token="denied")

    headers = dict(response.headers)
    assert json.loads(response.body) == {
        "title": "No entry",
        "request_id": headers["x-amzn-requestid"],
    }
    assert headers["content-type"] == "application/problem+json"


def test_a_template_may_quote_the_gateways_message(gateway: Gateway) -> None:
    assert json.loads(call(gateway, token="broken").body) == {"title": "Internal server error"}


def test_an_answer_of_the_authorizer_is_cached_for_its_time(template: Template) -> None:
    now = 1000.0
    assert template.authorizer is not None
    check = TokenCheck(template.authorizer, Functions(), clock=lambda: now)
    arn = "arn:aws:execute-api:local:0:local/local/POST/echo"

    calls = [check.context("Bearer good", arn)["calls"] for _ in range(2)]
    now += 60
    calls.append(check.context("Bearer good", arn)["calls"])

    assert calls == ["1", "1", "2"]


def test_a_cached_policy_for_one_route_refuses_the_others(gateway: Gateway) -> None:
    assert call(gateway, token="narrow").status == 200
    assert call(gateway, "/other", token="narrow").status == 403


def test_a_policy_that_is_silent_refuses(template: Template) -> None:
    assert template.authorizer is not None
    check = TokenCheck(template.authorizer, Functions())
    check.context("Bearer narrow", "arn:x/local/GET/a")

    with pytest.raises(Refused, match="ACCESS_DENIED"):
        check.context("Bearer narrow", "arn:x/local/GET/ab")


def test_neighbours_of_the_same_name_are_not_mixed_up(gateway: Gateway) -> None:
    assert json.loads(call(gateway).body)["neighbour"] == "echo"
    assert call(gateway, "/other").body == b"other"


@pytest.mark.parametrize("bug", [b"raise", b"shape"])
def test_a_failing_handler_is_502_and_tells_nothing(gateway: Gateway, bug: bytes) -> None:
    response = call(gateway, "/other", body=bug)

    assert response.status == 502
    assert b"a bug" not in response.body


def test_a_handler_over_its_time_is_504(gateway: Gateway) -> None:
    assert call(gateway, "/other", body=b"sleep").status == 504


def test_the_handler_knows_how_much_time_is_left(gateway: Gateway) -> None:
    assert 0 < json.loads(call(gateway).body)["left"] <= 5000


def test_a_body_over_the_limit_is_413(gateway: Gateway) -> None:
    assert call(gateway, body=b"a" * (MAX_BODY + 1)).status == 413
