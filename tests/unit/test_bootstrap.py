"""The composition root: what it builds, and what stops it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.edge.fakes import NOW, SITES, FakeBackend, FakeSecrets
from typo3_retrieval.bootstrap import build_services, token_keys
from typo3_retrieval.core.access import BackendUser
from typo3_retrieval.core.errors import BackendUnavailable, ConfigurationError
from typo3_retrieval.core.secrets import SecretReference
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import MysqlUrl, Settings
from typo3_retrieval.plugin import AccessContext, Registration, Resources, RetrievalQuery

ACCESS = AccessContext.public_only(BackendUser("10"))
QUERY = RetrievalQuery.of("waste")


def registration(name: str, priority: int) -> Registration:
    return Registration(name, priority, lambda _: FakeBackend(name=name))


def build(settings: Settings, *backends: Registration) -> Services:
    return build_services(
        settings, secrets=FakeSecrets(), sites=SITES, backends=backends, now=lambda: NOW
    )


def test_the_highest_priority_is_asked_first() -> None:
    built = build(Settings(), registration("low", 1), registration("high", 9))
    assert built.cascade.search(QUERY, ACCESS).backend == "high"


def test_settings_limit_which_backends_take_part() -> None:
    built = build(Settings(backends=("low",)), registration("low", 1), registration("high", 9))
    assert built.cascade.search(QUERY, ACCESS).backend == "low"


def test_an_unknown_backend_stops_the_start_and_the_known_ones_are_named() -> None:
    with pytest.raises(ConfigurationError, match=r"RETRIEVAL_BACKENDS names solar.*: high, low\."):
        build(Settings(backends=("solar",)), registration("low", 1), registration("high", 9))


def test_a_backend_twice_stops_the_start() -> None:
    with pytest.raises(ConfigurationError, match="registered twice"):
        build(Settings(), registration("low", 1), registration("low", 2))


def test_only_a_priority_above_zero_is_index_backed() -> None:
    built = build(Settings(), registration("database", 0))
    assert built.keyword_search.is_available()
    assert not built.index_backed_keyword_search.is_available()


def test_a_backend_gets_its_options_and_the_time() -> None:
    seen: list[Resources] = []

    def backend(resources: Resources) -> FakeBackend:
        seen.append(resources)
        return FakeBackend()

    settings = Settings(environment={"RETRIEVAL_FAKE_BOOST": "2"})
    build(settings, Registration("fake", 1, backend))
    assert seen[0].options == {"boost": "2"}
    assert seen[0].now() == NOW
    assert (seen[0].database, seen[0].public_pages) == (None, None)


def test_sites_are_needed() -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_SITES is missing"):
        build_services(Settings(), secrets=FakeSecrets(), backends=())


def test_a_wrong_database_secret_stops_the_start() -> None:
    settings = server(MysqlUrl(host="db", port=None, name="typo3"))
    secrets = FakeSecrets({"database": {"username": "reader"}})
    with pytest.raises(ConfigurationError, match="RETRIEVAL_DATABASE_SECRET"):
        build_services(settings, secrets=secrets, sites=SITES, backends=())


def test_a_server_without_an_address_stops_the_start() -> None:
    settings = server(MysqlUrl(host=None, port=None, name="typo3"))
    secrets = FakeSecrets({"database": {"username": "reader", "password": "hunter2"}})
    with pytest.raises(ConfigurationError, match="RETRIEVAL_DATABASE_URL names no host"):
        build_services(settings, secrets=secrets, sites=SITES, backends=())


def test_a_secret_may_tell_the_servers_address() -> None:
    settings = server(MysqlUrl(host=None, port=None, name=None))
    secret = {"username": "reader", "password": "hunter2", "host": "db", "dbname": "typo3"}
    secrets = FakeSecrets({"database": secret})
    assert build_services(settings, secrets=secrets, sites=SITES, backends=()).database


def test_a_store_that_does_not_answer_yet_stops_nothing() -> None:
    settings = server(MysqlUrl(host="db", port=None, name="typo3"))
    secrets = FakeSecrets(error=BackendUnavailable("timed out"))
    assert build_services(settings, secrets=secrets, sites=SITES, backends=()).database


def test_token_keys_need_their_setting() -> None:
    with pytest.raises(ConfigurationError, match="RETRIEVAL_TOKEN_SECRET is missing"):
        token_keys(Settings(), FakeSecrets())


def server(url: MysqlUrl) -> Settings:
    """Settings of a database server."""
    reference = SecretReference(setting="RETRIEVAL_DATABASE_SECRET", reference="database")
    return Settings(database=url, database_secret=reference)


STRANGER = """
from typo3_retrieval.plugin import AVAILABLE, EvidenceSource, Registration, SearchAnswer, SourceId

class Stranger:
    name = "stranger"
    def availability(self): return AVAILABLE
    def fetch(self, source_id, access): return None
    def search(self, query, access):
        hit = EvidenceSource(source_id=SourceId.of("stranger", 1), title="Found", url="https://a.org",
                             excerpt="", language_id=0)
        return SearchAnswer([hit])

BACKEND = Registration("stranger", 99, lambda resources: Stranger())
"""
ASK = """
import json, sys
from typo3_retrieval.bootstrap import services
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.query import RetrievalQuery
evidence = services().cascade.search(
    RetrievalQuery.of("waste"), AccessContext.public_only(BackendUser("10"))
)
print(json.dumps([evidence.backend, evidence.notes]))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder on the path with a stranger's backend and with one that cannot be imported."""
    (tmp_path / "stranger.py").write_text(STRANGER)
    metadata = tmp_path / "stranger-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[typo3_retrieval.backends]\nstranger = stranger:BACKEND\n"
        "broken = no_such_module:BACKEND\nmisnamed = stranger:BACKEND\n"
    )
    (tmp_path / "sites" / "main").mkdir(parents=True)
    (tmp_path / "sites" / "main" / "config.yaml").write_text(
        "rootPageId: 1\nbase: https://www.example.org/\n"
        "languages:\n  - {languageId: 0, title: English, base: /, locale: en_US.UTF-8}\n"
    )
    return tmp_path


def asked(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """A question in a process of its own, which finds what is installed in *folder*."""
    return subprocess.run(
        [sys.executable, "-c", ASK],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(folder),
            "RETRIEVAL_SITES": str(folder / "sites"),
            **settings,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_strangers_backend_answers_first_and_a_broken_one_harms_nobody(installed: Path) -> None:
    done = asked(installed)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        "stranger",
        [
            'Backend "broken" could not be loaded.',
            'Backend "misnamed" could not be loaded.',
        ],
    ]
    assert "no_such_module" in done.stderr
    assert "misnamed: stranger:BACKEND must be a Registration of that name" in done.stderr


def test_a_stranger_who_takes_no_part_is_not_even_loaded(installed: Path) -> None:
    done = asked(installed, RETRIEVAL_BACKENDS="database")
    assert json.loads(done.stdout) == ["none", ["No search backend available."]]
    assert done.stderr == ""


def test_an_unknown_name_is_told_with_the_strangers(installed: Path) -> None:
    done = asked(installed, RETRIEVAL_BACKENDS="solar")
    assert done.returncode != 0
    names = "broken, database, indexed_search, ke_search, misnamed, solr, stranger"
    assert f"It must be a comma list of: {names}." in done.stderr
