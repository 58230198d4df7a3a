"""What the project's own files promise to each other: locks, make targets, the command of CI."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted(path.name for path in (ROOT / "requirements").glob("*.txt"))
TARGETS = ("install", "demo", "test", "serve", "servers", "check", "build")


@pytest.fixture
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def locked(name: str) -> dict[str, set[str]]:
    """The versions of each package in the lock *name*; two where Python versions differ."""
    found: dict[str, set[str]] = {}
    text = (ROOT / "requirements" / name).read_text()
    for package, version in re.findall(r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==([^ ]+)", text, re.M):
        found.setdefault(package, set()).add(version)
    return found


def test_every_environment_has_its_lock() -> None:
    assert LOCKS == ["checkov.txt", "dev.txt", "layer.txt", "sam.txt", "uv.txt"]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_says_what_and_not_from_where(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()
    assert not re.search(r"://|^--(?!hash)|^-[a-z]| @ ", text, re.M)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_is_hashed(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()
    for entry in re.findall(r"^[a-z0-9].*(?:\n    --hash.*)*", text, re.M):
        assert "--hash=sha256:" in entry, entry


def test_the_tests_see_the_versions_of_the_layer() -> None:
    tested = locked("dev.txt")
    assert {name: tested.get(name) for name in locked("layer.txt")} == locked("layer.txt")


def test_the_layer_holds_what_the_project_asks_for_and_no_aws(project: dict[str, Any]) -> None:
    wanted = {
        re.split(r"[^A-Za-z0-9-]", text)[0].lower() for text in project["project"]["dependencies"]
    }
    assert wanted <= locked("layer.txt").keys()
    assert locked("layer.txt").keys().isdisjoint({"boto3", "botocore", "cryptography"})


def test_the_package_tells_the_version_of_the_project(project: dict[str, Any]) -> None:
    source = (ROOT / "shared/typo3_retrieval/__init__.py").read_text()
    assert f'__version__ = "{project["project"]["version"]}"' in source


@pytest.mark.parametrize("target", TARGETS)
def test_make_explains_each_target_that_people_rely_on(target: str) -> None:
    assert re.search(rf"^{target}:.*## \w", (ROOT / "Makefile").read_text(), re.M)


def test_ci_runs_the_command_of_the_readme() -> None:
    assert "make test" in (ROOT / ".ci/run").read_text()
    assert re.search(r"^make test\b", (ROOT / "README.md").read_text(), re.M)
