"""Fixtures over a real Solr and what EXT:solr indexed of the recorded site."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import REPOSITORY, solr
from tests.servers.solr import TRUTH_CORES, Core, Solr

NO_FILTER, BROKEN, EMPTY = "no_filter", "broken", "empty"  # cores for what can go wrong


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
    with gzip.open(truth / "solr" / "solr_documents.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def truth_solr(solr_server: Solr, truth_solr_documents: list[dict[str, Any]]) -> Solr:
    """The server with the recorded documents in its cores."""
    load_by_core(solr_server, truth_solr_documents)
    return solr_server


def load_by_core(server: Solr, documents: list[dict[str, Any]]) -> None:
    """Load documents that name their core in the field ``core``."""
    for core in {document["core"] for document in documents}:
        server.clear(core)
        server.load(
            core,
            [
                {name: value for name, value in document.items() if name != "core"}
                for document in documents
                if document["core"] == core
            ],
        )


def _fetch() -> None:
    # The download in a process of its own: in this one sockets reach loopback only.
    command = [sys.executable, "-c", "from tests.servers import solr; solr.installation()"]
    subprocess.run(command, cwd=REPOSITORY, check=True)
