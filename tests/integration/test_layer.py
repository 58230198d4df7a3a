"""The real SAM build, and its layer loaded as Lambda does: no site-packages, no boto3."""

import json
import os
import platform
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers import REPOSITORY

RUNTIME = "3.13"  # Lambda's, see template.yaml
ARCHITECTURE = {"aarch64": "arm64", "arm64": "arm64", "x86_64": "x86_64"}[platform.machine()]
MAXIMUM_SIZE = 30_000_000  # bytes unpacked; without boto3 and cryptography it is about 25 MB
UNCHECKED_HASH = 0b01  # PEP 552: the .pyc names its source by hash, and nobody compares it

IMPORT_ALL = """
import importlib, json, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import typo3_retrieval as package
names = [module.name for module in pkgutil.walk_packages(package.__path__, "typo3_retrieval.")]
for name in names:
    importlib.import_module(name)
print(json.dumps({"names": names, "aws": sorted({"boto3", "botocore"} & set(sys.modules))}))
"""

LOAD_HANDLER = """
import json, sys
sys.path[:0] = sys.argv[1:]
import handler
aws = {"boto3", "botocore"} & set(sys.modules)
print(json.dumps({"callable": callable(handler.lambda_handler), "aws": sorted(aws)}))
"""

FUNCTIONS = sorted(path.parent.name for path in REPOSITORY.glob("functions/*/handler.py"))
SITE = """
rootPageId: 1
base: https://www.example.org/
languages:
  - {languageId: 0, title: English, locale: en_GB.UTF-8, base: /}
"""

BACKENDS_OF_STRANGERS = """
import json, sys
from importlib.metadata import entry_points
sys.path.insert(0, sys.argv[1])
print(json.dumps([point.load() for point in entry_points(group="typo3_retrieval.backends")]))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """The Python that stands for Lambda's runtime."""

    path: str
    version: str  # "3.13"

    def run(
        self, script: str, *arguments: str | Path, environment: Mapping[str, str] | None = None
    ) -> str:
        """Run *script* with the standard library and nothing else; return what it printed."""
        done = subprocess.run(
            [self.path, "-I", "-S", "-B", "-c", script, *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    """Lambda's version where this machine has it; else the one that runs the tests."""
    found = subprocess.run(
        ["sh", REPOSITORY / "tools/find-python", RUNTIME],  # noqa: S607 - any POSIX shell will do
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode == 0:
        return Interpreter(path=found.stdout.strip(), version=RUNTIME)
    return Interpreter(path=sys.executable, version="{}.{}".format(*sys.version_info))


@pytest.fixture(scope="module")
def build_environment(interpreter: Interpreter) -> dict[str, str]:
    """The environment of a build for this machine, so that its result can be loaded here."""
    # Not the outer make's flags: this one may run without it.
    ours = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
    return ours | {
        "LAYER_ARCHITECTURE": ARCHITECTURE,
        "LAYER_PYTHON": interpreter.version,
        "SAM_CLI_TELEMETRY": "0",
    }


@pytest.fixture(scope="module")
def built(
    interpreter: Interpreter,
    build_environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder that `sam build` filled from template.yaml.

    SAM builds the functions only where it finds the runtime's Python; elsewhere the layer is built.
    """
    resource = [] if interpreter.version == RUNTIME else ["RetrievalLayer"]
    target = tmp_path_factory.mktemp("sam") / "build"
    _run(["make", ".venv-sam/installed"], build_environment)
    _run(
        [
            str(REPOSITORY / ".venv-sam/bin/sam"),
            "build",
            *resource,
            "--build-in-source",
            f"--build-dir={target}",
            "--parameter-overrides",
            f"Architecture={ARCHITECTURE}",
        ],
        build_environment,
    )
    return target


@pytest.fixture(scope="module")
def layer(built: Path) -> Path:
    """The part of the layer that Lambda puts on sys.path."""
    return built / "RetrievalLayer" / "python"


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """The least that a function asks its environment for, with everything on this disk."""
    sites = tmp_path / "sites"
    (sites / "main").mkdir(parents=True)
    (sites / "main" / "config.yaml").write_text(SITE)
    database = tmp_path / "site.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE pages (uid INTEGER PRIMARY KEY)")
    secret = tmp_path / "token.json"
    secret.write_text(json.dumps({"keys": {"k1": "0123456789abcdef" * 4}, "active": "k1"}))
    return {
        "RETRIEVAL_DATABASE_URL": f"sqlite://{database}",
        "RETRIEVAL_SITES": str(sites),
        "RETRIEVAL_TOKEN_SECRET": secret.as_uri(),
    }


def test_every_module_of_the_layer_imports(layer: Path, interpreter: Interpreter) -> None:
    answer = json.loads(interpreter.run(IMPORT_ALL, layer))
    source = REPOSITORY / "shared" / "typo3_retrieval"
    assert set(answer["names"]) == {_module(path) for path in source.rglob("*.py")} - {
        "typo3_retrieval"
    }
    assert answer["aws"] == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_handler_starts_with_the_layer_alone(
    layer: Path, interpreter: Interpreter, function: str, settings: dict[str, str]
) -> None:
    folder = REPOSITORY / "functions" / function
    answer = interpreter.run(LOAD_HANDLER, folder, layer, environment=settings)
    assert json.loads(answer) == {"callable": True, "aws": []}


def test_the_layer_leaves_out_what_the_runtime_has_or_nobody_needs(layer: Path) -> None:
    packages = {path.name for path in layer.iterdir()}
    assert {"typo3_retrieval", "httpx", "pymysql", "pydantic", "jwt", "yaml"} <= packages
    assert packages.isdisjoint({"bin", "boto3", "botocore", "cryptography", "typo3_retrieval_cli"})


def test_the_layer_stays_small(layer: Path) -> None:
    size = sum(path.stat().st_size for path in layer.rglob("*") if path.is_file())
    assert size < MAXIMUM_SIZE


def test_every_source_is_compiled_and_never_compared(layer: Path, interpreter: Interpreter) -> None:
    tag = f"cpython-{interpreter.version.replace('.', '')}"
    for source in layer.rglob("*.py"):
        compiled = source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc"
        flags = int.from_bytes(compiled.read_bytes()[4:8], "little")
        assert flags == UNCHECKED_HASH, source


def test_a_strangers_wheel_in_the_layer_is_found_by_its_entry_point(
    build_environment: dict[str, str], interpreter: Interpreter, tmp_path: Path
) -> None:
    wheel = _wheel_of_a_stranger(tmp_path)
    _run(
        [
            "make",
            f"--directory={REPOSITORY / 'shared'}",
            "build-RetrievalLayer",
            f"ARTIFACTS_DIR={tmp_path / 'layer'}",
            f"EXTRA_REQUIREMENTS={wheel}",
        ],
        build_environment,
    )
    answer = interpreter.run(BACKENDS_OF_STRANGERS, tmp_path / "layer" / "python")
    assert json.loads(answer) == ["a stranger"]


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _module(path: Path) -> str:
    parts = path.relative_to(REPOSITORY / "shared").with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def _wheel_of_a_stranger(folder: Path) -> Path:
    """A wheel is a zip archive with three files of metadata; no build tool is needed for one."""
    about = "stranger-1.0.dist-info"
    files = {
        "stranger.py": 'BACKEND = "a stranger"\n',
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[typo3_retrieval.backends]\nstranger = stranger:BACKEND\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    wheel = folder / "stranger-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, f"{about}/RECORD": record}.items():
            archive.writestr(name, text)
    return wheel
