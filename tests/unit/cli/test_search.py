"""ask, fetch and keywords: answers, lines and exit status."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.running import FakeBackend, lines, run, system_with
from typo3_retrieval_cli.main import app


def test_an_answer_has_the_http_fields() -> None:
    result = run(system_with(FakeBackend()), "ask", "bulky waste", "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert set(answer) == {"backend", "degraded", "sources", "notes", "attempts", "text"}
    assert answer["sources"][0]["source_id"] == "fake:1"


def test_a_person_reads_title_address_and_excerpt() -> None:
    result = run(system_with(FakeBackend()), "ask", "bulky waste")

    assert "1. Answer [1]" in result.stdout
    assert "https://www.lindenau.example/very/long/" in result.stdout
    assert "fake answered" in result.stderr


def test_a_sites_text_is_no_markup() -> None:
    result = run(system_with(FakeBackend(title="[red]x[/red] [/bold]")), "ask", "bulky waste")

    assert "[red]x[/red] [/bold]" in result.stdout


def test_an_address_is_never_broken() -> None:
    result = run(system_with(FakeBackend()), "ask", "bulky waste")

    assert any(line.strip() == FakeBackend.URL for line in result.stdout.splitlines())


def test_options_reach_the_query() -> None:
    backend = FakeBackend()

    run(
        system_with(backend),
        *("ask", "waste", "--site", "lindenau", "--language", "de", "--max-sources", "3"),
    )

    assert backend.queries[0].site == "lindenau"
    assert backend.queries[0].language_id == 1
    assert backend.queries[0].limit == 3


@pytest.mark.parametrize(("arguments", "user"), [((), "_cli_"), (("--user", "10"), "10")])
def test_the_operator_asks_unless_another_is_named(arguments: Sequence[str], user: str) -> None:
    backend = FakeBackend()

    run(system_with(backend), "ask", "waste", *arguments)

    assert backend.users == [user]


def test_no_sources_is_no_failure() -> None:
    result = run(system_with(FakeBackend(hits=0)), "ask", "waste")

    assert result.exit_code == 0
    assert "No evidence (backend: fake)" in result.stdout


def test_no_backend_is_a_failure() -> None:
    result = run(system_with(FakeBackend(available=False)), "ask", "waste", "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout)["backend"] == "none"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ask", "a"), "Question too short"),
        (("ask", "waste", "--site", "atlantis"), "Sites: lindenau"),
        (("ask", "waste", "--language", "xx"), "Unknown language"),
        (("ask", "waste", "--backend", "nobody"), "nobody"),
        (("ask", "waste", "--user", ""), "subject"),
        (("fetch", "nonsense"), "Invalid source_id."),
        (("keywords", "waste", "--site", "atlantis"), "Sites: lindenau"),
        (("ask",), "QUESTION is missing"),
        (("fetch",), "SOURCE_ID is missing"),
        (("keywords",), "QUERY is missing"),
        (("ask", "waste", "--max-sources", "many"), "max-sources"),
    ],
)
def test_wrong_usage_is_status_2(arguments: Sequence[str], said: str) -> None:
    result = run(system_with(FakeBackend()), *arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_an_error_is_json_on_request() -> None:
    result = run(system_with(FakeBackend()), "ask", "a", "--json")

    assert json.loads(result.stdout) == {"error": "Question too short (minimum 2 characters)."}


def test_a_source_is_read() -> None:
    result = run(system_with(FakeBackend()), "fetch", "fake:1")

    assert result.exit_code == 0
    assert "# Answer [1]" in result.stdout
    assert "Characters 0 to" in result.stderr


def test_a_long_source_tells_where_to_read_on() -> None:
    result = run(system_with(FakeBackend(text="x" * 9000)), "fetch", "fake:1")

    assert "--offset 8000" in result.stderr


@pytest.mark.parametrize("source_id", ["fake:404", "solr:main:pages:1:0"])
def test_an_unknown_source_is_a_failure(source_id: str) -> None:
    result = run(system_with(FakeBackend()), "fetch", source_id, "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {"error": "Source not found or not permitted."}


def test_a_backend_that_does_not_answer_a_fetch_is_a_failure() -> None:
    assert run(system_with(FakeBackend(broken=True)), "fetch", "fake:1").exit_code == 1


def test_keywords_have_the_http_fields() -> None:
    result = run(system_with(FakeBackend()), "keywords", "waste", "--limit", "1", "--json")

    answer = json.loads(result.stdout)
    assert set(answer) == {"hits", "available", "degraded"}
    assert len(answer["hits"]) == 1


def test_keywords_may_ask_one_site_in_one_language() -> None:
    backend = FakeBackend()

    run(system_with(backend), "keywords", "waste", "--site", "lindenau", "--language", "de")

    assert (backend.queries[0].site, backend.queries[0].language_id) == ("lindenau", 1)


def test_keywords_of_an_index_only() -> None:
    result = run(system_with(FakeBackend(), priority=0), "keywords", "waste", "--index-backed")

    assert result.exit_code == 1


def test_every_line_gets_one_line_in_order() -> None:
    requests: list[Any] = [
        {"question": "bulky waste"},
        {"question": "a"},
        {"question": 5},
        {"question": "waste", "unknown": 1},
        {"question": "waste", "backend": "fake"},
        {"question": "waste", "backend": "nobody"},
        {"question": "waste", "backend": 5},
        ["no object"],
    ]

    answers = lines(run(system_with(FakeBackend()), "ask", "--batch", stdin=requests))

    assert [answer.get("backend", answer.get("error")) for answer in answers] == [
        "fake",
        "Question too short (minimum 2 characters).",
        "question: Input should be a valid string.",
        "unknown: unknown field.",
        "fake",
        answers[5]["error"],
        "backend: Input should be a valid string.",
        "not a JSON object",
    ]
    assert "nobody" in answers[5]["error"]


@pytest.mark.parametrize(
    "raw",
    [b"{", b"", b"\xff", b"[" * 100_000, b'{"question": ' + b"9" * 5000 + b"}", b"null", b"NaN"],
)
def test_a_line_that_is_no_json_spoils_no_other(raw: bytes) -> None:
    result = run(system_with(FakeBackend()), "ask", "--batch", raw=raw + b'\n{"question": "ok"}')

    first, second = lines(result)
    assert "error" in first
    assert second["backend"] == "fake"


def test_a_bug_in_one_line_spoils_no_other() -> None:
    backend = FakeBackend(bug_in="boom")
    requests = [{"source_id": "fake:boom"}, {"source_id": "fake:1"}]

    first, second = lines(run(system_with(backend), "fetch", "--batch", stdin=requests))

    assert "error" in first
    assert second["source_id"] == "fake:1"


def test_batches_of_fetch_and_keywords() -> None:
    system = system_with(FakeBackend())

    (fetched,) = lines(run(system, "fetch", "--batch", stdin=[{"source_id": "fake:1"}]))
    (found,) = lines(run(system, "keywords", "--batch", stdin=[{"query": "x", "limit": 99}]))

    assert fetched["backend"] == "fake"
    assert found["available"] is True


def test_many_lines_are_answered_by_one_system() -> None:
    system = system_with(FakeBackend())

    answers = lines(
        run(system, "ask", "--batch", stdin=[{"question": f"waste {n}"} for n in range(1200)])
    )

    assert len(answers) == 1200
    assert answers[1199]["text"].startswith('Evidence for "waste 1199"')


def test_every_command_stands_in_the_user_guide() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "user-guide.md").read_text(encoding="utf-8")

    assert [
        command.callback.__name__
        for command in app.registered_commands
        if command.callback and f"typo3-retrieval {command.callback.__name__}" not in guide
    ] == []
