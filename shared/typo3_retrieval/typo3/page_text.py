"""What a visitor reads on a page, as text: for scoring, for excerpts, and in full."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from typo3_retrieval.core.html import lines_of, plain_text, title_text
from typo3_retrieval.typo3.content import (
    MAIN_COLUMN,
    TEXT_FIELDS,
    ContentElement,
    visible_content,
)
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.public_page import PageKey, PublicPage


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedContent:
    """What the site's templates print of `tt_content`: TypoScript knows it, tables do not."""

    columns: Set[int] = MAIN_COLUMN  # colPos
    more_types: Set[str] = frozenset()  # CTypes beside the core's that print header and body
    more_fields: tuple[str, ...] = ()  # columns beside the core's that are printed


CORE_CONTENT = PrintedContent()  # what TYPO3's own templates print


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """The visible text of one page in one language."""

    page: PublicPage
    title: str
    body: str  # one line: the page's description, headers and texts; excerpts come from it
    vocabulary: str  # the page's other search fields: they count, but are not shown
    document: str  # "# title", "## header", paragraphs, in the order of the page
    last_modified: int | None  # UNIX epoch, seconds


def page_texts(
    database: Database,
    pages: Sequence[PublicPage],
    *,
    page_fields: Sequence[str],
    printed: PrintedContent,
    now: int,
) -> Mapping[PageKey, PageText]:
    """Read the visible text of *pages*, in their order.

    Raises:
        BackendError: the database did not answer.
    """
    content = visible_content(
        database,
        [page.verdict for page in pages],
        now=now,
        columns=printed.columns,
        fields=(*TEXT_FIELDS, *printed.more_fields),
        more_types=printed.more_types,
    )
    fields = _page_rows(database, pages, page_fields)
    return {
        (page.uid, page.language_id): _page_text(
            page,
            content.get((page.uid, page.language_id), ()),
            fields.get(_shown_uid(page), {}),  # it may have gone since it was judged
        )
        for page in pages
    }


def _page_text(
    page: PublicPage, elements: Sequence[ContentElement], fields: Mapping[str, str]
) -> PageText:
    title = title_text(page.title)
    document, body = [f"# {title}"], []
    if description := fields.get("description"):
        body.append(description)
    for element in elements:
        header, subheader = title_text(element.header), title_text(element.subheader)
        lines = ([subheader] if subheader else []) + [
            line for text in (element.bodytext, *element.more) for line in lines_of(text)
        ]
        if header:
            document.append(f"## {header}")
            body.append(header)
        if lines:
            document.append("\n".join(lines))
            body += lines
    changes = [page.last_modified or 0, *(element.last_changed for element in elements)]
    return PageText(
        page=page,
        title=title,
        body=" ".join(body),
        vocabulary=" ".join(
            value for name, value in fields.items() if name not in ("title", "description")
        ),
        document="\n\n".join(document),
        last_modified=max(changes) or None,
    )


def _page_rows(
    database: Database, pages: Sequence[PublicPage], names: Sequence[str]
) -> Mapping[int, Mapping[str, str]]:
    """The fields of the shown rows that are there, as plain text by uid and name of the field."""
    there = database.columns("pages")
    wanted = dict.fromkeys(("description", *names))
    columns = "".join(f", {name} AS field_{name}" for name in wanted if name in there)
    rows = database.rows(
        f"SELECT uid{columns} FROM pages WHERE uid IN %(uids)s",  # noqa: S608  # checked names
        {"uids": [_shown_uid(page) for page in pages]},
    )
    return {
        int(row["uid"] or 0): {
            name.removeprefix("field_"): plain_text(str(value))
            for name, value in row.items()
            if name != "uid" and value
        }
        for row in rows
    }


def _shown_uid(page: PublicPage) -> int:
    rendered = page.verdict.rendered
    return rendered.uid if rendered else page.uid
