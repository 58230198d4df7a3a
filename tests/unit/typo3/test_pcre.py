"""PHP's regular expressions in Python's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.typo3.pcre import PatternError, compile_delimited, compile_pcre


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [
        ("^[a-z]{2}$", "", "ab"),
        ("^AB$", "i", "ab"),
        (r"^(?<slug>.+)-(?P<uid>\d+)$", "", "a-b-12"),
        (r"^(?<!x)a(?<=a)$", "", "a"),
        (r"^[\p{L}-]+\z", "u", "ä-ß"),
        (r"^\p{Lu}\p{Ll}+$", "", "Äpfel"),
        (r"^\p{^L}$", "", "1"),
        (r"^[^]a]$", "", "b"),
        (r"^[[a]$", "", "["),
        (r"^[a[]$", "", "["),
        (r"^[a&&|~~[-]+$", "", "&|~[-"),
        (r"^[[:alpha:]_]+$", "", "aZ_"),
        (r"^a\hb$", "", "a\tb"),
        (r"^[\h]$", "", " "),
        (r"a\Z", "", "a\n"),
        ("a$", "", "a\n"),
        (r"^\/x\#$", "", "/x#"),
        (r"^[^/]++$", "", "abc"),
        ("^a .b $", "x", "axb"),
    ],
)
def test_a_pattern_matches_as_in_php(pattern: str, flags: str, text: str) -> None:
    assert compile_pcre(pattern, flags).search(text)


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [("a$", "D", "a\n"), (r"a\z", "", "a\n"), ("^a", "", "A"), (r"^[\p{L}]$", "", "1")],
)
def test_a_pattern_does_not_match(pattern: str, flags: str, text: str) -> None:
    assert not compile_pcre(pattern, flags).search(text)


@pytest.mark.parametrize("expression", ["#^A#i", "/^a/", "{^a}", "(^a)", "~^a~u", "  @^a@"])
def test_an_expression_has_its_delimiters(expression: str) -> None:
    assert compile_delimited(expression).search("ab")


@pytest.mark.parametrize(
    "expression", ["", "a", "abc", "#a", "\\a\\", "#(#", "#a#q", r"#[\p{^L}]#", r"#\p{Nope}#"]
)
def test_what_cannot_be_run_is_refused(expression: str) -> None:
    with pytest.raises(PatternError):
        compile_delimited(expression)


@given(st.text(alphabet=r"ab()[]{}?*+^$|\<>!=:PpL-01,&~", max_size=14))
def test_no_pattern_raises_anything_else(pattern: str) -> None:
    try:
        compile_pcre(pattern)
    except PatternError as error:
        assert error.args  # noqa: PT017 - either outcome is right
