"""Where the cores are: keys of the language, then of the site, and what cannot be used."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.unit.backends.solr.fakes import language, site
from typo3_retrieval.backends.solr.endpoints import Endpoint, NoEndpoint, endpoint_of


def read(keys: Mapping[str, Any], *language_keys: Mapping[str, Any]) -> Endpoint | NoEndpoint:
    return endpoint_of(site(keys=keys, language_keys=language_keys), language())


def url(keys: Mapping[str, Any], *language_keys: Mapping[str, Any]) -> str:
    found = read(keys, *language_keys)
    assert isinstance(found, Endpoint), found
    return found.select_url


def reason(keys: Mapping[str, Any], *language_keys: Mapping[str, Any]) -> str:
    found = read(keys, *language_keys)
    assert isinstance(found, NoEndpoint), found
    return found.reason


def test_without_other_keys_the_defaults_of_the_extension_hold() -> None:
    bare = {**site().settings, "solr_host_read": None}
    assert url(bare) == "http://localhost:8983/solr/core_en/select"


def test_a_key_of_the_language_comes_first() -> None:
    assert "/core_de/" in url({}, {"languageId": 0, "solr_core_read": "core_de"})


def test_a_key_of_another_language_does_not_count() -> None:
    assert "/core_en/" in url({}, {"languageId": 1, "solr_core_read": "core_de"})


def test_an_empty_key_of_the_language_leaves_the_sites() -> None:
    assert "/core_en/" in url({}, {"languageId": 0, "solr_core_read": ""})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/solr/core_en/select"),
        ("/", "/solr/core_en/select"),
        ("/solr/", "/solr/core_en/select"),
        ("solr", "/solr/core_en/select"),
        ("/search/solr", "/search/solr/core_en/select"),
        ("/search/", "/search/solr/core_en/select"),
        ("/solr/solr/", "/solr/solr/core_en/select"),
    ],
)
def test_a_trailing_solr_of_the_path_is_not_doubled(path: str, expected: str) -> None:
    assert url({"solr_path_read": path}) == f"http://solr.internal:8983{expected}"


@pytest.mark.parametrize("port", ["8984", 8984, " 8984 "])
def test_a_port_may_be_a_string(port: object) -> None:
    assert ":8984/" in url({"solr_port_read": port})


@pytest.mark.parametrize("port", ["%env(SOLR_PORT)%", "", "99999", 0, "-1", "8983a", True, ["1"]])
def test_a_port_that_is_none_makes_the_core_unavailable(port: object) -> None:
    assert reason({"solr_port_read": port}) == "solr_port_read is no port (1 to 65535)"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("solr_host_read", "%env(SOLR_HOST)%"),
        ("solr_host_read", "user:secret@solr.internal"),
        ("solr_host_read", "solr.internal/x"),
        ("solr_host_read", ["solr"]),
        ("solr_scheme_read", "ftp"),
        ("solr_path_read", "/a/../b"),
        ("solr_path_read", "/a?b"),
        ("solr_core_read", "../admin"),
        ("solr_core_read", "core en"),
    ],
)
def test_nonsense_makes_the_core_unavailable_and_is_not_repeated(key: str, value: object) -> None:
    assert reason({key: value}).startswith(key)
    assert str(value) not in reason({key: value})


@pytest.mark.parametrize("off", [False, 0, "0", "false"])
def test_a_language_can_be_switched_off(off: object) -> None:
    assert reason({}, {"languageId": 0, "solr_enabled_read": off}) == "switched off"


def test_a_language_can_be_switched_on_where_the_site_is_off() -> None:
    on = {"languageId": 0, "solr_enabled_read": True}
    assert "/core_en/" in url({"solr_enabled_read": False}, on)


def test_without_a_core_there_is_nothing_to_ask() -> None:
    assert reason({"solr_core_read": None}) == "no core configured"


def test_credentials_come_from_the_keys_and_stay_out_of_the_address() -> None:
    found = read({"solr_username_read": "reader", "solr_password_read": "pa%ss:w@rd"})
    assert isinstance(found, Endpoint)
    assert found.credentials is not None
    assert found.credentials.password == "pa%ss:w@rd"
    for text in (found.select_url, repr(found)):
        assert "reader" not in text
        assert "pa%ss" not in text


@pytest.mark.parametrize(("there", "missing"), [("username", "password"), ("password", "username")])
def test_one_credential_without_the_other_is_an_error(there: str, missing: str) -> None:
    assert reason({f"solr_{there}_read": "x"}).startswith(f"solr_{missing}_read is missing")


def test_two_sites_with_the_same_keys_share_a_core() -> None:
    first = endpoint_of(site(), language())
    second = endpoint_of(site("other", 2, keys={"solr_path_read": "/"}), language())
    assert first == second
