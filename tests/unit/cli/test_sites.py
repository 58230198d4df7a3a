"""sites check and sites push, on an S3 that moto plays."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws
from typer.testing import CliRunner, Result

from typo3_retrieval_cli.main import app

SITE = """
rootPageId: 1
base: https://www.example.org/
languages:
  - {languageId: 0, title: English, base: /, locale: en_US.UTF-8}
"""


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, value in (("DEFAULT_REGION", "us-east-1"), ("ACCESS_KEY_ID", "testing")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket="configuration")
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "config.yaml").write_text(SITE)
    return tmp_path


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(app, ["sites", *arguments], env=environment)


def test_check_reads_every_site(folder: Path) -> None:
    ran = run("check", str(folder))
    assert ran.exit_code == 0
    assert "main: https://www.example.org/ (en)" in ran.stdout


def test_check_fails_for_a_broken_one(folder: Path) -> None:
    (folder / "shop").mkdir()
    (folder / "shop" / "config.yaml").write_text("base: [")
    ran = run("check", str(folder))
    assert ran.exit_code == 2
    assert "shop" in ran.output


def test_push_uploads_and_then_has_nothing_to_do(folder: Path, bucket: Any) -> None:
    ran = run("push", str(folder), "--to", "s3://configuration/typo3/sites")
    assert ran.exit_code == 0, ran.output
    assert "uploaded main/config.yaml" in ran.stdout
    (found,) = bucket.list_objects_v2(Bucket="configuration")["Contents"]
    assert found["Key"] == "typo3/sites/main/config.yaml"
    again = run("push", str(folder), RETRIEVAL_SITES="s3://configuration/typo3/sites/")
    assert "up to date" in again.output


@pytest.mark.parametrize("to", ["s3://", "s3://UPPER/x", "/folder"])
def test_push_needs_an_address(folder: Path, to: str) -> None:
    assert run("push", str(folder), "--to", to).exit_code == 2


def test_push_tells_what_s3_refuses(folder: Path, bucket: Any) -> None:
    ran = run("push", str(folder), "--to", "s3://nobodys-bucket/x")
    assert ran.exit_code == 1
    assert "NoSuchBucket" in ran.output
