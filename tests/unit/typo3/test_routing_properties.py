"""What holds for every page, argument and configuration."""

import random
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.typo3.recorded import SITES, RoutingDatabase, vector_database, vectors
from tests.unit.typo3.rows import NOW, PAGE
from typo3_retrieval.adapters.site_files import read_sites
from typo3_retrieval.typo3.routing import (
    BuiltUrl,
    Router,
    RoutingError,
    RoutingSettings,
    UrlRequest,
)
from typo3_retrieval.typo3.routing.enhancers import parse_enhancers
from typo3_retrieval.typo3.routing.matching import Matcher
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

RECORDED: Mapping[str, Any] = vectors("routing")
RECORDED_SITES = read_sites(SITES, context="Production", environment=RECORDED["environment"])
RECORDED_ROUTER = Router(
    RECORDED_SITES,
    vector_database(RECORDED),
    RoutingSettings(encryption_key="key"),
    now=lambda: int(RECORDED["now"]),
)
RECORDED_MATCHER = Matcher(
    RECORDED_SITES, vector_database(RECORDED), now=lambda: int(RECORDED["now"])
)

# Whatever an editor may type, but for what TYPO3's own slug field never stores.
SEGMENT = st.text(
    st.characters(
        codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"], exclude_characters="/"
    ),
    min_size=1,
    max_size=12,
).filter(lambda text: "%2F" not in text.upper())
SLUG = st.lists(SEGMENT, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(SLUG, st.sampled_from(["https://www.example.org/", "http://x.example:8080/de/", "//a.b/"]))
def test_every_slug_leads_back_to_its_page(slug: str, base: str) -> None:
    language = SiteLanguage(language_id=0, base=base)
    site = Site(identifier="main", root_page_uid=1, base=base, languages=(language,))
    rows = [{**PAGE, "uid": 1, "slug": "/"}, {**PAGE, "uid": 2, "pid": 1, "slug": slug}]
    tables, sites = RoutingDatabase(rows), Sites(sites=(site,))
    address = Router(sites, tables, now=lambda: NOW).build(UrlRequest(page_uid=2)).url
    assert address.isascii()
    assert Matcher(sites, tables, now=lambda: NOW).match(address).page_uid == 2


# Names that the recorded sites' enhancers know, so that their routes are tried, and any others.
KNOWN = """
    tx_minirecords_pi1 controller action item currentPage page year month cat size term search
    tx_track code tx_case_pi record number case step rec type MP _language id cHash L
"""
NAMES = st.sampled_from(KNOWN.split()) | st.text(max_size=4)
# Not names of which PHP makes one, or counts: of those the last one wins, or has a higher number.
FIRM_NAMES = st.sampled_from(KNOWN.split()) | st.text("abcä._-%&01", min_size=1, max_size=4)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=[]), max_size=6)
    | st.sampled_from(["Item", "list", "detail", "archive", "2026", "01", "1", "books", "20-61"])
)


def maps(names: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.recursive(
        st.dictionaries(names, SCALARS, max_size=5),
        lambda inner: st.dictionaries(names, SCALARS | inner | st.lists(SCALARS, max_size=2)),
        max_leaves=10,
    )


PAGES = st.sampled_from([1, 3, 20, 21, 25, 26, 30, 31, 33, 61, 201, 221, 1003]) | st.integers()


@given(
    PAGES,
    st.integers(-2, 5),
    maps(NAMES),
    st.text(st.characters(exclude_categories=[]), max_size=5),
    st.sampled_from([None, "main", "campaign", "intranet", "nope"]),
)
def test_no_request_raises_anything_but_the_routers_own_errors(
    page: int, language_id: int, arguments: dict[str, Any], fragment: str, site: str | None
) -> None:
    request = UrlRequest(
        page_uid=page, language_id=language_id, arguments=arguments, fragment=fragment, site=site
    )
    (built,) = RECORDED_ROUTER.build_all([request])
    if isinstance(built, BuiltUrl):
        assert built.url.isascii()
        assert not any(each in built.url for each in ' \n"<>\\^`{|}')
    else:
        assert isinstance(built, RoutingError)


@given(PAGES, maps(FIRM_NAMES), st.randoms(use_true_random=False))
def test_the_hash_does_not_depend_on_the_order_of_arguments(
    page: int, arguments: dict[str, Any], chance: random.Random
) -> None:
    one, other = RECORDED_ROUTER.build_all(
        [
            UrlRequest(page_uid=page, arguments=each)
            for each in (arguments, _shuffled(arguments, chance))
        ]
    )
    if isinstance(one, BuiltUrl) and isinstance(other, BuiltUrl):
        assert _hash(one.url) == _hash(other.url)


def _hash(url: str) -> object:
    return parse_qs(urlsplit(url).query).get("cHash")


def _shuffled(arguments: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    items = list(arguments.items())
    chance.shuffle(items)
    return {k: _shuffled(v, chance) if isinstance(v, dict) else v for k, v in items}


RECORDS = st.sampled_from([1, 2, 3, 5, 9, 10, 12])
RANGES = st.integers(1, 5)
LANGUAGES = st.sampled_from([0, 2, 3])
ROUTES: dict[int, st.SearchStrategy[dict[str, Any]]] = {
    30: st.builds(
        lambda page: {"tx_minirecords_pi1": {"controller": "Item", "action": "list", **page}},
        st.builds(lambda number: {"currentPage": str(number)}, RANGES),
    ),
    31: st.builds(
        lambda item: {
            "tx_minirecords_pi1": {"controller": "Item", "action": "detail", "item": str(item)}
        },
        RECORDS,
    ),
    25: st.builds(
        lambda case, step: {"tx_case_pi": {"record": {"number": str(case)}, "step": str(step)}},
        st.integers(0, 999_999),
        RANGES,
    ),
    20: st.builds(
        lambda cat, size: {"cat": cat, "size": size},
        st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=8),
        st.sampled_from(["all", "small", "large"]),
    ),
}


@given(st.data(), st.sampled_from(sorted(ROUTES)), LANGUAGES)
def test_what_an_enhancer_writes_is_read_again(
    data: st.DataObject, page: int, language_id: int
) -> None:
    arguments = data.draw(ROUTES[page])
    request = UrlRequest(page_uid=page, language_id=language_id, arguments=arguments)
    match = RECORDED_MATCHER.match(RECORDED_ROUTER.build(request).url)
    assert (match.page_uid, match.language.language_id) == (page, language_id)
    assert match.route_arguments == arguments


CONFIGURED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)
KEYS = """
    routePath limitToPages namespace extension plugin routes defaults requirements aspects map
    default index _arguments defaultController
"""


@given(
    st.sampled_from(["Simple", "Plugin", "Extbase", "PageType"]),
    st.dictionaries(
        st.sampled_from(KEYS.split()),
        CONFIGURED | st.just("/{a}-{!b}") | st.just({"a": {"type": "x"}}),
    ),
)
def test_no_enhancer_configuration_breaks_the_reading(kind: str, settings: dict[str, Any]) -> None:
    enhancers = parse_enhancers(
        {"Any": {**settings, "type": kind}}, SiteLanguage(language_id=0, base="/")
    )
    assert len(enhancers) == 1
