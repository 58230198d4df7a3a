"""Rows of `pages` with their rootlines, translations and targets, loaded in one statement."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from typo3_retrieval.typo3.database import Database, Row
from typo3_retrieval.typo3.enable_fields import demand_columns

# Columns of every TYPO3 that we support, by the name of the attribute that holds them.
_NUMBERS = {
    "uid": "uid",
    "pid": "pid",
    "deleted": "deleted",
    "hidden": "hidden",
    "starttime": "starttime",
    "endtime": "endtime",
    "extend_to_subpages": "extendToSubpages",
    "doktype": "doktype",
    "shortcut": "shortcut",
    "shortcut_mode": "shortcut_mode",
    "mount_pid": "mount_pid",
    "mount_pid_ol": "mount_pid_ol",
    "content_from_pid": "content_from_pid",
    "l18n_cfg": "l18n_cfg",
    "language_id": "sys_language_uid",
    "l10n_parent": "l10n_parent",
    "l10n_source": "l10n_source",
    "no_search": "no_search",
    "is_siteroot": "is_siteroot",
    "sorting": "sorting",
    "tstamp": "tstamp",
    "last_changed": "SYS_LASTCHANGED",
}
_TEXTS = {
    "fe_group": "fe_group",
    "slug": "slug",
    "title": "title",
    "nav_title": "nav_title",
    "subtitle": "subtitle",
    "url": "url",
}
# Those that decide who sees a page: read as 0, a missing one would publish what it hides.
_DECISIVE = (
    *("uid", "pid", "deleted", "hidden", "starttime", "endtime", "fe_group", "extendToSubpages"),
    *("doktype", "l18n_cfg", "sys_language_uid", "l10n_parent", "no_search", "t3ver_wsid"),
)
MAX_DEPTH = 100  # levels; TYPO3 stops a rootline here too (RootlineUtility::MAX_DEPTH)
MAX_UID = 2**32 - 1  # INT UNSIGNED; a greater number names no row, and breaks a driver


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One row of `pages`, of the default language or a translation."""

    uid: int
    pid: int = 0
    deleted: int = 0
    hidden: int = 0
    starttime: int = 0  # UNIX epoch, seconds; 0 means none
    endtime: int = 0  # UNIX epoch, seconds; 0 means none
    extend_to_subpages: int = 0
    doktype: int = 1
    shortcut: int = 0
    shortcut_mode: int = 0
    mount_pid: int = 0
    mount_pid_ol: int = 0
    content_from_pid: int = 0
    l18n_cfg: int = 0
    language_id: int = 0
    l10n_parent: int = 0  # uid of the default-language page; 0 for that page itself
    l10n_source: int = 0
    no_search: int = 0
    is_siteroot: int = 0
    sorting: int = 0
    tstamp: int = 0
    last_changed: int = 0
    fe_group: str = "0"
    slug: str = ""
    title: str = ""
    nav_title: str = ""
    subtitle: str = ""
    url: str = ""

    @classmethod
    def of_row(cls, row: Row) -> "Page":
        """Read a row whose columns carry the names of the attributes."""
        numbers = {name: int(row[name] or 0) for name in _NUMBERS if name in row}
        texts = {name: _text(row[name]) for name in _TEXTS if name in row}
        return cls(**numbers, **texts)  # type: ignore[arg-type]  # names are checked by a test


class PageTree:
    """Pages with all their ancestors and translations: what one statement brought.

    Only live rows are in it: rows of workspaces are never loaded.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = {page.uid: page for page in pages}
        self._translations: dict[tuple[int, int], list[Page]] = defaultdict(list)
        self._by_slug: dict[tuple[str, int], list[Page]] = defaultdict(list)
        for page in sorted(self._pages.values(), key=lambda each: each.uid):
            if not page.deleted:
                self._by_slug[page.slug.rstrip("/"), page.language_id].append(page)
            if page.l10n_parent and page.language_id > 0 and not page.deleted:
                self._translations[page.l10n_parent, page.language_id].append(page)

    def __iter__(self) -> Iterator[Page]:
        return iter(self._pages.values())

    def page(self, uid: int) -> Page | None:
        """The row with this uid, deleted ones included, or None."""
        return self._pages.get(uid)

    def default_page(self, uid: int) -> Page | None:
        """The default-language row of a page, asked by its own uid or by a translation's.

        TYPO3 does the same with ``?id=``; a deleted translation leads nowhere.
        """
        page = self._pages.get(uid)
        if page is None or page.language_id <= 0 or not page.l10n_parent or page.deleted:
            return page
        return self._pages.get(page.l10n_parent)

    def translations(self, uid: int, language_id: int) -> tuple[Page, ...]:
        """All rows that translate the default-language page *uid*, by uid; deleted ones not."""
        return tuple(self._translations.get((uid, language_id), ()))

    def translation(self, uid: int, language_id: int) -> Page | None:
        """The translation of the default-language page *uid*, not deleted, visible or not.

        There should be one. Where there are more, the highest uid wins, as it does in TYPO3,
        which keeps the last row that it reads (PageRepository).
        """
        return next(reversed(self.translations(uid, language_id)), None)

    def twins(self, page: Page) -> tuple[Page, ...]:
        """The other rows with the slug of *page* in its language, deleted ones not."""
        slug = page.slug.rstrip("/")
        return tuple(
            each for each in self._by_slug.get((slug, page.language_id), ()) if each.uid != page.uid
        )

    def rootline(self, uid: int) -> tuple[Page, ...] | None:
        """The page and its ancestors, nearest first; None if it does not reach the top.

        A deleted or missing ancestor and a cycle break a rootline.
        """
        line: list[Page] = []
        while uid:
            page = self._pages.get(uid)
            if page is None or page.deleted or len(line) >= MAX_DEPTH or page in line:
                return None
            line.append(page)
            uid = page.pid
        return tuple(line) or None


def load_pages(database: Database, uids: Iterable[int]) -> PageTree:
    """Load the pages with these uids and all that decides who sees them. One statement.

    That is: their ancestors, the translations of all of them, the default-language page of a
    translation, the pages that a shortcut, a mount point or "show content from page" names, and
    the pages with the same slug.

    Raises:
        BackendError: the database did not answer.
    """
    wanted = sorted({uid for uid in uids if 0 < uid <= MAX_UID})
    if not wanted:
        return PageTree(())
    statement = _statement(database.columns("pages"))
    return PageTree(map(Page.of_row, database.rows(statement, {"uids": wanted})))


def _statement(there: frozenset[str]) -> str:
    """The recursive statement, for the columns that this TYPO3 has.

    The recursion carries four numbers, each a function of the row's uid. So UNION, which drops
    what it has seen, ends every cycle, and compares no text. Each step looks a page up by a key
    of its own: the uid, (l10n_parent, sys_language_uid), or the slug. That the parent is above 0
    says nothing new; but where few pages are translated, MariaDB knows of that key only that its
    usual value, 0, names nearly all rows, and would read the whole table instead.
    """
    names: Mapping[str, str] = {**_NUMBERS, **_TEXTS}
    demand_columns("pages", _DECISIVE, there)
    columns = ", ".join(
        f"p.{column} AS {name}" for name, column in names.items() if column in there
    )
    live = " AND p.t3ver_wsid = 0"
    step = """p.uid, p.pid,
                   CASE WHEN p.sys_language_uid > 0 THEN p.l10n_parent ELSE 0 END,
                   CASE WHEN p.content_from_pid > 0 THEN p.content_from_pid
                        WHEN p.doktype = 4 THEN p.shortcut
                        WHEN p.doktype = 7 THEN p.mount_pid ELSE 0 END"""
    # S608: the interpolated names are constants of this module, the values are parameters.
    return f"""
        WITH RECURSIVE line (uid, above, original, target) AS (
            SELECT {step} FROM pages p WHERE p.uid IN %(uids)s{live}
            UNION
            SELECT {step} FROM line JOIN pages p ON p.uid = line.above{live}
            UNION
            SELECT {step} FROM line JOIN pages p ON p.uid = line.original{live}
            UNION
            SELECT {step} FROM line JOIN pages p ON p.uid = line.target{live}
            UNION
            SELECT {step} FROM line JOIN pages p ON p.l10n_parent = line.uid
            WHERE p.l10n_parent > 0 AND p.sys_language_uid > 0{live}
            UNION
            SELECT {step} FROM line JOIN pages own ON own.uid = line.uid
            JOIN pages p ON p.slug = own.slug AND p.sys_language_uid = own.sys_language_uid
            WHERE own.slug <> '' AND own.slug <> '/'{live}
        )
        SELECT {columns} FROM line JOIN pages p ON p.uid = line.uid
    """  # noqa: S608


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
