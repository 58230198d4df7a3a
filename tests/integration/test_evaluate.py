"""`evaluate` on a real MariaDB, whose databases it leaves as they were, and on a real Solr."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.servers.mariadb import Account, MariaDb
from typo3_retrieval_cli.main import app
from typo3_retrieval_cli.system import System

# The user needs no more than this: databases that begin so.
MEASURER = Account(username="measurer", password="measurer")
RIGHTS = r"GRANT ALL ON `typo3\_retrieval\_%`.* TO 'measurer'@'%'"
SETS = Path(__file__).parents[1] / "ranking" / "sets"
SET = SETS / "town-de"


def databases(server: MariaDb) -> set[str]:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SHOW DATABASES")
        return {str(name) for (name,) in cursor.fetchall()}


@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_a_site_gets_a_database_of_its_own_for_a_while(
    mariadb_server: MariaDb, tmp_path: Path, engine: str
) -> None:
    mariadb_server.execute("CREATE OR REPLACE USER 'measurer'@'%' IDENTIFIED BY 'measurer'", RIGHTS)
    before = databases(mariadb_server)
    environment = {
        "RETRIEVAL_DATABASE_URL": mariadb_server.url("nobodys"),
        "RETRIEVAL_DATABASE_SECRET": mariadb_server.write_secret(tmp_path, MEASURER),
    }
    arguments = ["--data", SET, "--database", "mariadb", "--engine", engine, "--json"]
    result = CliRunner().invoke(
        app, ["evaluate", *map(str, arguments)], obj=System(environment=environment)
    )
    assert result.exit_code == 0, result.output
    found = {each["backend"]: each for each in map(json.loads, result.stdout.splitlines())}
    assert set(found) == {"ke_search", "indexed_search", "database"}
    assert found["ke_search"]["engine"] == engine
    for each in found.values():
        assert each["nDCG@8"] >= each["ceiling"]["nDCG@8"] - 0.02
        assert each["statements"] <= 5
    assert databases(mariadb_server) == before


def test_solr_finds_more_than_by_the_references_request() -> None:
    """A core for each of the sets' two languages, on a server of the command's own."""
    arguments = ["--data", SETS, "--backend", "solr", "--reference", "--at-most", "20", "--json"]
    result = CliRunner().invoke(app, ["evaluate", *map(str, arguments)], obj=System(environment={}))
    assert result.exit_code == 0, result.output
    solr, reference = map(json.loads, result.stdout.splitlines())
    assert [(each["backend"], each["reference"]) for each in (solr, reference)] == [
        ("solr", False),
        ("solr", True),
    ]
    for name in ("town-de", "town-en"):
        for measure in ("nDCG@8", "nDCG@10", "R@8"):
            assert solr["sets"][name][measure] >= reference["sets"][name][measure] + 0.25
        assert solr["sets"][name]["empty"] < reference["sets"][name]["empty"]
        # Not nothing: the reference's questions do reach the server.
        assert reference["sets"][name]["nDCG@10"] > 0.1
    assert solr["nDCG@10"] >= solr["ceiling"]["nDCG@10"] - 0.1
    assert solr["answer_in_excerpt"] >= 0.7


def test_options_of_solr_can_be_measured() -> None:
    environment = {"RETRIEVAL_SOLR_MM": "100%", "RETRIEVAL_SOLR_SECRET": "env:NOT_READ"}
    arguments = ["--data", SET, "--backend", "solr", "--at-most", "10", "--json"]
    result = CliRunner().invoke(
        app, ["evaluate", *map(str, arguments)], obj=System(environment=environment)
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["empty"] > 0.5  # by default hardly any
