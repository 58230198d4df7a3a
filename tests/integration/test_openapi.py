"""The description of the API against the API: schemathesis, with the authorizer in front."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.agents import Demo, demo_server
from typo3_retrieval.edge.openapi import document

SECONDS = 120  # a limit against hanging; it takes about twenty
CONFIGURATION = """
# The same cases each time: red must mean a change.
seed = 1
[generation]
max-examples = 15
deterministic = true
database = "none"
[phases]
stateful.enabled = false # nothing that a route makes is there for another one
[checks]
# API Gateway has one answer for an unknown path and an unknown method: 404, see template.yaml.
unsupported_method.enabled = false
[[operations]]
include-name = "POST /query"
# Only the site's own configuration knows which sites and languages there are.
checks.positive_data_acceptance.enabled = false
[[operations]]
include-name = "POST /keyword-search"
# It takes what it can use of any JSON, and refuses nothing.
checks.negative_data_rejection.enabled = false
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo_server(tmp_path_factory.mktemp("demo")) as running:
        yield running


def test_the_document_is_served(demo: Demo) -> None:
    response = httpx.get(f"{demo.url}openapi.json", headers=demo.headers)

    assert response.headers["content-type"] == "application/json"
    assert response.json() == document()


def test_schemathesis_finds_no_failure(demo: Demo, tmp_path: Path) -> None:
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(CONFIGURATION)
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            f"--config-file={configuration}",
            "run",
            f"{demo.url}openapi.json",
            "--header",
            f"Authorization: {demo.headers['Authorization']}",
            "--no-color",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert done.returncode == 0, done.stdout
    tested = re.search(r"Tested: (\d+)", done.stdout)
    assert tested is not None
    assert int(tested[1]) == len(document()["paths"]) - 1  # its own address is not asked again
