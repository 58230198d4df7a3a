import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.html import lines_of, plain_text, title_text

VECTORS = Path(__file__).parents[2] / "vectors" / "excerpts.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["fn"] == "plain"], ids=lambda case: case["text"]
)
def test_the_recorded_markup_gives_the_recorded_text(case: dict[str, Any]) -> None:
    assert plain_text(case["text"]) == case["result"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("Fragen &amp; Antworten", "Fragen & Antworten"),
        ("10&nbsp;&euro; f&uuml;r alle", "10 € für alle"),
        ("<p>10&nbsp;&euro; f&uuml;r alle</p>", "10 € für alle"),
        ("<table><tr><td>Preis</td><td>100</td></tr></table>", "Preis 100"),
        ("<td>Preis</td><td>100</td>", "Preis 100"),
        ("Cyber<b>sicherheit</b>", "Cybersicherheit"),
    ],
)
def test_entities_and_cells_as_users_reported_them(html: str, text: str) -> None:
    assert plain_text(html) == text


@pytest.mark.parametrize(
    "html",
    [
        "<script>var a = '<p>secret</p>';</script>seen",
        "<SCRIPT type='text/javascript'>secret</SCRIPT >seen",
        "<style>.secret { color: red }</style>seen",
        "<!-- secret -->seen",
        "<!-- <p>secret</p> -- secret -->seen",
        "<template><p>secret</p></template>seen",
        "<noscript>secret</noscript>seen",
        "<title>secret</title>seen",
        "seen<!-- secret",
        "seen<script>secret",
        '<img alt="secret" src="secret.png">seen',
        "<p title='a > secret'>seen</p>",
    ],
)
def test_what_a_reader_does_not_see_is_dropped(html: str) -> None:
    assert plain_text(html) == "seen"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
        ("R&D at AT&T", "R&D at AT&T"),
        ("&lt;b&gt;not bold&lt;/b&gt;", "<b>not bold</b>"),
        ("<p>&lt;script&gt;shown&lt;/script&gt;</p>", "<script>shown</script>"),
        ("&amp;lt;", "&lt;"),
        ("&#8364; &#x20AC;", "€ €"),
        ("no&shy;hyphen zero&#8203;width", "nohyphen zerowidth"),
        ("right&#8238;left", "rightleft"),
        ("<!DOCTYPE html><p>text</p>", "text"),
        ("<?xml version='1.0'?><p>text</p>", "text"),
        ("<![if !mso]>text<![endif]>", "text"),
        ("<![%x]>text", "text"),
        ("<![foo[y]]>text", "text"),
    ],
)
def test_odd_markup_reads_as_in_a_browser(html: str, text: str) -> None:
    assert plain_text(html) == text


def test_blocks_break_lines_and_inline_elements_do_not() -> None:
    html = (
        "<h2>Bins</h2>\n<p>Put them <b>at the\nkerb</b>.<br/>Before 6 am.</p>"
        "<ul><li>Residual</li><li>Organic</li></ul>"
    )
    assert lines_of(html) == [
        "Bins",
        "Put them at the kerb.",
        "Before 6 am.",
        "Residual",
        "Organic",
    ]


def test_lines_of_text_without_markup_stay_lines() -> None:
    assert lines_of("first\r\n\r\n second\n") == ["first", "second"]


@pytest.mark.parametrize("html", ["", " ", "\n", "<p></p>", "<p>&nbsp;</p>", "<br><br>"])
def test_nothing_to_read_is_no_line(html: str) -> None:
    assert lines_of(html) == []


def test_a_title_is_decoded_but_holds_no_markup() -> None:
    assert title_text("Fragen &amp; Antworten") == "Fragen & Antworten"
    assert title_text("How to use <b>\u200b tags") == "How to use <b> tags"


pieces = st.sampled_from(
    [
        *("<", ">", "</", "<!", "<!--", "-->", "<![", "]]>", "<![CDATA[", "<?", "?>"),
        *("&", "&#", "&amp;", "&#0;", "&#xd800;", "x='", '"', "=", "/"),
        *("<p>", "</p>", "<script>", "</script>", "<style>", "<b", "\x00", "\u202e", "ä"),
    ]
)


@given(st.lists(pieces | st.text(max_size=5), max_size=30).map("".join))
def test_any_text_is_read_without_an_error_or_a_control_character(html: str) -> None:
    for line in lines_of(html):
        assert line
        assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
