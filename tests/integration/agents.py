"""The demo site on a local server, for the clients of agents' platforms."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.bootstrap import token_keys
from typo3_retrieval.edge import tokens
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.demo.server import running

BULKY_WASTE = "When is bulky waste collected?"
WASTE_PAGE = "https://www.lindenau.example/citizen-services/waste-collection"
WASTE_SOURCE = "database:3:0"
ORIGIN = "https://chat.example.org"


@dataclass(frozen=True)
class Demo:
    """A running server."""

    url: str  # with a trailing slash
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def demo_server(folder: Path) -> Iterator[Demo]:
    """Serve the demo site from *folder*."""
    environment = site.create(folder)
    settings = {**environment, "RETRIEVAL_MCP_ORIGINS": ORIGIN}
    with running(settings, log=folder / "server.log") as (url, _):
        yield Demo(url=url, token=_minted(environment))


def _minted(environment: Mapping[str, str]) -> str:
    now = int(time.time())
    keys = token_keys(Settings.from_environment(environment), Secrets(now=lambda: now))
    return tokens.mint(site.EDITOR, keys, now=now, ttl=3600)
