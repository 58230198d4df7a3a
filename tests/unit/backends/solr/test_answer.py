"""What Solr may answer, and what is an error."""

import json
from typing import Any

import pytest

from tests.unit.backends.solr.fakes import answer, page
from typo3_retrieval.backends.solr.answer import parse_answer
from typo3_retrieval.plugin import BackendProtocolError


def parse(document: object) -> list[object]:
    return list(parse_answer(json.dumps(document).encode()))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Bad Gateway</html>",
        b"null",
        b"[]",
        b"{}",
        b'{"responseHeader": {"status": 0}}',
        b'{"responseHeader": {"status": 0}, "response": []}',
        b'{"responseHeader": {"status": 0}, "response": {"docs": {}}}',
        b'{"responseHeader": {"status": 0}, "response": {"docs": [1]}}',
        b'{"responseHeader": {"status": 500}, "response": {"docs": []}}',
        b'{"response": {"docs": []}}',
        b'{"responseHeader": {"status": 0}, "error": {}, "response": {"docs": []}}',
        b'{"responseHeader": {"status": 0}, "response": {"docs": []',
        b"[" * 100_000,
        "{}".encode("utf-16"),
        b"\xff\xfe\x00",
    ],
)
def test_anything_but_a_proper_answer_is_an_error(body: bytes) -> None:
    with pytest.raises(BackendProtocolError):
        parse_answer(body)


def test_no_documents_are_an_answer() -> None:
    assert parse(answer()) == []


def test_a_document_is_read() -> None:
    (found,) = parse_answer(json.dumps(answer(page())).encode())
    assert (found.kind, found.uid, found.root_page_uid, found.is_page) == ("pages", 3, 1, True)
    assert found.changed == 1777890600  # 2026-05-04T10:30:00Z
    assert found.score == 4.0


def test_titles_and_texts_are_decoded() -> None:
    document = page(title="Fragen &amp; Antworten", content="10&nbsp;&euro; f&uuml;r\n alle")
    (found,) = parse_answer(json.dumps(answer(document)).encode())
    plain = found.plain()
    assert (plain.title, plain.text) == ("Fragen & Antworten", "10 € für alle")


@pytest.mark.parametrize(
    "odd",
    [
        {"type": None},
        {"uid": "3"},
        {"uid": True},
    ],
)
def test_a_document_that_cannot_be_named_is_left_out(odd: dict[str, Any]) -> None:
    assert parse(answer(page(**odd))) == []


@pytest.mark.parametrize(
    "odd",
    [
        {"changed": "yesterday"},
        {"rootline": "0-x/"},
        {"rootline": None},
        {"title": ["a", "b"]},
        {"content": 7},
        {"score": "high"},
        {"url": None},
    ],
)
def test_an_odd_field_does_not_lose_the_document(odd: dict[str, Any]) -> None:
    assert len(parse(answer(page(**odd)))) == 1


def test_a_mount_point_shows_in_the_id() -> None:
    found = parse_answer(json.dumps(answer(page(id="hash/pages/20/20-164/0/0/0"))).encode())
    assert [document.mounted for document in found] == [True]


@pytest.mark.parametrize(("value", "partial"), [(True, True), (False, False), ("omitted", True)])
def test_a_partial_answer_is_told(value: object, partial: bool) -> None:
    assert parse_answer(json.dumps(answer(partialResults=value)).encode()).partial is partial
