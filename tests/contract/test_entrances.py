"""HTTP and the command line, as entrances. The others' tests stand with them."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.contract.entrance_contract import EntranceContract
from tests.contract.witness import Witness
from tests.unit.edge.fakes import NOW, event
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.edge.answers import answer_fetch, answer_keyword_search, answer_query
from typo3_retrieval.edge.http import http_handler
from typo3_retrieval.edge.models import FetchRequest, KeywordRequest, QueryRequest
from typo3_retrieval_cli import requests
from typo3_retrieval_cli.options import OPERATOR
from typo3_retrieval_cli.system import System

VERIFIED = {"sub": "10", "exp": str(NOW + 60), "principalId": "10"}


class OverHttp(EntranceContract):
    """The routes of the REST API; who calls stands in the authorizer's context."""

    question: Mapping[str, Any] = {"question": "waste"}

    def handler(self, witness: Witness) -> Any:
        built = witness.services(now=NOW)
        return http_handler(QueryRequest, now=lambda: NOW)(
            lambda request, access: answer_query(built, request, access)
        )

    def ask(self, witness: Witness, caller: Any, claims: Mapping[str, Any]) -> object:
        recorded = event("query", fields={**self.question, **claims})
        request_context = recorded["requestContext"] | {"authorizer": caller}
        # A caller chooses headers and query string, too.
        said = {name: json.dumps(value) for name, value in claims.items()}
        return self.handler(witness)(
            recorded
            | {"requestContext": request_context, "queryStringParameters": said}
            | {"headers": recorded["headers"] | {f"x-{name}": text for name, text in said.items()}},
            None,
        )

    def verified(self) -> Any:
        return VERIFIED

    def others(self) -> Mapping[str, Any]:
        return {
            "no authorizer": None,
            "an empty context": {},
            "no user": VERIFIED | {"sub": ""},
            "a user who is none": VERIFIED | {"sub": "0"},
            "the command line's user": VERIFIED | {"sub": OPERATOR},
            "no expiry": VERIFIED | {"exp": ""},
            "expired": VERIFIED | {"exp": str(NOW - 30)},
        }


class TestQuery(OverHttp):
    """POST /query."""


class TestKeywordSearch(OverHttp):
    """POST /keyword-search, which ignores fields that it does not know."""

    question: Mapping[str, Any] = {"query": "waste"}

    def handler(self, witness: Witness) -> Any:
        built = witness.services(now=NOW)
        return http_handler(KeywordRequest, now=lambda: NOW)(
            lambda request, access: answer_keyword_search(built, request, access)
        )


class TestFetchSource(OverHttp):
    """POST /fetch-source."""

    question: Mapping[str, Any] = {"source_id": "witness:1"}

    def handler(self, witness: Witness) -> Any:
        built = witness.services(now=NOW)
        return http_handler(FetchRequest, now=lambda: NOW)(
            lambda request, access: answer_fetch(built, request, access)
        )


class TestCommandLine(EntranceContract):
    """`ask`: whoever may run it says for whom, and is the operator when he says nothing."""

    def ask(self, witness: Witness, caller: Any, claims: Mapping[str, Any]) -> object:
        system = System(environment={}, build=lambda _: witness.services(now=NOW))
        return requests.query(system, {"question": "waste", **claims}, requests.access(caller))

    def verified(self) -> Any:
        return "10"

    def others(self) -> Mapping[str, Any]:
        return {"nobody": "", "none": None}


@pytest.mark.parametrize("access", [None, "10", BackendUser("10"), object()])
def test_the_cascade_itself_demands_the_right_to_read(access: Any) -> None:
    witness = Witness()
    cascade = Cascade([witness])
    with pytest.raises(TypeError):
        cascade.search(RetrievalQuery.of("waste"), access)
    with pytest.raises(TypeError):
        cascade.fetch(SourceId.of("witness", 1), access)
    assert witness.seen == []


@pytest.mark.parametrize("user", [None, "10", 10, ""])
def test_the_right_to_read_is_a_users(user: Any) -> None:
    with pytest.raises(TypeError):
        AccessContext.public_only(user)
