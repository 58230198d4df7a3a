"""The functions of agents' platforms as Lambda loads them, on the demo site."""

import gc
import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from typo3_retrieval import bootstrap
from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.edge import tokens
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval_cli.demo import site

FUNCTIONS = Path(__file__).parents[3] / "functions"

Handler = Callable[[Any, Any], dict[str, Any]]


@contextmanager
def demo_site(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Make the demo site the environment of the functions."""
    environment = site.create(folder)
    for name, value in environment.items():
        patch.setenv(name, value)
    _forget()
    yield environment
    _forget()


def minted(
    environment: Mapping[str, str], user: int = site.EDITOR, *, age: int = 0, ttl: int = 600
) -> str:
    """A token that the site's keys sign."""
    now = int(time.time()) - age
    keys = bootstrap.token_keys(Settings.from_environment(environment), Secrets(now=lambda: now))
    return tokens.mint(user, keys, now=now, ttl=ttl)


def load(name: str) -> Handler:
    """What Lambda finds in the function's folder."""
    spec = importlib.util.spec_from_file_location(
        f"handler_of_{name}", FUNCTIONS / name / "handler.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Handler = module.lambda_handler
    return found


def _forget() -> None:
    # What a frozen environment would keep open; nobody else holds these.
    for each in gc.get_objects():
        if isinstance(each, SqliteDatabase):
            each.close()
    for built in (bootstrap.services, bootstrap.authorizer, bootstrap.users):
        built.cache_clear()
