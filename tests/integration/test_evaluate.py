"""`evaluate` on a real MariaDB, whose databases it leaves as they were."""

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
SET = Path(__file__).parents[1] / "ranking" / "sets" / "town-de"


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
