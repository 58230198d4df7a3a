"""The command `evaluate`, on a site of three pages."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from typo3_retrieval_cli.main import app

PAGES = [
    {"id": "bins", "title": "Bins", "body": "Bins are emptied on Tuesday.", "lang": "en"},
    {"id": "pool", "title": "Pool", "body": "The pool opens at seven.\nIt is warm.", "lang": "en"},
    {"id": "dogs", "title": "Dog tax", "body": "A dog costs <72> euros & no less.", "lang": "en"},
]
QUESTIONS = [
    {"id": "q1", "text": "When are the bins emptied?", "lang": "en", "kw": "bins emptied"},
    {"id": "q2", "text": "When does the pool open?", "lang": "en", "kw": "pool open"},
    {"id": "q3", "text": "Quantum chromodynamics?", "lang": "en", "kw": ""},
]
JUDGMENTS = "q1\t0\tbins\t1\nq2\t0\tpool\t1\nq3\t0\tdogs\t1\nq1\t0\tdogs\t0\n"


def write_set(folder: Path, *, spans: bool = True) -> Path:
    folder.mkdir(parents=True)
    (folder / "docs.jsonl").write_text(lines(PAGES))
    (folder / "queries.jsonl").write_text(lines(QUESTIONS))
    (folder / "qrels.tsv").write_text(JUDGMENTS)
    if spans:
        answers = [{"id": "q1", "answers": ["on Tuesday", "Tuesdays"]}]
        (folder / "spans.jsonl").write_text(lines(answers))
    return folder


def lines(documents: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(each) + "\n" for each in documents)


def evaluate(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)])


def documents_of(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("backend", ["database", "ke_search", "indexed_search"])
def test_each_backend_is_measured_beside_the_ceiling(tmp_path: Path, backend: str) -> None:
    data = write_set(tmp_path / "town")
    (found,) = documents_of(evaluate("--data", data, "--backend", backend, "--json"))
    assert found["backend"] == backend
    assert found["database"] == "sqlite"
    # Two of three questions have their page first; nobody can find the third one's.
    for measure in ("nDCG@8", "nDCG@10", "R@8", "Success@8", "RR@8"):
        assert found[measure] == pytest.approx(2 / 3, abs=0.001)
        assert found["ceiling"][measure] == pytest.approx(2 / 3, abs=0.001)
    assert found["empty"] == pytest.approx(1 / 3, abs=0.001)
    assert 0 < found["p50"] <= found["p95"]
    assert found["answer_in_excerpt"] == 1
    assert found["confidence"]["high"] == {"right": 2, "hits": 2}


def test_both_forms_are_measured_and_a_question_without_keywords_is_asked_as_it_is(
    tmp_path: Path,
) -> None:
    data = write_set(tmp_path / "town")
    result = evaluate("--data", data, "--form", "text", "--form", "kw", "--json")
    found = documents_of(result)
    assert {(each["backend"], each["form"]) for each in found} == {
        (backend, form)
        for backend in ("database", "ke_search", "indexed_search")
        for form in ("text", "kw")
    }
    assert all(each["R@8"] == pytest.approx(2 / 3, abs=0.001) for each in found)


def test_means_are_over_the_sets_of_a_folder(tmp_path: Path) -> None:
    write_set(tmp_path / "one")
    write_set(tmp_path / "two", spans=False)
    (found,) = documents_of(evaluate("--data", tmp_path, "--backend", "database", "--json"))
    assert sorted(found["sets"]) == ["one", "two"]
    assert found["sets"]["two"]["answer_in_excerpt"] is None
    assert found["answer_in_excerpt"] == 1


def test_questions_of_another_set_are_called_off_topic(tmp_path: Path) -> None:
    write_set(tmp_path / "town")
    other = write_set(tmp_path / "space")
    pages = [{"id": "sun", "title": "Sun", "body": "A star.", "lang": "en"}]
    (other / "docs.jsonl").write_text(lines(pages))
    found = documents_of(
        evaluate(
            *("--data", tmp_path, "--backend", "database", "--json"),
            *("--off-topic", "town:space"),
        )
    )
    assert found[0]["off_topic"] == {"town:space": {"low": 3, "questions": 3}}


def test_the_reference_requires_every_longer_word(tmp_path: Path) -> None:
    data = write_set(tmp_path / "town")
    found = documents_of(
        evaluate("--data", data, "--backend", "indexed_search", "--reference", "--json")
    )
    assert [(each["reference"], each["R@8"] > 0) for each in found] == [
        (False, True),
        (True, False),  # the pool "opens"; "when" and "does" are nowhere
    ]


def test_people_get_tables_and_run_files_for_other_tools(tmp_path: Path) -> None:
    data = write_set(tmp_path / "town")
    runs = tmp_path / "runs"
    result = evaluate("--data", data, "--backend", "database", "--runs", runs)
    assert result.exit_code == 0
    assert "nDCG@8" in result.stdout
    assert "database sqlite" in result.stdout
    run = (runs / "town.database-sqlite.text.run").read_text().splitlines()
    assert run[0].split() == ["q1", "Q0", "bins", "0", "1", "database-sqlite"]
    assert (runs / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((runs / "results.jsonl").read_text())["backend"] == "database"


def test_fewer_questions_are_spread_over_the_set(tmp_path: Path) -> None:
    data = write_set(tmp_path / "town")
    (found,) = documents_of(
        evaluate("--data", data, "--backend", "database", "--at-most", "2", "--json")
    )
    assert found["R@8"] == 0.5  # the first and the third


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--form", "song"], "--form must be one of: text, kw"),
        (["--database", "oracle"], "--database must be one of: sqlite, mariadb"),
        (["--backend", "nobody"], "nobody"),
    ],
)
def test_wrong_usage_ends_with_status_2(tmp_path: Path, arguments: list[str], told: str) -> None:
    result = evaluate("--data", write_set(tmp_path / "town"), *arguments)
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())


def test_a_folder_without_a_set_is_wrong_usage(tmp_path: Path) -> None:
    result = evaluate("--data", tmp_path)
    assert result.exit_code == 2
    assert "queries.jsonl" in result.stderr


def test_a_broken_set_is_named(tmp_path: Path) -> None:
    data = write_set(tmp_path / "town")
    (data / "qrels.tsv").write_text("q1 bins\n")
    result = evaluate("--data", data)
    assert result.exit_code == 2
    assert "cannot be read" in result.stderr


def test_solr_is_measured_in_a_checkout_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tests.servers.solr", None)
    result = evaluate("--data", write_set(tmp_path / "town"), "--backend", "solr")
    assert result.exit_code == 2
    assert "checkout" in result.stderr


def test_a_language_that_no_core_has_is_named(tmp_path: Path) -> None:
    data = write_set(tmp_path / "town")
    (data / "queries.jsonl").write_text(lines([{**each, "lang": "xx"} for each in QUESTIONS]))
    result = evaluate("--data", data, "--backend", "solr")
    assert result.exit_code == 2
    assert "language xx" in result.stderr
