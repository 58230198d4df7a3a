"""What the content elements of TYPO3's core print: the templates of fluid_styled_content.

An element keeps the text of fields that its type does not print: one that was a "text" and has
become an "image" still has its bodytext in the table, where no visitor sees it.
"""

from collections.abc import Set
from dataclasses import dataclass

SHORTCUT = "shortcut"  # "insert records": prints the elements that it names
HIDDEN_HEADER_LAYOUT = 100
ANY = "*"

_WITH_BODY = frozenset({"bullets", "table", "text", "textmedia", "textpic"})
_HEADER_ONLY = frozenset(
    {
        "felogin_login",
        "form_formframework",
        "header",
        "image",
        "indexedsearch_pi2",
        "list",  # a plugin, until TYPO3 13; what it prints itself is not in tt_content
        "menu_abstract",
        "menu_categorized_content",
        "menu_categorized_pages",
        "menu_pages",
        "menu_recently_updated",
        "menu_related_pages",
        "menu_section",
        "menu_section_pages",
        "menu_sitemap",
        "menu_sitemap_pages",
        "menu_subpages",
        "uploads",
    }
)
_BODY_ONLY = frozenset({"html"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """Which parts of an element reach the page."""

    header: bool = False  # and subheader
    body: bool = False


def printed(ctype: str, header_layout: int, more_types: Set[str] = frozenset()) -> Printed:
    """What an element of this type shows.

    Args:
        ctype: the type, `tt_content.CType`.
        header_layout: 100 hides header and subheader.
        more_types: further types of the site that print header and bodytext; ``*`` means any.

    Returns:
        Nothing for an unknown type: without a template TYPO3 prints nothing for visitors.
    """
    if ctype in _BODY_ONLY:
        return Printed(body=True)
    has_header = header_layout != HIDDEN_HEADER_LAYOUT
    if ctype in _HEADER_ONLY and ctype not in more_types:
        return Printed(header=has_header)
    silent = ctype in {SHORTCUT, "div"}
    if not silent and (ctype in _WITH_BODY or ctype in more_types or ANY in more_types):
        return Printed(header=has_header, body=True)
    return Printed()
