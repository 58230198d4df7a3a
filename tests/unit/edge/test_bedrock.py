"""An action group's recorded events through the real handler, and every refusal."""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.unit.edge.fakes import event
from tests.unit.edge.real_functions import Handler, demo_site, load, minted
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.core.evidence import Outcome
from typo3_retrieval.edge.bedrock import bedrock_handler
from typo3_retrieval.edge.bedrock_body import MAX_BYTES, bedrock_body
from typo3_retrieval.edge.http import Refused
from typo3_retrieval.edge.identity import access_by_session
from typo3_retrieval.edge.models import (
    BackendAttempt,
    FetchResponse,
    KeywordResponse,
    KeywordSource,
    QueryResponse,
    Source,
)
from typo3_retrieval_cli.demo import site

STYLES = ["bedrock_action", "bedrock_function"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with (
        pytest.MonkeyPatch.context() as patch,
        demo_site(tmp_path_factory.mktemp("demo"), patch) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def handler(environment: dict[str, str]) -> Handler:
    return load("bedrock_action")


def sent(
    handler: Handler, name: str, attributes: Mapping[str, Any], **changes: Any
) -> tuple[int | str, Any]:
    """Status or state of the answer to the recorded event *name*, and its body."""
    recorded = event(name, sessionAttributes=dict(attributes), **changes)
    answer = handler(recorded, None)
    assert answer["messageVersion"] == "1.0"
    response = answer["response"]
    assert response["actionGroup"] == recorded["actionGroup"]
    if name == "bedrock_function":
        assert response["function"] == recorded["function"]
        function = response["functionResponse"]
        body = function["responseBody"]["TEXT"]["body"]
        status = function.get("responseState", "")
    else:
        assert response["apiPath"] == recorded["apiPath"]
        assert response["httpMethod"] == recorded["httpMethod"]
        body = response["responseBody"]["application/json"]["body"]
        status = response["httpStatusCode"]
    assert isinstance(body, str)
    return status, json.loads(body)


def parameters(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "type": "string", "value": value} for name, value in pairs]


@pytest.fixture
def session(environment: dict[str, str]) -> dict[str, str]:
    return {"authorization": f"Bearer {minted(environment)}"}


# --- both kinds of events --------------------------------------------------------------------


def test_a_path_is_answered(handler: Handler, session: dict[str, str]) -> None:
    status, body = sent(handler, "bedrock_action", session)

    assert status == 200
    assert body["backend"] == "database"
    assert {source["language_id"] for source in body["sources"]} == {1}  # "1" was asked for


def test_a_function_is_answered(handler: Handler, session: dict[str, str]) -> None:
    state, body = sent(handler, "bedrock_function", session)

    assert state == ""
    assert 0 < len(body["hits"]) <= 3
    assert body["available"] is True


@pytest.mark.parametrize("name", ["authorization", "Authorization", "token"])
def test_the_token_may_stand_alone(
    handler: Handler, environment: dict[str, str], name: str
) -> None:
    assert sent(handler, "bedrock_action", {name: minted(environment)})[0] == 200


def test_a_source_is_read_to_its_end(handler: Handler, session: dict[str, str]) -> None:
    status, body = sent(
        handler,
        "bedrock_function",
        session,
        function="site_fetch_source",
        parameters=parameters(("source_id", "database:3:0"), ("offset", "0")),
    )

    assert (status, body["next_offset"]) == ("", None)


def test_parameters_of_a_path_count_like_those_of_a_body(
    handler: Handler, session: dict[str, str]
) -> None:
    status, body = sent(
        handler,
        "bedrock_action",
        session,
        requestBody={},
        parameters=parameters(("question", "bulky waste"), ("max_sources", "1"), ("site", "")),
    )

    assert status == 200
    assert len(body["sources"]) == 1


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("5", 200),
        ("5.0", 200),
        (" 5 ", 200),
        ("five", 400),
        ("[5]", 400),
        ("[" * 9999, 400),
        ("NaN", 400),
        ("9" * 9999, 400),
    ],
)
def test_a_number_is_read_from_its_text(
    handler: Handler, session: dict[str, str], text: str, status: int
) -> None:
    found, body = sent(
        handler,
        "bedrock_action",
        session,
        parameters=parameters(("max_sources", text)),
        requestBody={
            "content": {"application/json": {"properties": parameters(("question", "waste"))}}
        },
    )

    assert found == status
    assert status == 200 or "max_sources" in body["error"]


def test_a_list_is_read_if_one_comes(handler: Handler, session: dict[str, str]) -> None:
    given = parameters(("question", "waste"), ("alternatives", '["rubbish"]'))
    assert sent(handler, "bedrock_action", session, parameters=given, requestBody=None)[0] == 200
    given = parameters(("question", "waste"), ("alternatives", "rubbish"))
    assert sent(handler, "bedrock_action", session, parameters=given, requestBody=None)[0] == 200


# --- what a model may mend, and what not -----------------------------------------------------


@pytest.mark.parametrize(
    ("function", "given", "named"),
    [
        ("site_rag_query", [], "question: missing"),
        ("site_rag_query", [("question", "a")], "Question too short"),
        ("site_rag_query", [("question", "waste"), ("language", "xx")], "0 (en), 1 (de)"),
        ("site_rag_query", [("question", "waste"), ("site", "x")], "lindenau"),
        ("site_fetch_source", [("source_id", "database:42:0")], "not found or not permitted"),
        ("site_nothing", [], "site_rag_query"),
    ],
)
def test_a_models_fault_asks_it_again(
    handler: Handler,
    session: dict[str, str],
    function: str,
    given: list[tuple[str, str]],
    named: str,
) -> None:
    state, body = sent(
        handler,
        "bedrock_function",
        session,
        function=function,
        parameters=parameters(*given),
    )

    assert state == "REPROMPT"
    assert named in body["error"]


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [("/nothing", "POST", 400), ("/query", "GET", 400), (None, None, 400)],
)
def test_an_unknown_path_is_400(
    handler: Handler, session: dict[str, str], path: str | None, method: str | None, status: int
) -> None:
    found, body = sent(handler, "bedrock_action", session, apiPath=path, httpMethod=method)

    assert found == status
    assert "site_rag_query" in body["error"]


# --- who acts --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize(
    "attributes",
    [
        None,
        {},
        [],
        {"authorization": ""},
        {"authorization": "Bearer "},
        {"authorization": "Bearer a.b.c"},
        {"authorization": None},
        {"authorization": {"token": "x"}},
        {"sub": "10", "user": "10"},
    ],
)
def test_without_a_valid_token_there_is_no_answer(
    handler: Handler, name: str, attributes: Any
) -> None:
    recorded = event(name, sessionAttributes=attributes)
    response = handler(recorded, None)["response"]

    assert "A valid token is needed." in json.dumps(response)
    assert response.get("httpStatusCode", 401) == 401
    assert response.get("functionResponse", {}).get("responseState", "FAILURE") == "FAILURE"


@pytest.mark.parametrize("name", STYLES)
def test_a_forged_or_expired_token_gives_no_answer(
    handler: Handler, environment: dict[str, str], tmp_path: Path, name: str
) -> None:
    stranger = minted(site.create(tmp_path))
    expired = minted(environment, age=3600, ttl=60)
    valid = minted(environment)
    for token in (stranger, expired, valid[:-2], f"{valid}x", f"Bearer Bearer {valid}"):
        status, body = sent(handler, name, {"authorization": token})
        assert (status, body) == (
            401 if name == "bedrock_action" else "FAILURE",
            {"error": "A valid token is needed."},
        )


def test_two_tokens_are_none(handler: Handler, environment: dict[str, str]) -> None:
    both = {"authorization": minted(environment), "token": minted(environment)}

    assert sent(handler, "bedrock_action", both)[0] == 401


@pytest.mark.parametrize("user", [site.DISABLED_EDITOR, site.FORMER_EDITOR, 9999])
def test_a_user_who_is_not_active_gets_no_answer(
    handler: Handler, environment: dict[str, str], user: int
) -> None:
    status, body = sent(handler, "bedrock_action", {"token": minted(environment, user)})

    assert (status, body["error"]) == (403, "The token names no active backend user.")


@pytest.mark.parametrize("name", ["authorization", "token", "user", "sub"])
def test_an_identity_that_the_model_gives_is_none(
    handler: Handler, environment: dict[str, str], name: str
) -> None:
    given = parameters(("query", "waste"), (name, minted(environment)))
    state, body = sent(handler, "bedrock_function", {}, parameters=given)
    assert (state, body["error"]) == ("FAILURE", "A valid token is needed.")

    session = {"token": minted(environment)}
    state, body = sent(handler, "bedrock_function", session, parameters=given)
    assert (state, f"{name}: unknown argument." in body["error"]) == ("REPROMPT", True)


def test_a_token_in_the_prompts_attributes_is_none(
    handler: Handler, environment: dict[str, str]
) -> None:
    prompt = {"authorization": minted(environment)}
    recorded = event("bedrock_action", sessionAttributes={}, promptSessionAttributes=prompt)

    assert handler(recorded, None)["response"]["httpStatusCode"] == 401


def test_who_acts_is_the_tokens_user(environment: dict[str, str]) -> None:
    from typo3_retrieval.bootstrap import authorizer

    access = access_by_session({"token": minted(environment)}, authorizer())

    assert access == AccessContext.public_only(BackendUser(str(site.EDITOR)))


class Undecided:
    """An authorizer whose database does not answer."""

    def policy(self, event: Mapping[str, Any]) -> dict[str, Any]:
        raise BackendUnavailable("refused")


def test_when_it_cannot_be_found_out_nobody_gets_in(environment: dict[str, str]) -> None:
    from typo3_retrieval.bootstrap import services

    with pytest.raises(Refused, match="Who calls cannot be found out"):
        access_by_session({"token": "a.b.c"}, Undecided())
    status, _ = sent(bedrock_handler(services(), Undecided()), "bedrock_action", {"token": "a.b.c"})
    assert status == 503


def test_neither_token_nor_answer_gets_into_log_or_answer(
    handler: Handler,
    session: dict[str, str],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    token = session["authorization"].removeprefix("Bearer ")
    with caplog.at_level(logging.INFO):
        answer = handler(event("bedrock_action", sessionAttributes=session), None)

    logged = f"{caplog.text}{caplog.records}{''.join(capsys.readouterr())}"
    assert token not in logged
    assert "lindenau.example" not in logged
    assert token not in json.dumps(answer)


# --- the limit of 20,000 bytes ---------------------------------------------------------------


def source(number: int, excerpt: str) -> Source:
    return Source(
        source_id=f"fake:{number}",
        title="Ä" * 20,
        url=f"https://www.example.org/{number}",
        excerpt=excerpt,
        site="main",
        language_id=0,
        language="en",
        page_uid=number,
        score=1.0,
        confidence=None,
        last_modified=None,
    )


def evidence(excerpt: str, text: str = "", sources: int = 20) -> QueryResponse:
    return QueryResponse(
        backend="fake",
        degraded=False,
        sources=tuple(source(number, excerpt) for number in range(1, sources + 1)),
        notes=("a note",),
        attempts=(
            BackendAttempt(backend="fake", outcome=Outcome.ANSWERED, reason="", milliseconds=1),
        ),
        text=text,
    )


def test_what_fits_stays_as_it_is() -> None:
    answer = evidence("€" * 100, text="the same as text")

    assert json.loads(bedrock_body(answer)) == answer.model_dump(mode="json")


def test_the_text_goes_first() -> None:
    body = json.loads(bedrock_body(evidence("€" * 200, text="€" * 5000)))

    assert body["text"] == ""
    assert all(each["excerpt"] for each in body["sources"])
    assert body["notes"][0] == "a note"
    assert "its repetition as text left out" in body["notes"][1]


def test_then_excerpts_from_the_tail() -> None:
    text = bedrock_body(evidence("€" * 500))
    body = json.loads(text)

    assert 18_000 < len(text.encode()) <= MAX_BYTES
    kept = [bool(each["excerpt"]) for each in body["sources"]]
    assert len(kept) == 20
    assert 0 < sum(kept) < 20
    assert kept == sorted(kept, reverse=True)
    assert "excerpts left out" in body["notes"][-1]


def test_then_sources_from_the_tail() -> None:
    text = bedrock_body(evidence("€" * 500), limit=3000)
    body = json.loads(text)

    assert len(text.encode()) <= 3000
    ids = [each["source_id"] for each in body["sources"]]
    assert 0 < len(ids) < 20
    assert ids == [f"fake:{number}" for number in range(1, len(ids) + 1)]
    assert "sources left out" in body["notes"][-1]


def test_hits_are_shortened_alike() -> None:
    hit = KeywordSource(
        source_id="fake:1",
        title="t",
        url="https://www.example.org/",
        excerpt="€" * 1000,
        language_id=0,
        score=None,
        page_uid=None,
    )
    text = bedrock_body(KeywordResponse(hits=(hit,) * 20, available=True, degraded=False))

    assert len(text.encode()) <= MAX_BYTES
    assert len(json.loads(text)["hits"]) == 20


@pytest.mark.parametrize("character", ["x", "€", "𝄞", '"'])
def test_a_text_is_cut_and_can_be_read_on(character: str) -> None:
    whole = character * 8000
    answer = FetchResponse(
        source_id="fake:1",
        title="t",
        url="https://www.example.org/",
        backend="fake",
        text=whole,
        offset=100,
        next_offset=None,
        total_characters=8100,
        last_modified=None,
    )

    text = bedrock_body(answer)
    body = json.loads(text)

    assert len(text.encode()) <= MAX_BYTES
    if character in 'x"':
        assert body == answer.model_dump(mode="json")
    else:
        assert body["next_offset"] == 100 + len(body["text"])
        assert 4000 < len(body["text"]) < 8000
        assert "cut" in body["notes"][0]
