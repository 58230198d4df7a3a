"""Sites and their languages."""

import pytest

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites


def site(identifier: str, root: int) -> Site:
    language = SiteLanguage(language_id=0, base="/")
    return Site(identifier=identifier, root_page_uid=root, base="/", languages=(language,))


SITES = Sites(sites=(site("main", 1), site("campaign", 200)))


@pytest.mark.parametrize(
    ("rootline", "identifier"),
    [
        ([5, 2, 1], "main"),
        ([1], "main"),
        ([201, 200, 2, 1], "campaign"),
        ([7, 8], None),
        ([], None),
    ],
)
def test_the_nearest_root_tells_the_site(rootline: list[int], identifier: str | None) -> None:
    found = SITES.of_rootline(rootline)
    assert (found.identifier if found else None) == identifier


def test_an_unknown_site_is_answered_with_the_known_ones() -> None:
    assert SITES.named("campaign").root_page_uid == 200
    with pytest.raises(InvalidInput, match="Sites: main, campaign"):
        SITES.named("nope")
    with pytest.raises(InvalidInput, match="Sites: none"):
        Sites().named("nope")


def test_no_site_means_all() -> None:
    assert [each.identifier for each in SITES.asked(None)] == ["main", "campaign"]
    assert [each.identifier for each in SITES.asked("main")] == ["main"]
    assert len(SITES) == len(list(SITES)) == 2


@pytest.mark.parametrize(
    ("locale", "code"),
    [("de_AT.UTF-8", "de"), ("de-AT", "de"), ("DE", "de"), ("", ""), ("no_NO", "no")],
)
def test_the_code_is_the_locales_language(locale: str, code: str) -> None:
    assert SiteLanguage(language_id=0, base="/", locale=locale).code == code


def test_a_language_is_found_by_its_id() -> None:
    assert SITES.named("main").language(0)
    assert SITES.named("main").language(1) is None
