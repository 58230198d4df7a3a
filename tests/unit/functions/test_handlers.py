"""Each handler as Lambda loads it, with recorded events of API Gateway."""

import importlib.util
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.edge.fakes import KEYS, TOKEN_SECRET, event
from typo3_retrieval import __version__, bootstrap
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.edge.http import LambdaHandler
from typo3_retrieval.edge.tokens import mint

FUNCTIONS = Path(__file__).parents[3] / "functions"
SITE = """
rootPageId: 1
base: https://www.example.org/
languages:
  - {languageId: 0, title: English, base: /, locale: en_US.UTF-8}
"""


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A site without a database, and the keys of tokens."""
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "config.yaml").write_text(SITE)
    (tmp_path / "tokens.json").write_text(json.dumps(TOKEN_SECRET))
    monkeypatch.setenv("RETRIEVAL_SITES", str(tmp_path))
    monkeypatch.setenv("RETRIEVAL_TOKEN_SECRET", f"file://{tmp_path}/tokens.json")
    monkeypatch.setenv("RETRIEVAL_BACKEND_USERS", "token")
    bootstrap.services.cache_clear()
    bootstrap.authorizer.cache_clear()
    yield
    bootstrap.services.cache_clear()
    bootstrap.authorizer.cache_clear()


def handler(name: str) -> LambdaHandler:
    """What Lambda finds in the function's folder."""
    path = FUNCTIONS / name / "handler.py"
    spec = importlib.util.spec_from_file_location(f"handler_of_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: LambdaHandler = module.lambda_handler
    return found


def called(name: str, **context: str) -> tuple[int, Any]:
    """Status and body of the recorded event, sent by a caller whose token is still valid."""
    recorded = event(name)
    valid = {"sub": "10", "exp": str(int(time.time()) + 60)} | context
    recorded["requestContext"]["authorizer"] |= valid
    response = handler(name)(recorded, None)
    return response["statusCode"], json.loads(response["body"])


def test_query() -> None:
    status, body = called("query")
    assert status == 200
    assert (body["backend"], body["degraded"]) == ("none", True)
    assert body["notes"] == ["No search backend available."]


def test_fetch_source() -> None:
    status, body = called("fetch_source")
    assert (status, body["detail"]) == (404, "Source not found or not permitted.")


def test_keyword_search() -> None:
    assert called("keyword_search") == (200, {"hits": [], "available": False, "degraded": True})


def test_availability() -> None:
    assert called("availability") == (200, {"available": False})


def test_probe() -> None:
    report = handler("probe")(event("probe"), None)
    assert report["healthy"] is False
    assert {each["reason"] for each in report["backends"]} >= {"no database configured"}


def test_health() -> None:
    assert called("health") == (200, {"status": "ok", "version": __version__})


@pytest.mark.parametrize(
    "name", ["query", "fetch_source", "keyword_search", "availability", "health"]
)
def test_no_handler_serves_an_expired_caller(name: str) -> None:
    status, body = called(name, exp=str(int(time.time()) - 31))
    assert (status, body["detail"]) == (401, "A valid token is needed.")


def test_health_needs_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETRIEVAL_SITES")
    assert called("health")[0] == 200


def test_authorizer() -> None:
    token = mint(10, KEYS, now=int(time.time()), ttl=60)
    policy = handler("authorizer")(
        event("token_authorizer", authorizationToken=f"Bearer {token}"), None
    )
    assert policy["policyDocument"]["Statement"][0]["Effect"] == "Allow"


@pytest.mark.parametrize("name", ["query", "fetch_source", "keyword_search", "availability"])
def test_a_missing_setting_stops_the_start(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETRIEVAL_SITES")
    with pytest.raises(ConfigurationError, match="RETRIEVAL_SITES is missing"):
        handler(name)


def test_a_missing_secret_stops_the_authorizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETRIEVAL_TOKEN_SECRET")
    with pytest.raises(ConfigurationError, match="RETRIEVAL_TOKEN_SECRET is missing"):
        handler("authorizer")


def test_every_function_of_the_template_has_a_recorded_event() -> None:
    functions = {path.parent.name for path in FUNCTIONS.glob("*/handler.py")}
    recorded = {path.stem for path in (FUNCTIONS.parent / "tests" / "events").glob("*.json")}
    assert functions - {"authorizer"} <= recorded
