"""What `make deploy` hands to SAM, and the figures of docs/scale.md."""

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from typo3_retrieval_cli.server.template import _Loader

ROOT = Path(__file__).parents[2]
TEMPLATE = yaml.load((ROOT / "template.yaml").read_text(), _Loader)  # noqa: S506  # a safe one


def output(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_every_override_is_a_parameter_and_the_release_is_named(environment: str) -> None:
    overrides = dict(
        each.split("=", 1)
        for each in shlex.split(output("tools/deploy_parameters.py", environment))
    )
    assert overrides.keys() <= TEMPLATE["Parameters"].keys()
    assert len(overrides["Release"]) == 16
    again = shlex.split(output("tools/deploy_parameters.py", environment))
    assert f"Release={overrides['Release']}" in again


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_both_environments_are_tagged(environment: str) -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    assert f"environment={environment}" in config[environment]["deploy"]["parameters"]["tags"]


def test_a_parameter_without_a_group_would_be_lost_in_the_console() -> None:
    groups = TEMPLATE["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    grouped = [name for group in groups for name in group["Parameters"]]
    assert sorted(grouped) == sorted(TEMPLATE["Parameters"])


@pytest.mark.timeout(120)
def test_the_plan_shows_what_the_simulation_says() -> None:
    table = output("tools/scale_simulation.py").strip()
    assert table in (ROOT / "docs" / "scale.md").read_text()
