"""Route paths: parsing, building and matching."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.typo3.pcre import PatternError
from typo3_retrieval.typo3.routing.patterns import (
    RequirementError,
    RoutePath,
    parse_route_path,
    stripped_requirement,
)


def build(
    pattern: str,
    values: dict[str, str | None],
    defaults: dict[str, str] | None = None,
    **requirements: str,
) -> str:
    return parse_route_path("/news", pattern, requirements).build(values, defaults or {})


def match(pattern: str, path: str, *optional: str, **requirements: str) -> dict[str, str] | None:
    return parse_route_path("/news", pattern, requirements, frozenset(optional)).match(path)


@pytest.mark.parametrize(
    ("pattern", "values", "path"),
    [
        ("/{a}", {"a": "x"}, "/news/x"),
        ("/{a}", {}, "/news"),  # the default, and its separator, are cut
        ("/page-{a}", {}, "/news/page"),
        ("/page/{a}", {}, "/news/page"),
        ("/{a}.html", {}, "/news/1.html"),  # not at the end
        ("/{!a}", {}, "/news/1"),  # important
        ("/{a}/{b}", {"a": "1", "b": "1"}, "/news"),
        ("/{a}/{b}", {"b": "2"}, "/news/1/2"),
        ("/{a}/{b}", {"a": "2"}, "/news/2"),
        ("/{a}/{b}", {"a": "2", "b": None}, "/news/2"),  # null counts as the default
        ("/x{a}", {}, "/news/x"),
    ],
)
def test_defaults_are_cut_from_the_end(
    pattern: str, values: dict[str, str | None], path: str
) -> None:
    assert build(pattern, values, {"a": "1", "b": "1"}) == path


@pytest.mark.parametrize(
    ("value", "requirement"),
    [
        ("", ""),
        ("a/b", ""),
        ("a/b", "[^/]+"),
        ("12a", r"\d+"),
        (None, ""),
        ("ab", "a(?=b)"),  # what looks around is removed before the check
        ("a\nb", ".+"),
    ],
)
def test_a_value_must_fit_its_requirement(value: str | None, requirement: str) -> None:
    with pytest.raises(RequirementError, match="must match"):
        build("/{a}", {"a": value}, a=requirement)


@pytest.mark.parametrize(
    ("value", "requirement"),
    [
        ("ABC", "[a-z]+"),  # builds without case …
        ("a/b", ".+"),
        ("a", "a(?=b)"),
        ("ab", r"(?<!x)a(?!\(c\))b"),
        ("smallish", "small|large"),  # "^" and "$" belong to the alternatives, as in Symfony
    ],
)
def test_a_value_fits_when_symfony_says_so(value: str, requirement: str) -> None:
    assert build("/{a}", {"a": value}, a=requirement) == f"/news/{value}"


def test_matching_is_stricter_than_building() -> None:
    assert match("/{a}", "/news/ABC", a="[a-z]+") is None
    assert match("/{a}", "/news/smallish", a="small|large") is None


def test_the_next_separator_is_no_part_of_a_value() -> None:
    with pytest.raises(RequirementError):
        build("/{a}.html", {"a": "x.y"})
    assert match("/{a}.{b}", "/news/x.y") == {"a": "x", "b": "y"}


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/news/1/2", {"a": "1", "b": "2"}),
        ("/news/1", {"a": "1"}),
        ("/news", {}),
        ("/news/", None),
        ("/News/1", None),
    ],
)
def test_optional_variables_may_be_missing_from_the_end(
    path: str, values: dict[str, str] | None
) -> None:
    assert match("/{a}/{b}", path, "a", "b") == values


def test_groups_of_a_requirement_are_not_captured() -> None:
    assert match("/{a}-{b}", "/news/ab-c", a="(a)(b)", b=".") == {"a": "ab", "b": "c"}


def test_the_pages_path_is_taken_literally() -> None:
    path = parse_route_path("/{x}.*", "/{a}", {})
    assert path.variables == ("a",)
    assert path.build({"a": "1"}, {}) == "/{x}.*/1"
    assert path.match("/{x}.*/1") == {"a": "1"}


def test_an_empty_route_is_the_root() -> None:
    assert RoutePath(()).build({}, {}) == "/"


def test_an_unclosed_lookaround_is_told() -> None:
    with pytest.raises(PatternError):
        build("/{a}", {"a": "x"}, a="(?=x")


@pytest.mark.parametrize(
    ("configured", "meant"), [("^a$", "a"), (r"\Aa\z", "a"), ("a", "a"), ("^$", "")]
)
def test_anchors_are_dropped(configured: str, meant: str) -> None:
    assert stripped_requirement(configured) == meant


VALUES = st.text(st.characters(exclude_characters="/-.,;:_~+*=@|{}", exclude_categories=["Cs"]))


@given(st.lists(VALUES.filter(bool), min_size=1, max_size=4), st.sampled_from("/-._~"))
def test_what_is_built_is_matched(values: list[str], separator: str) -> None:
    names = [f"v{index}" for index in range(len(values))]
    pattern = "/" + separator.join(f"{{{name}}}" for name in names)
    given_values = dict(zip(names, values, strict=True))
    path = parse_route_path("/slug", pattern, {})
    assert path.match(path.build(dict(given_values), {})) == given_values
