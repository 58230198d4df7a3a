"""What a real TYPO3 built and read: tests/vectors/routing.json, chash.json and files.json."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from tests.unit.typo3.recorded import (
    FILE,
    SITES,
    STORAGE,
    Case,
    RoutingDatabase,
    is_as_recorded,
    is_below_a_mount_point,
    is_matched_as_recorded,
    request_of,
    vector_database,
    vectors,
)
from typo3_retrieval.adapters.site_files import read_sites
from typo3_retrieval.typo3.chash import CacheHash, CacheHashError
from typo3_retrieval.typo3.files import public_files
from typo3_retrieval.typo3.pages import load_pages
from typo3_retrieval.typo3.routing import Router, RoutingError, RoutingSettings, UrlRequest
from typo3_retrieval.typo3.routing.matching import Matcher
from typo3_retrieval.typo3.sites import Sites

ROUTING: Mapping[str, Any] = vectors("routing")
CHASH: Mapping[str, Any] = vectors("chash")
FILES: Mapping[str, Any] = vectors("files")
LANGUAGE_BASES = [case for case in ROUTING["urls"] if case["kind"] == "language-base"]
URLS = [case for case in ROUTING["urls"] if case["kind"] != "language-base"]


def now() -> int:
    return int(ROUTING["now"])


@cache
def read(context: str = "Production") -> Sites:
    return read_sites(SITES, context=context, environment=ROUTING["environment"])


@pytest.fixture(scope="module")
def database() -> RoutingDatabase:
    return vector_database(ROUTING)


@pytest.fixture(scope="module")
def router(database: RoutingDatabase) -> Router:
    settings = RoutingSettings(encryption_key=ROUTING["encryption_key"])
    return Router(read(), database, settings, now=now)


@pytest.fixture(scope="module")
def matcher(database: RoutingDatabase) -> Matcher:
    return Matcher(read(), database, now=now)


def described(case: Case) -> str:
    return f"{case['kind']}-{case['page']}"


@pytest.mark.parametrize("case", URLS, ids=described)
def test_a_url_is_built_as_recorded(router: Router, case: Case) -> None:
    built = router.build_all([request_of(case)])[0]
    assert is_as_recorded(case, built, read()), built


@pytest.mark.parametrize("case", LANGUAGE_BASES, ids=lambda case: case["base"])
def test_a_language_is_read_as_recorded(case: Case) -> None:
    language = read().named(case["site"]).language(case["language"])
    assert language is not None
    assert language.base == case["base"]
    assert language.enabled == case["enabled"]
    assert language.fallback_type == case["fallbackType"]
    assert list(language.fallbacks) == case["fallbacks"]


@pytest.mark.parametrize(
    "case", ROUTING["base_variants"], ids=lambda case: f"{case['context']}-{case['language_base']}"
)
def test_a_base_is_chosen_as_recorded(database: RoutingDatabase, case: Case) -> None:
    sites = read(case["context"])
    site = sites.named(case["site"])
    language = site.language(case["language"])
    assert language is not None
    assert (site.base, language.base) == (case["site_base"], case["language_base"])
    if case["page_2_url"]:
        request = UrlRequest(page_uid=2, language_id=case["language"])
        assert Router(sites, database, now=now).build(request).url == case["page_2_url"]


@pytest.mark.parametrize("case", ROUTING["site_of_page"], ids=lambda case: str(case["page"]))
def test_a_page_is_in_the_recorded_site(database: RoutingDatabase, case: Case) -> None:
    line = load_pages(database, [case["page"]]).rootline(case["page"]) or ()
    site = read().of_rootline(page.uid for page in line)
    assert (site.identifier if site else None) == case["site"]


@pytest.mark.parametrize("case", ROUTING["matches"], ids=lambda case: case["url"])
def test_a_url_is_read_as_recorded(matcher: Matcher, case: Case) -> None:
    match = _matched(matcher.match, case["url"])
    assert is_matched_as_recorded(case, match) != is_below_a_mount_point(case), match


def _matched(match: Callable[[str], Any], url: str) -> Any:
    try:
        return match(url)
    except RoutingError as error:
        return error


@pytest.mark.parametrize("case", CHASH["cases"], ids=str)
@pytest.mark.parametrize(("version", "column"), [(13, "chash"), (14, "chash_v14_formula")])
def test_a_hash_is_as_recorded(case: Case, version: int, column: str) -> None:
    chash = CacheHash(CHASH["encryption_key"], typo3_version=version)
    if "code" in case:
        with pytest.raises(CacheHashError) as raised:
            chash.of_query(case["query"])
        assert raised.value.code == case["code"]
    elif "query" in case:
        assert chash.of_query(case["query"]) == case[column]
    elif version < 14:  # arrays were hashed by 13.4 only
        assert chash.of_parameters(case["calculateCacheHash"]) == case[column]


@pytest.mark.parametrize("case", FILES["cases"], ids=lambda case: str(case["uid"]))
def test_a_file_has_the_recorded_address(case: Case) -> None:
    database = RoutingDatabase().add("sys_file_storage", STORAGE, FILES["storages"])
    database.add("sys_file", FILE, [{name: case[name] for name in FILE if name in case}])
    found = public_files(database, [case["uid"]]).get(case["uid"])
    recorded = case.get("public_url_web")
    if not isinstance(recorded, str) or "eID=dumpFile" in recorded:
        recorded = None
    assert (found.path if found else None) == recorded
