"""Fixtures over a real Solr and what EXT:solr indexed of the recorded site.

A test module that needs them names this one in its `pytest_plugins`; all of them share one server.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import REPOSITORY, solr
from tests.servers.solr import BROKEN, EMPTY, NO_FILTER, TRUTH_CORES, Core, Solr


@pytest.fixture(scope="session")
def solr_server() -> Iterator[Solr]:
    """A real Solr without passwords: the recorded site's cores, still empty, and odd ones."""
    _fetch()
    cores = {
        **TRUTH_CORES,
        EMPTY: Core(),
        NO_FILTER: Core(access_filter=False),
        BROKEN: Core(broken=True),
    }
    with solr.running(cores) as server:
        yield server


@pytest.fixture(scope="session")
def guarded_solr_server() -> Iterator[Solr]:
    """A real Solr that asks for READER's credentials; its one core is core_en."""
    _fetch()
    with solr.running({"core_en": Core()}, basic_auth=True) as server:
        yield server


@pytest.fixture(scope="session")
def truth_solr_documents(truth: Path) -> list[dict[str, Any]]:
    """The documents that EXT:solr made of the recorded site."""
    return solr.recorded_documents(truth)


@pytest.fixture(scope="session")
def truth_solr(solr_server: Solr, truth_solr_documents: list[dict[str, Any]]) -> Solr:
    """The server with the recorded documents in its cores."""
    solr_server.load_by_core(truth_solr_documents)
    return solr_server


def _fetch() -> None:
    # The download in a process of its own: in this one sockets reach loopback only.
    command = [sys.executable, "-c", "from tests.servers import solr; solr.installation()"]
    subprocess.run(command, cwd=REPOSITORY, check=True)
