"""Plain text from the HTML that editors write, and from what only looks like HTML."""

from html import unescape
from html.parser import HTMLParser

from typo3_retrieval.core.text import one_line

# Elements that a browser sets on lines of their own; their borders end a line.
_BLOCKS = frozenset(
    """address article aside blockquote br caption dd details dialog div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section
    summary table tbody tfoot thead tr ul""".split()  # noqa: SIM905  # a word list reads better
)
# Elements whose borders separate words without ending a line.
_CELLS = frozenset(
    """audio button iframe img input label object select td th
    video""".split()  # noqa: SIM905  # see above
)
# Elements whose text no reader sees.
_UNSEEN = frozenset(("script", "style", "template", "noscript", "title", "head", "datalist"))


class _Reader(HTMLParser):
    """Collects the text that a browser would show, a newline where it breaks the line."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._unseen: list[str] = []  # the unseen elements that are open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._border(tag)
        if tag in _UNSEEN:
            self._unseen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._border(tag)
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            # A line break in the source is a blank to a browser.
            self.pieces.append(data.replace("\n", " ").replace("\r", " "))

    def unknown_decl(self, data: str) -> None:
        """Drop CDATA sections and the like, as browsers do."""

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Skip ``<![anything]>``, as browsers do; the inherited one raises at unknown names."""
        del report
        return self.rawdata.find(">", i) + 1 or -1

    def _border(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.pieces.append("\n")
        elif tag in _CELLS:
            self.pieces.append(" ")


def lines_of(html: str) -> list[str]:
    """The non-empty lines that a reader of *html* sees, hidden characters removed.

    Entities are decoded; scripts, styles and comments are dropped; table cells are separated
    by a blank, blocks by a new line.
    """
    if "<" not in html:
        text = unescape(html)
    else:
        reader = _Reader()
        reader.feed(_without_open_comment(html))
        reader.close()
        text = "".join(reader.pieces)
    return [line for line in map(one_line, text.split("\n")) if line]


def title_text(title: str) -> str:
    """A title or header as one line: it holds no markup, but editors paste entities into it."""
    return one_line(unescape(title))


def plain_text(html: str) -> str:
    """*html* as one line of plain text."""
    return " ".join(lines_of(html))


def _without_open_comment(html: str) -> str:
    """Cut a comment that never ends: a browser shows nothing of it, the parser would."""
    start = html.rfind("<!--")
    return html if start < 0 or html.find("-->", start) >= 0 else html[:start]
