"""Question sets with relevance judgments, read from files.

A set is a folder with ``docs.jsonl`` (or ``docs.jsonl.gz``), ``queries.jsonl``, ``qrels.tsv`` and,
where it is known which words answer, ``spans.jsonl``.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from typo3_retrieval.core.errors import InvalidInput

Form = Literal["text", "kw"]  # the question as asked, or its first few content words


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One page of the site that a set makes."""

    id: str
    title: str
    body: str  # plain text, paragraphs on lines of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person asked."""

    id: str
    text: str
    keywords: str

    def form(self, form: Form) -> str:
        """The question in one of its forms; it has always the first."""
        return self.keywords if form == "kw" and self.keywords else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """Documents, questions, and which documents answer which question."""

    name: str
    language: str  # ISO 639-1
    documents: Sequence[Document]
    questions: Sequence[Question]
    relevant: Mapping[str, frozenset[str]]  # document ids by question id
    answers: Mapping[str, Sequence[str]]  # the answer's words by question id; may be empty


def read_sets(folder: Path, *, at_most: int | None = None) -> list[DataSet]:
    """Read the set in *folder*, or those in its subfolders, by name.

    Args:
        folder: see the module.
        at_most: questions of a set, spread evenly over it; None takes all.

    Raises:
        InvalidInput: there is no set, or a file is not what it should be.
    """
    folders = [folder] if _is_set(folder) else sorted(filter(_is_set, _subfolders(folder)))
    if not folders:
        raise InvalidInput(f"--data: {folder} holds no queries.jsonl, nor does a folder in it.")
    try:
        return [_read(each, at_most) for each in folders]
    except (OSError, EOFError, KeyError, ValueError, TypeError) as error:
        raise InvalidInput(f"--data: a file in {folder} cannot be read: {error!r}.") from error


def _is_set(folder: Path) -> bool:
    return (folder / "queries.jsonl").is_file()


def _subfolders(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_dir()] if folder.is_dir() else []


def _read(folder: Path, at_most: int | None) -> DataSet:
    packed = folder / "docs.jsonl.gz"
    documents = list(_lines(packed if packed.is_file() else folder / "docs.jsonl"))
    questions = list(_lines(folder / "queries.jsonl"))
    spans = folder / "spans.jsonl"
    step = max(1, -(-len(questions) // at_most)) if at_most else 1
    return DataSet(
        name=folder.name,
        language=str((questions or documents)[0].get("lang", "en")),
        documents=[
            Document(id=line["id"], title=line["title"], body=line["body"]) for line in documents
        ],
        questions=[
            Question(id=line["id"], text=line["text"], keywords=line.get("kw", ""))
            for line in questions[::step]
        ],
        relevant=_judgments(folder / "qrels.tsv"),
        answers={line["id"]: tuple(line["answers"]) for line in _lines(spans)}
        if spans.is_file()
        else {},
    )


def _judgments(path: Path) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        question, _, document, grade = line.split("\t")
        if int(grade) > 0:
            found.setdefault(question, set()).add(document)
    return {question: frozenset(documents) for question, documents in found.items()}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        for line in lines:
            yield json.loads(line)
