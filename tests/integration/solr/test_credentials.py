"""Basic authentication against a Solr that asks for it."""

import logging

import pytest

from tests.integration.solr.conftest import MakeBackend, solr_site
from tests.servers.solr import READER, WRITER, Solr
from tests.unit.core.fakes import ACCESS
from typo3_retrieval.core.query import RetrievalQuery

pytest_plugins = ("tests.servers.solr_fixtures",)

QUESTION = RetrievalQuery.of("residual waste")


@pytest.fixture(scope="module")
def port(guarded_solr_server: Solr) -> int:
    guarded_solr_server.load(
        "core_en",
        [
            {
                "id": "hash/pages/3/0/0/0",
                "type": "pages",
                "uid": 3,
                "rootline": ["0-1/"],
                "access": ["c:0"],
                "url": "/waste",
                "title": "Waste",
                "content": "Residual waste.",
            }
        ],
    )
    return guarded_solr_server.port


def test_the_secret_opens_it(make_backend: MakeBackend, port: int) -> None:
    secret = {"username": READER.username, "password": READER.password}
    backend = make_backend(solr_site(port, "core_en"), secret=lambda _: secret)
    assert len(backend.search(QUESTION, ACCESS).sources) == 1


def test_the_configurations_keys_open_it(make_backend: MakeBackend, port: int) -> None:
    site = solr_site(port, "core_en", username=READER.username, password=READER.password)
    assert len(make_backend(site).search(QUESTION, ACCESS).sources) == 1


def test_a_rotated_secret_is_read_anew(make_backend: MakeBackend, port: int) -> None:
    reads: list[bool] = []

    def secret(refresh: bool) -> dict[str, object]:
        reads.append(refresh)
        account = READER if refresh else WRITER
        return {"username": account.username, "password": READER.password}

    backend = make_backend(solr_site(port, "core_en"), secret=secret)
    assert len(backend.search(QUESTION, ACCESS).sources) == 1
    assert reads == [False, True]


def test_no_log_tells_the_credentials(
    make_backend: MakeBackend, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site = solr_site(port, "core_en", username=READER.username, password=READER.password)
    make_backend(site).search(QUESTION, ACCESS)
    assert "core_en" in caplog.text
    assert READER.password not in caplog.text
    assert "Basic " not in caplog.text
