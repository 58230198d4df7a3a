"""The router: one page, one URL; many pages, few statements."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.unit.typo3.recorded import RECORD, RoutingDatabase
from tests.unit.typo3.rows import (
    CHAIN,
    DISABLED,
    FALLBACK,
    FUTURE,
    NOW,
    PAGE,
    PAST,
    STRICT,
    TableRow,
)
from tests.unit.typo3.rows import SITES as LANGUAGES
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.typo3.database import Parameter, Row
from typo3_retrieval.typo3.pages import load_pages
from typo3_retrieval.typo3.routing import (
    BuiltUrl,
    Router,
    RoutingError,
    RoutingSettings,
    UrlRequest,
)
from typo3_retrieval.typo3.routing.model import NoAddress
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

HOST = "https://www.example.org"
SETTINGS = RoutingSettings(encryption_key="key")
NEWS = {
    "type": "Extbase",
    "extension": "news",
    "plugin": "Pi1",
    "routes": [
        {"routePath": "/", "_controller": "News::list"},
        {"routePath": "/page/{page}", "_controller": "News::list", "_arguments": {"page": "at/p"}},
        {"routePath": "/{title}", "_controller": "News::detail", "_arguments": {"title": "news"}},
    ],
    "defaultController": "News::list",
    "defaults": {"page": "1"},
    "aspects": {
        "page": {"type": "StaticRangeMapper", "start": "1", "end": "5"},
        "title": {
            "type": "PersistedAliasMapper",
            "tableName": "tx_news",
            "routeFieldName": "slug",
        },
    },
}
SUFFIX = {"type": "PageType", "default": "/", "index": "", "map": {"print.html": 98}}


def database() -> RoutingDatabase:
    pages: list[TableRow] = [
        {"uid": 1, "slug": "/"},
        {"uid": 2, "pid": 1, "slug": "/two"},
        {"uid": 3, "pid": 2, "slug": "/two/three"},
        {"uid": 4, "pid": 1, "slug": "/hidden", "hidden": 1},
        {"uid": 5, "pid": 1, "slug": "/restricted", "fe_group": "1"},
        {"uid": 6, "pid": 1, "slug": "/mount", "doktype": 7, "mount_pid": 2},
        {"uid": 7, "pid": 1, "slug": "/recycler", "doktype": 255},
        {"uid": 8, "pid": 0, "slug": "/nowhere"},
        {"uid": 50, "pid": 0, "slug": "/", "is_siteroot": 1},
        {"uid": 51, "pid": 50, "slug": "/mount", "doktype": 7, "mount_pid": 2},
        {"uid": 102, "pid": 1, "slug": "/zwei", "sys_language_uid": STRICT, "l10n_parent": 2},
        {
            "uid": 103,
            "pid": 2,
            "slug": "/zwei/drei",
            "sys_language_uid": STRICT,
            "l10n_parent": 3,
            "hidden": 1,
        },
        {"uid": 105, "pid": 1, "slug": "/montage", "sys_language_uid": STRICT, "l10n_parent": 6},
    ]
    news: list[TableRow] = [
        {"uid": 1, "slug": "one"},
        {"uid": 2, "slug": "two"},
        {"uid": 3, "slug": "three", "starttime": FUTURE},
    ]
    return RoutingDatabase({**PAGE, **page} for page in pages).add("tx_news", RECORD, news)


def sites(**enhancers: Mapping[str, Any]) -> Sites:
    (main,) = LANGUAGES
    languages = (replace(main.languages[0], base=f"{HOST}/"), *main.languages[1:])
    other = Site(
        identifier="other",
        root_page_uid=50,
        base="https://other.example.org/",
        languages=(SiteLanguage(language_id=0, base="https://other.example.org/"),),
    )
    return Sites(sites=(replace(main, languages=languages, route_enhancers=enhancers), other))


def router(tables: RoutingDatabase | None = None, **enhancers: Mapping[str, Any]) -> Router:
    return Router(sites(**enhancers), tables or database(), SETTINGS, now=lambda: NOW)


def url(uid: int, language_id: int = 0, **arguments: Any) -> str:
    request = UrlRequest(page_uid=uid, language_id=language_id, arguments=arguments)
    return router().build(request).url


def enhanced(uid: int, arguments: Mapping[str, Any], **enhancers: Mapping[str, Any]) -> BuiltUrl:
    configured = Router(sites(**enhancers), database(), SETTINGS, now=lambda: NOW)
    return configured.build(UrlRequest(page_uid=uid, arguments=arguments))


def without_hash(address: str) -> str:
    path, _, query = address.removeprefix(HOST).partition("?")
    left = "&".join(pair for pair in query.split("&") if not pair.startswith("cHash="))
    return f"{path}?{left}" if left else path


# --- pages ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uid", "language_id", "address"),
    [
        (1, 0, f"{HOST}/"),
        (2, 0, f"{HOST}/two"),
        (2, STRICT, f"{HOST}/1/zwei"),
        (2, CHAIN, f"{HOST}/4/zwei"),  # the German slug under the other language's base
        (2, FALLBACK, f"{HOST}/2/two"),
        (2, DISABLED, f"{HOST}/5/two"),  # has addresses, though nobody may ask for it
        (3, STRICT, f"{HOST}/1/two/three"),  # a hidden translation is none
        (5, 0, f"{HOST}/restricted"),  # a restricted page has its address
        (102, 0, f"{HOST}/zwei"),  # a translation's uid gives its own slug
    ],
)
def test_a_page_has_the_address_of_its_slug(uid: int, language_id: int, address: str) -> None:
    assert url(uid, language_id) == address


@pytest.mark.parametrize("uid", [4, 99, 0, -1, 2**70])
def test_a_page_that_nobody_may_see_has_none_and_is_not_the_home_page(uid: int) -> None:
    request = UrlRequest(page_uid=uid, site="main")
    with pytest.raises(NoAddress):
        router().build(request)


def test_a_page_starts_and_ends_on_time() -> None:
    tables = RoutingDatabase(
        [{**PAGE, "uid": 1, "slug": "/a", "starttime": PAST, "endtime": NOW + 1}]
    )
    clock = [NOW]
    timed = Router(sites(), tables, now=lambda: clock[0])
    assert timed.build(UrlRequest(page_uid=1)).url == f"{HOST}/a"
    clock[0] = NOW + 60  # TYPO3 floors the time to the minute
    with pytest.raises(NoAddress, match="ended"):
        timed.build(UrlRequest(page_uid=1))


def test_a_recycler_is_a_page_since_13() -> None:
    assert url(7) == f"{HOST}/recycler"
    settings = replace(SETTINGS, typo3_version=12)
    with pytest.raises(NoAddress):
        Router(sites(), database(), settings, now=lambda: NOW).build(UrlRequest(page_uid=7))


@pytest.mark.parametrize(
    ("page", "code"),
    [
        (UrlRequest(page_uid=8), 1521716622),
        (UrlRequest(page_uid=2, language_id=77), 1522960188),
        (UrlRequest(page_uid=2, arguments={"_language": -1}), 1522960188),
        (UrlRequest(page_uid=2, site="nope"), 0),
    ],
)
def test_what_typo3_refuses_we_refuse_with_its_code(page: UrlRequest, code: int) -> None:
    with pytest.raises(RoutingError) as raised:
        router().build(page)
    assert raised.value.code == code


@pytest.mark.parametrize(
    ("given", "address"),
    [(None, "/two"), ("", "/two"), ("de", "/two"), ("1", "/1/zwei"), (1, "/1/zwei"), ([], "/two")],
)
def test_the_language_argument_is_cast_as_php_does(given: object, address: str) -> None:
    assert url(2, FALLBACK, _language=given) == HOST + address


# --- bases and encoding --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://www.example.org/", "https://www.example.org/a%20%C3%A4"),
        ("https://www.example.org:8443/de/", "https://www.example.org:8443/de/a%20%C3%A4"),
        ("https://www.example.org:443/", "https://www.example.org/a%20%C3%A4"),
        ("http://www.example.org:80/", "http://www.example.org/a%20%C3%A4"),
        ("http://www.example.org:443/", "http://www.example.org:443/a%20%C3%A4"),
        ("//www.example.org/", "https://www.example.org/a%20%C3%A4"),
        ("//www.example.org:8443/", "https://www.example.org/a%20%C3%A4"),
        ("https://user:pw@www.example.org/", "https://www.example.org/a%20%C3%A4"),
        ("https://[::1]:8443/", "https://[::1]:8443/a%20%C3%A4"),
        ("https://www.example.org/größe/", "https://www.example.org/gr%C3%B6%C3%9Fe/a%20%C3%A4"),
        ("/de/", "/de/a%20%C3%A4"),
        ("/", "/a%20%C3%A4"),
    ],
)
def test_the_base_of_the_language_stands_before_the_path(base: str, address: str) -> None:
    language = SiteLanguage(language_id=0, base=base)
    site = Site(identifier="x", root_page_uid=1, base=base, languages=(language,))
    tables = RoutingDatabase([{**PAGE, "uid": 1, "slug": "/a ä"}])
    built = Router(Sites(sites=(site,)), tables, now=lambda: NOW).build(UrlRequest(page_uid=1))
    assert built.url == address
    assert any("no host" in told for told in built.explanation) == base.startswith("/", 0, 1) * (
        not base.startswith("//")
    )


def test_a_base_without_scheme_meant_http_before_13() -> None:
    language = SiteLanguage(language_id=0, base="//www.example.org/")
    site = Site(identifier="x", root_page_uid=1, base=language.base, languages=(language,))
    tables = RoutingDatabase([{**PAGE, "uid": 1, "slug": "/a"}])
    settings = replace(SETTINGS, typo3_version=12)
    old = Router(Sites(sites=(site,)), tables, settings, now=lambda: NOW)
    assert old.build(UrlRequest(page_uid=1)).url == "http://www.example.org/a"


@pytest.mark.parametrize(
    ("slug", "path"),
    [
        ("", "/"),
        ("/", "/"),
        ("/a/", "/a/"),
        ("a", "/a"),
        ("/Archive/v1.2 notes", "/Archive/v1.2%20notes"),
        ("/a@b:c;d,e=f+g", "/a@b:c;d,e=f+g"),
        ("/a!b*c|d'e(f)", "/a%21b%2Ac%7Cd%27e%28f%29"),
        ("/50%", "/50%25"),
        ("/a?b#c&d$e", "/a%3Fb%23c%26d%24e"),
        ("/a/../b/./c/..", "/a/%2E%2E/b/%2E/c/%2E%2E"),
        ("/.", "/%2E"),
        ("//evil.example/x", "/evil.example/x"),
        (" /a ", "/%20/a"),
    ],
)
def test_a_path_is_percent_encoded(slug: str, path: str) -> None:
    tables = RoutingDatabase([{**PAGE, "uid": 1, "slug": slug}])
    built = Router(sites(), tables, now=lambda: NOW).build(UrlRequest(page_uid=1))
    assert built.url == HOST + path


@pytest.mark.parametrize(
    ("fragment", "encoded"),
    [("", ""), ("c12", "#c12"), ("#c 1ä", "#c%201%C3%A4"), ("a%20b%", "#a%20b%25"), ("0", "")],
)
def test_a_fragment_is_encoded_once(fragment: str, encoded: str) -> None:
    assert router().build(UrlRequest(page_uid=2, fragment=fragment)).url == f"{HOST}/two{encoded}"


# --- queries -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        ({"b": 1, "a": 2}, "a=2&b=1"),
        ({"a": None, "b": [], "c": {"d": {}}}, ""),
        ({"a": True, "b": False, "c": 1.5}, "a=1&b=0&c=1.5"),
        ({"a": {"b10": 1, "b9": 2}}, "a%5Bb9%5D=2&a%5Bb10%5D=1"),
        ({"a": ["x", "y"]}, "a%5B0%5D=x&a%5B1%5D=y"),
        ({"a.b c": "d"}, "a_b_c=d"),
        ({"a[b]": "c"}, "a%5Bb%5D=c"),
        ({"a": "b c+d&e%20"}, "a=b%20c%2Bd%26e%2520"),
        ({"id": 7, "cHash": "x"}, ""),
        ({"type": 98}, "type=98"),
        ({1: "x"}, "1=x"),
    ],
)
def test_arguments_become_a_sorted_query(arguments: dict[Any, Any], query: str) -> None:
    built = router().build(UrlRequest(page_uid=2, arguments=arguments))
    assert without_hash(built.url) == ("/two?" + query if query else "/two")


@pytest.mark.parametrize(
    ("arguments", "hashed"),
    [({"a": 1}, True), ({"type": 98}, False), ({"utm_source": "x"}, False), ({}, False)],
)
def test_only_what_matters_to_the_page_is_hashed(arguments: dict[str, Any], hashed: bool) -> None:
    assert ("cHash=" in url(2, **arguments)) == hashed


def test_the_hash_is_the_same_in_every_language_and_comes_last() -> None:
    hashes = {parse_qs(urlsplit(url(2, each, z=1)).query)["cHash"][0] for each in (0, STRICT)}
    assert len(hashes) == 1
    assert url(2, z=1).endswith(f"?z=1&cHash={hashes.pop()}")


def test_without_an_encryption_key_no_url_pretends_to_have_a_hash() -> None:
    keyless = Router(sites(), database(), now=lambda: NOW)
    assert keyless.build(UrlRequest(page_uid=2)).url == f"{HOST}/two"
    with pytest.raises(RoutingError, match="RETRIEVAL_TYPO3_SECRET"):
        keyless.build(UrlRequest(page_uid=2, arguments={"a": 1}))


@pytest.mark.parametrize("arguments", [{"a": b"x"}, {"a": object()}, {"a": {"b": {1, 2}}}])
def test_what_a_url_cannot_carry_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(RoutingError, match="cannot carry"):
        url(2, **arguments)


# --- mount points --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uid", "language_id", "pairs", "address"),
    [
        (3, 0, "2-6", "/mount/three"),
        (3, STRICT, "2-6", "/1/montage/two/three"),  # its slug does not begin with the root's
        (2, 0, "2-6", "/mount/"),
        (6, 0, "2-6", "/mount"),
        (3, 0, "2-3", "/two/three"),  # 3 mounts nothing
        (3, 0, "2-99", "/two/three"),
        (3, 0, "", "/two/three?MP="),
        (3, 0, "0", "/two/three?MP=0"),
    ],
)
def test_the_mounting_pages_slug_replaces_the_mounted_ones(
    uid: int, language_id: int, pairs: str, address: str
) -> None:
    assert url(uid, language_id, MP=pairs) == HOST + address


def test_a_mount_point_of_another_site_answers_under_its_base() -> None:
    assert url(3, MP="2-51") == "https://other.example.org/mount/three"


@pytest.mark.parametrize("given", ["bad", "2-6,x", ["2-6"]])
def test_a_malformed_mount_point_is_refused(given: object) -> None:
    with pytest.raises(RoutingError, match="MP"):
        url(3, MP=given)


# --- page types ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decorator", "uid", "kind", "address"),
    [
        (SUFFIX, 2, None, "/two/"),
        (SUFFIX, 1, None, "/"),
        (SUFFIX, 2, 98, "/two/print.html"),
        (SUFFIX, 2, "", "/two/"),
        (SUFFIX, 2, 77, "/two?type=77"),
        ({**SUFFIX, "default": ".html", "index": "index"}, 1, 0, "/index.html"),
        ({**SUFFIX, "default": ".html", "index": "index"}, 2, 0, "/two.html"),
        ({**SUFFIX, "default": ".html", "map": {".html": 0}}, 2, 0, "/two.html"),
        ({**SUFFIX, "limitToPages": [3]}, 2, None, "/two"),
        ({"type": "PageType"}, 2, 98, "/two?type=98"),  # no map: cannot be used
    ],
)
def test_a_page_type_becomes_a_suffix(
    decorator: dict[str, Any], uid: int, kind: object, address: str
) -> None:
    arguments = {} if kind is None else {"type": kind}
    assert enhanced(uid, arguments, Type=decorator).url == HOST + address


# --- enhancers -----------------------------------------------------------------------------


def news(**arguments: Any) -> dict[str, Any]:
    return {"tx_news_pi1": arguments}


@pytest.mark.parametrize(
    ("arguments", "address"),
    [
        (news(controller="News", action="list"), "/two/page"),
        (news(action="list"), "/two/page"),
        (news(at={"p": 2}), "/two/page/2"),
        (news(at={"p": 9}), "/two/"),
        (news(controller="News", action="detail", news=1), "/two/one"),
        (news(controller="News", action="detail", title=2), "/two/two"),
        (news(controller="News", action="detail", news=1, x="y"), "/two/one"),
        (news(controller="Other", action="detail", news=1), "/two"),
        ({"tx_news_pi1": "x"}, "/two"),
    ],
)
def test_extbase_takes_its_routes_by_controller_and_action(
    arguments: dict[str, Any], address: str
) -> None:
    assert urlsplit(enhanced(2, arguments, News=NEWS).url).path == address


def test_what_the_path_does_not_take_stays_in_the_query() -> None:
    arguments = news(controller="News", action="detail", news=1, x={"y": "z"})
    assert without_hash(enhanced(2, arguments, News=NEWS).url) == (
        "/two/one?tx_news_pi1%5Bx%5D%5By%5D=z"
    )


def test_a_mapped_argument_needs_no_hash_and_a_free_one_does() -> None:
    arguments = news(controller="News", action="detail", news=1)
    assert enhanced(2, arguments, News=NEWS).url == f"{HOST}/two/one"
    free = {"type": "Simple", "routePath": "/tag/{tag}"}
    assert "cHash=" in enhanced(2, {"tag": "a"}, Tag=free).url


def test_a_record_that_is_not_there_goes_into_the_query_with_its_reason() -> None:
    built = enhanced(2, news(controller="News", action="detail", news=3), News=NEWS)
    assert without_hash(built.url).startswith("/two?tx_news_pi1%5Baction%5D=detail")
    assert any("PersistedAliasMapper does not map" in told for told in built.explanation)


def test_the_explanation_names_enhancer_and_aspects() -> None:
    built = enhanced(2, news(controller="News", action="detail", news=1), News=NEWS)
    assert built.explanation[0].startswith('Route enhancer "News" made the path')
    assert 'mapped tx_news_pi1__news "1" to "one"' in built.explanation[1]


@pytest.mark.parametrize(
    "enhancer",
    [
        {"type": "OwnEnhancer"},
        {"type": "Simple"},
        {"type": "Simple", "routePath": "/{a}", "aspects": {"a": {"type": "OwnAspect"}}},
        {"type": "Simple", "routePath": "/{a}", "aspects": ["x"]},
        {"type": "Simple", "routePath": "/{a}/{a}"},
        {"type": "Plugin", "routePath": "/{a}"},
        {"type": "Simple", "routePath": "/{a}", "limitToPages": ['page["doktype"] == 1']},
    ],
)
def test_an_enhancer_that_cannot_be_used_leaves_its_arguments_in_the_query(
    enhancer: dict[str, Any],
) -> None:
    built = enhanced(2, {"a": "x"}, Own=enhancer)
    assert without_hash(built.url) == "/two?a=x"
    assert 'Route enhancer "Own" cannot be used' in built.explanation[0]


def test_an_enhancer_of_other_pages_is_not_told() -> None:
    built = enhanced(2, {"a": "x"}, Own={"type": "OwnEnhancer", "limitToPages": [3]})
    assert not any("Own" in told for told in built.explanation)


def test_a_value_that_violates_a_requirement_has_no_url() -> None:
    enhancer = {"type": "Simple", "routePath": "/{a}", "requirements": {"a": "[0-9]+"}}
    assert urlsplit(enhanced(2, {"a": "12"}, Own=enhancer).url).path == "/two/12"
    with pytest.raises(RoutingError, match='"a" must match'):
        enhanced(2, {"a": "x"}, Own=enhancer)


def test_a_requirement_that_cannot_be_checked_leaves_the_route_out() -> None:
    enhancer = {"type": "Simple", "routePath": "/{a}", "requirements": {"a": "(?R)"}}
    built = enhanced(2, {"a": "12"}, Own=enhancer)
    assert without_hash(built.url) == "/two?a=12"
    assert "cannot be checked here" in built.explanation[0]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"a": "1", "b": "2", "c": "3"}, "/two/abc/1/2/3"),  # all given: most variables first
        ({"a": "1", "b": "2"}, "/two/ab/1/2"),
        ({"a": "1"}, "/two/a/1"),
        ({"c": "3"}, "/two"),
    ],
)
def test_the_route_with_most_variables_given_wins(arguments: dict[str, Any], path: str) -> None:
    routes: dict[str, dict[str, Any]] = {
        "One": {"type": "Simple", "routePath": "/a/{a}"},
        "Two": {"type": "Simple", "routePath": "/ab/{a}/{b}", "defaults": {"b": "9"}},
        "Three": {"type": "Simple", "routePath": "/abc/{a}/{b}/{c}", "defaults": {"c": "9"}},
    }
    assert urlsplit(enhanced(2, arguments, **routes).url).path == path


def test_arguments_are_renamed_and_nested() -> None:
    enhancer = {
        "type": "Plugin",
        "namespace": "tx_a",
        "routePath": "/{rec}/{deep__er}",
        "_arguments": {"rec": "record/number"},
    }
    arguments = {"tx_a": {"record": {"number": 5, "x": 1}, "deep": {"er": "y"}}}
    assert without_hash(enhanced(2, arguments, A=enhancer).url) == (
        "/two/5/y?tx_a%5Brecord%5D%5Bx%5D=1"
    )


def test_too_many_static_values_are_refused() -> None:
    many = {"type": "StaticRangeMapper", "start": "1", "end": "900"}
    enhancer = {"type": "Simple", "routePath": "/{a}/{b}", "aspects": {"a": many, "b": many}}
    with pytest.raises(RoutingError) as raised:
        enhanced(2, {"a": 1, "b": 2}, A=enhancer)
    assert raised.value.code == 1537696772


# --- statements ----------------------------------------------------------------------------


def wanted(count: int) -> list[UrlRequest]:
    detail = news(controller="News", action="detail", news=1)
    shapes: list[dict[str, Any]] = [{}, detail, {**detail, "MP": "2-6"}, {"rec": 2}]
    return [UrlRequest(page_uid=2 + n % 2, arguments=shapes[n % 4]) for n in range(count)]


RECORD_ENHANCER = {
    "type": "Simple",
    "routePath": "/{rec}",
    "aspects": {
        "rec": {
            "type": "PersistedPatternMapper",
            "tableName": "tx_other",
            "routeFieldPattern": r"^(?P<uid>\d+)-(?P<slug>.+)$",
            "routeFieldResult": "{uid}-{slug}",
        }
    },
}


def test_an_answer_costs_three_statements_whatever_its_length() -> None:
    tables = database().add("tx_other", RECORD, [{"uid": 2, "slug": "b"}])
    many = router(tables, News=NEWS, Other=RECORD_ENHANCER)
    tree = load_pages(tables, [2, 3])
    built = many.build_all(wanted(20), tree)
    assert all(isinstance(each, BuiltUrl) for each in built)
    assert len(tables.statements) == 3  # pages, the mounting page, records of both tables


def test_pages_of_a_given_tree_are_not_loaded_again() -> None:
    tables = database()
    tree = load_pages(tables, [2])
    router(tables).build(UrlRequest(page_uid=2), tree)
    assert len(tables.statements) == 1


def test_records_are_remembered_for_a_minute_and_no_longer() -> None:
    tables, seconds = database(), [0.0]
    timed = Router(sites(News=NEWS), tables, SETTINGS, now=lambda: NOW, clock=lambda: seconds[0])
    request = UrlRequest(page_uid=2, arguments=news(controller="News", action="detail", news=1))
    tree = load_pages(tables, [2])
    assert timed.build(request, tree).url == f"{HOST}/two/one"
    tables._connection.execute("UPDATE tx_news SET slug = 'changed'")
    seconds[0] = 60
    assert timed.build(request, tree).url == f"{HOST}/two/one"
    assert len(tables.statements) == 2
    seconds[0] = 61
    assert timed.build(request, tree).url == f"{HOST}/two/changed"


def test_one_bad_request_leaves_the_others_their_urls() -> None:
    built = router().build_all([UrlRequest(page_uid=2), UrlRequest(page_uid=4)])
    assert isinstance(built[0], BuiltUrl)
    assert isinstance(built[1], RoutingError)


def test_a_database_that_does_not_answer_is_no_missing_page() -> None:
    class Dead(RoutingDatabase):
        def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> list[Row]:
            raise BackendUnavailable("gone")

    with pytest.raises(BackendUnavailable):
        router(Dead()).build(UrlRequest(page_uid=2))


def test_a_router_without_database_serves_the_pages_of_a_tree() -> None:
    tree = load_pages(database(), [2])
    bare = Router(sites(News=NEWS), None, SETTINGS, now=lambda: NOW)
    assert bare.build(UrlRequest(page_uid=2), tree).url == f"{HOST}/two"
    request = UrlRequest(page_uid=2, arguments=news(controller="News", action="detail", news=1))
    assert "/two?" in bare.build(request, tree).url
