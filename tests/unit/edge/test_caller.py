"""Who calls, as the authorizer's context tells it to the handlers."""

from typing import Any

import pytest

from tests.unit.edge.fakes import NOW, event
from typo3_retrieval.core.access import BackendUser
from typo3_retrieval.edge.caller import NotAuthenticated, caller_of


def called(context: object, **headers: list[str]) -> dict[str, Any]:
    recorded = event("query")
    return recorded | {
        "requestContext": recorded["requestContext"] | {"authorizer": context},
        "multiValueHeaders": headers,
    }


GOOD = {"sub": "10", "exp": str(NOW + 60), "principalId": "10"}


def test_the_caller_is_whom_the_authorizer_names() -> None:
    assert caller_of(called(GOOD, Authorization=["Bearer a"]), now=NOW) == BackendUser("10")


@pytest.mark.parametrize("seconds", [-29, 1])
def test_clocks_may_differ_a_little(seconds: int) -> None:
    assert caller_of(called(GOOD | {"exp": str(NOW + seconds)}), now=NOW) == BackendUser("10")


@pytest.mark.parametrize(
    "context",
    [
        None,
        [],
        {},
        GOOD | {"sub": ""},
        GOOD | {"sub": "0"},
        GOOD | {"sub": "_cli_"},
        GOOD | {"sub": "10\n"},
        GOOD | {"sub": "\u0661\u0660"},
        GOOD | {"sub": None},
        GOOD | {"exp": ""},
        GOOD | {"exp": "9" * 5000},
        GOOD | {"exp": str(NOW - 30)},
        GOOD | {"exp": f"{NOW + 60}.5"},
        GOOD | {"exp": "-1"},
        {"principalId": "10", "claims": {"sub": "10"}},
    ],
)
def test_any_other_context_is_nobodys(context: object) -> None:
    with pytest.raises(NotAuthenticated):
        caller_of(called(context), now=NOW)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ["Bearer a", "Bearer b"]},
        {"Authorization": ["Bearer a", "Bearer a"]},
        {"Authorization": ["Bearer a"], "authorization": ["Bearer b"]},
    ],
)
def test_two_tokens_in_one_request_are_refused(headers: dict[str, list[str]]) -> None:
    with pytest.raises(NotAuthenticated, match="more than one"):
        caller_of(called(GOOD, **headers), now=NOW)


@pytest.mark.parametrize("headers", [None, {}, {"Authorization": None}])
def test_a_request_without_the_header_is_the_authorizers_matter(headers: object) -> None:
    request = called(GOOD) | {"multiValueHeaders": headers}
    assert caller_of(request, now=NOW) == BackendUser("10")
