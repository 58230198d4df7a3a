"""The probe on real indexes: how full they are, and how fresh."""

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.contract.site import CONTENT, PAGES, SITES
from tests.contract.solr_documents import documents
from tests.contract.tables import write_sqlite
from tests.integration.faults import entrances, solr_at
from tests.servers.solr import Solr
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.edge.probe import probe
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval_cli.main import app

pytest_plugins = ("tests.servers.solr_fixtures",)

CORE = "core_en"


def test_solr_tells_how_full_and_how_fresh_it_is(solr_server: Solr, tmp_path: Path) -> None:
    path = write_sqlite(tmp_path / "site.sqlite", {"pages": PAGES, "tt_content": CONTENT})
    database = SqliteDatabase(path)
    own = [document for core, document in documents() if core == CORE]
    solr_server.clear(CORE)
    solr_server.load(CORE, own)
    sites = solr_at(solr_server.port, core=CORE)
    with entrances(database, sites, deadline=8, now=lambda: int(time.time())) as stack:
        solr, other = stack.probe()
    solr_server.clear(CORE)
    database.close()
    assert (solr.is_up, solr.documents) == (True, len(own))
    assert solr.index_age is not None
    assert 0 <= solr.index_age < 600
    assert (other.documents, other.index_age) == (None, None)


def test_an_empty_core_is_reachable_and_not_up(solr_server: Solr, tmp_path: Path) -> None:
    solr_server.clear(CORE)
    with entrances(None, solr_at(solr_server.port, core=CORE), deadline=8) as stack:
        solr, _ = stack.probe()
    assert (solr.reachable, solr.documents, solr.is_up) == (True, 0, False)


@pytest.mark.parametrize("name", ["ke_search", "indexed_search"])
def test_the_recorded_indexes_tell_it_too(truth_sqlite: Path, name: str) -> None:
    database = SqliteDatabase(truth_sqlite)
    services = build_services(Settings(backends=(name,)), sites=SITES, database=database)
    (report,) = probe(services).backends
    database.close()
    assert report.reachable, report.reason
    assert report.documents
    assert report.index_age is not None


def test_the_command_prints_it_and_tells_by_its_status(tmp_path: Path) -> None:
    (tmp_path / "sites" / "main").mkdir(parents=True)
    (tmp_path / "sites" / "main" / "config.yaml").write_text(
        "rootPageId: 1\nbase: https://www.example.org/\n"
        "languages:\n  - {languageId: 0, title: English, base: /, locale: en_US.UTF-8}\n"
    )
    path = write_sqlite(tmp_path / "site.sqlite", {"pages": PAGES, "tt_content": CONTENT})
    environment = {
        "RETRIEVAL_SITES": str(tmp_path / "sites"),
        "RETRIEVAL_DATABASE_URL": f"sqlite://{path}",
        "RETRIEVAL_CANARIES": json.dumps(
            [{"site": "main", "question": "When is bulky waste collected?", "page": 2}]
        ),
    }
    ran = CliRunner().invoke(app, ["probe"], env=environment)
    assert ran.exit_code == 0, ran.output
    assert "database" in ran.stdout
    assert "1 of 1" in ran.stdout

    named = environment | {"RETRIEVAL_BACKENDS": "solr,database"}
    ran = CliRunner().invoke(app, ["probe", "--json"], env=named)
    assert ran.exit_code == 1
    report = json.loads(ran.stdout)
    assert [each["backend"] for each in report["backends"] if not each["right"]] == ["solr"]

    wrong = environment | {
        "RETRIEVAL_CANARIES": environment["RETRIEVAL_CANARIES"].replace("2}", "99}")
    }
    ran = CliRunner().invoke(app, ["probe"], env=wrong)
    assert ran.exit_code == 1
    assert "wrong" in ran.stdout
