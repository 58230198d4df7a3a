"""What the operator may get wrong: the start stops and names the setting, or the note tells."""

from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.site import CONTENT, PAGES
from tests.contract.tables import write_sqlite
from tests.integration.faults import Entrances, entrances
from tests.integration.solr.raw import nobody
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.bootstrap import _credentials, build_services
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.secrets import Credentials, SecretReference
from typo3_retrieval.edge.settings import Settings

SITE = """
rootPageId: 1
base: https://www.example.org/
languages:
  - {languageId: 0, title: English, base: /, locale: en_US.UTF-8}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sites" / "main").mkdir(parents=True)
    (tmp_path / "sites" / "main" / "config.yaml").write_text(SITE)
    return tmp_path


class Manager:
    """A Secrets Manager that answers every request in one way."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer

    def get_secret_value(self, **_: Any) -> dict[str, str]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"SecretString": self.answer}


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": ""}}, "GetSecretValue")


ANSWERS = {
    "missing": refusal("ResourceNotFoundException"),
    "denied": refusal("AccessDeniedException"),
    "no JSON": "hunter2",
    "no object": '["hunter2"]',
    "no password": '{"username": "hunter2"}',
    "no text": '{"username": "reader", "password": 7}',
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_wrong_secret_stops_the_start_and_is_not_told(
    folder: Path, answer: str | Exception
) -> None:
    secrets = Secrets(now=lambda: 0, client=lambda _: Manager(answer), environ={})  # type: ignore[arg-type, return-value]  # enough of it
    settings = Settings.from_environment(
        {
            "RETRIEVAL_SITES": str(folder / "sites"),
            "RETRIEVAL_DATABASE_URL": "mysql://db.internal/typo3",
            "RETRIEVAL_DATABASE_SECRET": "typo3/database",
            "RETRIEVAL_BACKENDS": "database",
        }
    )
    with pytest.raises(ConfigurationError, match="RETRIEVAL_DATABASE_SECRET") as raised:
        build_services(settings, secrets=secrets)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_secret_that_goes_wrong_later_is_a_failing_backend(answer: str | Exception) -> None:
    manager = Manager('{"username": "reader", "password": "first"}')
    secrets = Secrets(now=lambda: 0, client=lambda _: manager, environ={})  # type: ignore[arg-type, return-value]  # enough of it
    reference = SecretReference(setting="RETRIEVAL_DATABASE_SECRET", reference="typo3/database")

    def credentials(refresh: bool) -> Credentials:
        return _credentials(secrets, reference)(refresh)

    manager.answer = answer
    with nobody() as port:
        database = MysqlDatabase(host="127.0.0.1", port=port, name="x", credentials=credentials)
        with entrances(database) as stack:
            broken(stack, "secret not readable")


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServiceError"])
def test_a_store_that_does_not_answer_is_a_failing_backend(code: str) -> None:
    secrets = Secrets(now=lambda: 0, client=lambda _: Manager(refusal(code)), environ={})  # type: ignore[arg-type, return-value]  # enough of it
    reference = SecretReference(setting="RETRIEVAL_DATABASE_SECRET", reference="typo3/database")

    def credentials(refresh: bool) -> Credentials:
        return Credentials.of(secrets.read(reference), reference.setting)

    database = MysqlDatabase(host="127.0.0.1", port=1, name="x", credentials=credentials)
    with entrances(database) as stack:
        broken(stack, "secret store unavailable")


def broken(stack: Entrances, reason: str) -> None:
    query = stack.query()
    assert (query.status, query.body["backend"], query.body["degraded"]) == (200, "none", True)
    assert query.body["attempts"][0]["reason"] == reason
    assert stack.keywords().body == {"hits": [], "available": False, "degraded": True}
    assert stack.fetch("database:2:0").status == 503
    assert stack.probe()[0].reason == reason


class TestSites:
    @pytest.mark.parametrize("content", [None, "base: [", "rootPageId: 0", "[]"])
    def test_without_one_that_can_be_read_the_start_stops(
        self, folder: Path, content: str | None
    ) -> None:
        config = folder / "sites" / "main" / "config.yaml"
        if content is None:
            config.unlink()
        else:
            config.write_text(content)
        with pytest.raises(ConfigurationError, match="RETRIEVAL_SITES"):
            build_services(Settings.from_environment({"RETRIEVAL_SITES": str(folder / "sites")}))

    def test_one_broken_site_leaves_the_others_and_a_note(self, folder: Path) -> None:
        (folder / "sites" / "shop").mkdir()
        (folder / "sites" / "shop" / "config.yaml").write_text("base: [")
        path = write_sqlite(folder / "site.sqlite", {"pages": PAGES, "tt_content": CONTENT})
        settings = Settings.from_environment(
            {
                "RETRIEVAL_SITES": str(folder / "sites"),
                "RETRIEVAL_DATABASE_URL": f"sqlite://{path}",
                "RETRIEVAL_BACKENDS": "database",
            }
        )
        services = build_services(settings)
        query = Entrances(services=services).query()
        assert query.body["backend"] == "database"
        assert query.body["sources"]
        assert query.body["notes"] == ['Site "shop" could not be read and was left out.']
        assert isinstance(services.database, SqliteDatabase)
        services.database.close()


def test_a_site_that_loses_its_database_file_is_told(folder: Path) -> None:
    path = write_sqlite(folder / "site.sqlite", {"pages": PAGES, "tt_content": CONTENT})
    database = SqliteDatabase(path)
    path.write_bytes(b"no database" * 1000)
    with entrances(database) as stack:
        query = stack.query()
        assert (query.status, query.body["degraded"]) == (200, True)
        assert stack.fetch("database:2:0").status == 503
    database.close()
