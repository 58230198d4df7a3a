"""One site's configuration, from its mapping."""

import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.typo3.site_configuration import parse_site, sanitized_base
from typo3_retrieval.typo3.sites import Site, SiteLanguage

BASE = "https://www.example.org/"


def parse(
    configuration: dict[str, Any],
    *,
    context: str = "Production",
    environment: dict[str, str] | None = None,
) -> Site:
    return parse_site(
        "main", configuration, context=context, environment=environment or {}, source="main/c.yaml"
    )


def language(base: str | None = "/", **more: Any) -> dict[str, Any]:
    return {"languageId": 0, "title": "English", "locale": "en_GB.UTF-8", "base": base, **more}


def only_language(site_base: str, language_base: str | None, **more: Any) -> SiteLanguage:
    configuration = {"rootPageId": 1, "base": site_base}
    return parse({**configuration, "languages": [language(language_base, **more)]}).languages[0]


@pytest.mark.parametrize(
    ("site_base", "language_base", "resolved"),
    [
        (BASE, "/", BASE),
        (BASE, "", BASE),
        (BASE, None, BASE),
        (BASE, "/de/", "https://www.example.org/de/"),
        (BASE, "/de", "https://www.example.org/de/"),
        (BASE, "de", "https://www.example.org/de/"),
        (BASE, "/de/at/", "https://www.example.org/de/at/"),
        (BASE, "https://www.example.at/", "https://www.example.at/"),
        (BASE, "//www.example.at", "//www.example.at/"),
        (BASE, "www.example.at", "//www.example.at/"),
        (BASE, "https://www.example.at:8443/x", "https://www.example.at:8443/x/"),
        ("https://www.example.org/campaign", "/de/", "https://www.example.org/campaign/de/"),
        ("https://www.example.org:8443/", "/de/", "https://www.example.org:8443/de/"),
        ("/", "/de/", "/de/"),
        ("", "/", "/"),
        ("www.example.org", "/de/", "//www.example.org/de/"),
        ("/campaign/", "/", "/campaign/"),
    ],
)
def test_a_languages_base_is_resolved_against_the_sites(
    site_base: str, language_base: str | None, resolved: str
) -> None:
    assert only_language(site_base, language_base).base == resolved


@given(st.text(alphabet="abc./:", max_size=20))
def test_a_sanitized_base_stays_as_it_is(base: str) -> None:
    assert sanitized_base(sanitized_base(base)) == sanitized_base(base)


@pytest.mark.parametrize(
    ("context", "base"),
    [
        ("Production", BASE),
        ("Production/Staging", "https://staging.example.org/"),
        ("Development/Local", "https://local.example.org/"),
    ],
)
def test_the_first_variant_that_applies_is_the_base(context: str, base: str) -> None:
    site = parse(
        {
            "rootPageId": 1,
            "base": BASE,
            "baseVariants": [
                {
                    "base": "https://staging.example.org",
                    "condition": 'applicationContext == "Production/Staging"',
                },
                {
                    "base": "https://%env(LOCAL_HOST)%/",
                    "condition": 'applicationContext matches "#^Development#"',
                },
                {"base": "https://never.example.org/", "condition": "true"},
            ][: 2 if context == "Production" else 3],
        },
        context=context,
        environment={"LOCAL_HOST": "local.example.org"},
    )
    assert site.base == base


def test_a_language_has_variants_of_its_own() -> None:
    variant = {"base": "https://at.staging.example.org/", "condition": "true"}
    assert (
        only_language(BASE, "https://www.example.at/", baseVariants=[variant]).base
        == "https://at.staging.example.org/"
    )


def test_a_placeholder_of_a_variant_that_does_not_apply_is_nobodys_trouble() -> None:
    variant = {"base": "%env(DDEV_PRIMARY_URL)%", "condition": 'getenv("IS_DDEV") == "true"'}
    assert parse({"rootPageId": 1, "base": BASE, "baseVariants": [variant]}).base == BASE


@pytest.mark.parametrize(
    ("value", "fallbacks"),
    [("1,0", (1, 0)), ([1, "0"], (1, 0)), ("0", (0,)), (0, (0,)), ("", ()), (None, ())],
)
def test_fallbacks_are_ids_in_their_order(value: object, fallbacks: tuple[int, ...]) -> None:
    assert only_language(BASE, "/", fallbacks=value).fallbacks == fallbacks


@pytest.mark.parametrize(
    ("value", "enabled"), [(True, True), (False, False), ("0", False), (None, True), ("1", True)]
)
def test_a_language_is_enabled_unless_it_says_no(value: object, enabled: bool) -> None:
    assert only_language(BASE, "/", enabled=value).enabled is enabled


def test_a_site_without_languages_has_the_default_one() -> None:
    site = parse({"rootPageId": 1, "base": BASE})
    assert [(each.language_id, each.base) for each in site.languages] == [(0, BASE)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("%env(NAME)%", "x"),
        ("%env('NAME')%", "x"),
        ('%env("NAME")%', "x"),
        ("a-%env(NAME)%-b", "a-x-b"),
        ("%env(OTHER)%", "x"),  # whose value is a placeholder again
        ("%settings.port%", 8443),
        ("port %settings.port%", "port 8443"),
        ("100% of 50%", "100% of 50%"),
        ("%unknown.path%", "%unknown.path%"),
    ],
)
def test_placeholders_are_replaced_in_every_string(text: str, value: object) -> None:
    site = parse(
        {"rootPageId": 1, "base": BASE, "settings": {"port": 8443, "deep": [{"text": text}]}},
        environment={"NAME": "x", "OTHER": "%env(NAME)%"},
    )
    assert site.settings["settings"]["deep"][0]["text"] == value


def test_a_placeholder_of_solr_is_left_to_its_backend() -> None:
    site = parse({"rootPageId": 1, "base": BASE, "solr_port_read": "%env(NO)%"})
    assert site.settings["solr_port_read"] == "%env(NO)%"


@pytest.mark.parametrize(
    ("configuration", "told"),
    [
        ({"base": BASE}, "rootPageId is missing"),
        ({"rootPageId": "x", "base": BASE}, "rootPageId must be a whole number"),
        ({"rootPageId": 0, "base": BASE}, "rootPageId must be the uid of a page"),
        ({"rootPageId": 1, "base": [BASE]}, "base must be a string"),
        ({"rootPageId": 1, "base": "%env(NO)%"}, "base has %env(NO)%, and no such environment"),
        ({"rootPageId": 1, "base": "ftp://x.example/"}, "base must start with http"),
        ({"rootPageId": 1, "base": "https://x.example/?a=b"}, "base is not a base URL"),
        ({"rootPageId": 1, "base": "https://x.example:port/"}, "base is not a URL"),
        (
            {"rootPageId": 1, "base": BASE, "settings": {"a": ["%env(NO)%"]}},
            "settings.a[0] has %env(NO)%",
        ),
        (
            {"rootPageId": 1, "base": BASE, "baseVariants": [{"condition": "nope", "base": "/"}]},
            "baseVariants[0].condition condition 'nope' uses \"nope\"",
        ),
        (
            {"rootPageId": 1, "base": BASE, "languages": [{"title": "x"}]},
            "languages[0].languageId is missing",
        ),
        (
            {"rootPageId": 1, "base": BASE, "languages": ["x"]},
            "languages[0] must be a mapping",
        ),
        (
            {"rootPageId": 1, "base": BASE, "languages": [language(fallbackType="no")]},
            "languages[0].fallbackType is 'no', not one of strict, fallback, free",
        ),
        (
            {"rootPageId": 1, "base": BASE, "languages": [language(fallbacks="a")]},
            "languages[0].fallbacks must be a list of language ids",
        ),
        (
            {"rootPageId": 1, "base": BASE, "languages": [language("%env(NO)%")]},
            "languages[0].base has %env(NO)%",
        ),
        ({"rootPageId": 1, "base": BASE, "languages": "x"}, "languages must be a list"),
        ({"rootPageId": 1, "base": BASE, "routeEnhancers": "x"}, "routeEnhancers must be"),
        (
            {"rootPageId": 1, "base": BASE, "routeEnhancers": {"News": "x"}},
            "routeEnhancers.News must be a mapping",
        ),
        (
            {"rootPageId": 1, "base": BASE, "routeEnhancers": {"News": {}}},
            "routeEnhancers.News.type must name an enhancer",
        ),
    ],
)
def test_an_error_names_file_and_key(configuration: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        parse(configuration)
    assert str(raised.value).startswith("main/c.yaml: ")
    assert told in str(raised.value)


def test_an_error_does_not_tell_the_value_of_a_variable() -> None:
    with pytest.raises(ConfigurationError) as raised:
        parse(
            {"rootPageId": 1, "base": "%env(B)%"},
            environment={"B": "https://user:secret@x.example/?a=b"},
        )
    assert "secret" not in str(raised.value)


def test_an_enhancer_of_unknown_type_is_told_and_the_site_is_read(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        site = parse({"rootPageId": 1, "base": BASE, "routeEnhancers": {"A": {"type": "Own"}}})
    assert "A" in site.route_enhancers
    assert 'main/c.yaml: routeEnhancers.A.type is "Own", which is not known' in caplog.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["base", "condition", "languageId", "locale", "type", "fallbacks", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(["rootPageId", "base", "baseVariants", "languages", "routeEnhancers"]), JSON
    )
)
def test_no_configuration_raises_anything_else(configuration: dict[str, Any]) -> None:
    try:
        assert parse({"rootPageId": 1, **configuration}).languages
    except ConfigurationError as error:
        assert str(error).startswith("main/c.yaml: ")  # noqa: PT017 - either outcome is right
