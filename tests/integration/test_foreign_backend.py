"""A stranger's backend, in a wheel of its own, answers first with no line of ours changed."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from typo3_retrieval_cli.demo import site

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "writing-a-backend.md"
# A file's name in backticks, then a fenced block: the guide's own way to show a file.
FILE = re.compile(r"^`([\w.]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NOTICE = {
    "id": 7,
    "title": "Bulky waste in spring",
    "url": "https://notices.example/7",
    "text": "Bulky waste is collected on the first Monday of April.",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the guide's backend is installed from its wheel."""
    project = tmp_path_factory.mktemp("town-notices")
    for name, content in FILE.findall(GUIDE.read_text(encoding="utf-8")):
        (project / name).write_text(content, encoding="utf-8")
    # hatchling itself, without isolation: nothing is downloaded.
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"],
        cwd=project,
        check=True,
        capture_output=True,
        timeout=60,
    )
    (wheel,) = (project / "dist").glob("*.whl")
    target = tmp_path_factory.mktemp("site-packages")
    with zipfile.ZipFile(wheel) as archive:  # a pure wheel is installed by unpacking it
        archive.extractall(target)
    return target


@pytest.fixture(scope="module")
def demo_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return site.create(tmp_path_factory.mktemp("demo"))


def run(
    installed: Path, demo_environment: dict[str, str], *arguments: str, **variables: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "typo3_retrieval_cli", *arguments],
        env={**os.environ, **demo_environment, **variables, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def notices(tmp_path: Path) -> Path:
    path = tmp_path / "notices.json"
    path.write_text(json.dumps([NOTICE]))
    return path


def test_it_answers_first(installed: Path, demo_environment: dict[str, str], notices: Path) -> None:
    asked = run(
        installed,
        demo_environment,
        "ask",
        "When is bulky waste collected?",
        "--json",
        RETRIEVAL_NOTICES_FILE=str(notices),
    )

    answer = json.loads(asked.stdout)
    assert asked.returncode == 0
    assert answer["backend"] == "notices"
    assert [source["source_id"] for source in answer["sources"]] == ["notices:7"]
    assert [attempt["backend"] for attempt in answer["attempts"]] == ["notices"]


def test_its_source_can_be_fetched(
    installed: Path, demo_environment: dict[str, str], notices: Path
) -> None:
    fetched = run(
        installed,
        demo_environment,
        "fetch",
        "notices:7",
        "--json",
        RETRIEVAL_NOTICES_FILE=str(notices),
    )

    assert json.loads(fetched.stdout)["text"] == f"# {NOTICE['title']}\n\n{NOTICE['text']}"


def test_it_counts_as_index_backed(
    installed: Path, demo_environment: dict[str, str], notices: Path
) -> None:
    found = run(
        installed,
        demo_environment,
        "keywords",
        "bulky waste",
        "--index-backed",
        "--json",
        RETRIEVAL_NOTICES_FILE=str(notices),
    )

    assert [hit["source_id"] for hit in json.loads(found.stdout)["hits"]] == ["notices:7"]


def test_without_its_option_the_next_one_answers(
    installed: Path, demo_environment: dict[str, str]
) -> None:
    asked = run(installed, demo_environment, "ask", "When is bulky waste collected?", "--json")

    answer = json.loads(asked.stdout)
    assert answer["backend"] == "database"
    assert answer["attempts"][0]["outcome"] == "unavailable"


def test_a_broken_engine_is_skipped_with_a_note(
    installed: Path, demo_environment: dict[str, str], tmp_path: Path
) -> None:
    asked = run(
        installed,
        demo_environment,
        "ask",
        "When is bulky waste collected?",
        "--json",
        RETRIEVAL_NOTICES_FILE=str(tmp_path / "nowhere.json"),
    )

    answer = json.loads(asked.stdout)
    assert answer["backend"] == "database"
    assert 'Backend "notices" failed and was skipped.' in answer["notes"]


def test_it_can_be_left_out(
    installed: Path, demo_environment: dict[str, str], notices: Path
) -> None:
    asked = run(
        installed,
        demo_environment,
        "ask",
        "bulky waste",
        "--json",
        RETRIEVAL_BACKENDS="database",
        RETRIEVAL_NOTICES_FILE=str(notices),
    )

    assert [attempt["backend"] for attempt in json.loads(asked.stdout)["attempts"]] == ["database"]
