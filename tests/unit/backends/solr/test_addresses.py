"""Which site an indexed URL belongs to; anything else is no address of ours."""

import pytest

from tests.unit.backends.solr.fakes import language, site
from typo3_retrieval.backends.solr.addresses import Addresses

MAIN = site(
    "main",
    1,
    languages=[
        language(),
        language(1, "https://www.example.org/de/"),
        language(3, "https://www.example.at/"),
    ],
)
CAMPAIGN = site("campaign", 200, "https://www.example.org/campaign/")
INTRANET = site("intranet", 220, "https://intranet.example.org:8443/")
ADDRESSES = Addresses([MAIN, CAMPAIGN, INTRANET])
ALL = [(each, each.languages[0]) for each in (MAIN, CAMPAIGN, INTRANET)]


@pytest.mark.parametrize(
    ("url", "owner", "absolute"),
    [
        ("/", "main", "https://www.example.org/"),
        ("/news?a=b#c", "main", "https://www.example.org/news?a=b#c"),
        ("/campaign/prizes.html", "campaign", "https://www.example.org/campaign/prizes.html"),
        ("/campaign", "campaign", "https://www.example.org/campaign"),
        ("/campaigns", "main", "https://www.example.org/campaigns"),
        ("/de/aktuelles", "main", "https://www.example.org/de/aktuelles"),
        ("https://www.example.org/x", "main", "https://www.example.org/x"),
        ("HTTPS://WWW.EXAMPLE.ORG/x", "main", "https://WWW.EXAMPLE.ORG/x"),
        ("https://www.example.org:443/x", "main", "https://www.example.org:443/x"),
        ("//www.example.org/x", "main", "https://www.example.org/x"),
        ("https://intranet.example.org:8443/x", "intranet", "https://intranet.example.org:8443/x"),
        ("https://www.example.org", "main", "https://www.example.org/"),
    ],
)
def test_the_longest_base_owns_a_url(url: str, owner: str, absolute: str) -> None:
    found = ADDRESSES.locate(url, ALL)
    assert found is not None
    assert (found.site.identifier, found.url) == (owner, absolute)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "Oops, an error occurred! Request: 79f69bef39bac",
        "news",
        "///evil.example/x",
        "//evil.example/x",
        "https://evil.example/x",
        "https://www.example.org@evil.example/x",
        "https://user:pass@www.example.org/x",
        "https://www.example.org:8080/x",
        "https://intranet.example.org/x",
        "/\\evil.example",
        "\\\\evil.example\\x",
        "/campaign/../intern",
        "/campaign/%2e%2e/intern",
        "/a b",
        "/a\nb",
        "javascript:alert(1)",
        "ftp://www.example.org/x",
        "https:///x",
        "https://[::1/x",
        "https://www.example.org:port/x",
        "mailto:info@example.org",
    ],
)
def test_what_lies_below_none_of_our_bases_is_refused(url: str) -> None:
    assert ADDRESSES.locate(url, ALL) is None


def test_a_path_is_one_on_the_languages_host() -> None:
    found = ADDRESSES.locate("/archiv", [(MAIN, MAIN.languages[2])])
    assert found is not None
    assert found.url == "https://www.example.at/archiv"


def test_a_page_of_another_site_is_not_a_hit_for_this_one() -> None:
    assert ADDRESSES.locate("/campaign/prizes.html", ALL[:1]) is None


def test_a_site_without_a_host_has_no_addresses() -> None:
    bare = site("bare", 5, "/")
    assert Addresses([bare]).locate("/x", [(bare, bare.languages[0])]) is None
