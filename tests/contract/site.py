"""A small TYPO3 for the contract: rows with a reason, the same in SQLite and in MariaDB.

Every row that must not be seen carries a word of its own, and all of them the common words too,
so that a search has every temptation to find them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from typo3_retrieval.plugin import Resources
from typo3_retrieval.typo3.database import Database, Value
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import Router
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

NOW = 1_800_000_000  # UNIX epoch, seconds; a full minute
PAST, FUTURE = NOW - 86_400, NOW + 86_400

ENGLISH, GERMAN, FRENCH, POLISH = range(4)
COMMON = "waste"  # what every page says
RICH = 25  # visible pages that say it: more than any answer may hold


def _language(
    language_id: int, locale: str, path: str, *, enabled: bool = True, falls_back: bool = False
) -> SiteLanguage:
    return SiteLanguage(
        language_id=language_id,
        title=locale,
        base=f"https://www.example.org/{path}",
        locale=locale,
        enabled=enabled,
        fallback_type="fallback" if falls_back else "strict",
        fallbacks=(0,) if falls_back else (),
    )


MAIN = Site(
    identifier="main",
    root_page_uid=1,
    base="https://www.example.org/",
    languages=(
        _language(ENGLISH, "en_US.UTF-8", ""),
        _language(GERMAN, "de_DE.UTF-8", "de/"),
        _language(FRENCH, "fr_FR.UTF-8", "fr/", falls_back=True),
        _language(POLISH, "pl_PL.UTF-8", "pl/", enabled=False),
    ),
)
OTHER = Site(
    identifier="other",
    root_page_uid=900,
    base="https://other.example.org/",
    languages=(
        SiteLanguage(language_id=0, base="https://other.example.org/", locale="en_GB.UTF-8"),
    ),
)
SITES = Sites(sites=(MAIN, OTHER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Something that no visitor may learn of."""

    reason: str
    marker: str  # a word that only the forbidden row says
    page: tuple[int, int] | None = None  # page uid and language, where a whole page is forbidden

    def __str__(self) -> str:
        return self.reason


Row = Mapping[str, Value]


def page(uid: int, title: str, *, pid: Value = 1, **columns: Value) -> Row:
    """A page that is visible unless *columns* say otherwise."""
    return {"uid": uid, "pid": pid, "title": title, "slug": f"/page-{uid}", "doktype": 1, **columns}


def translation(uid: int, of: int, language_id: int, title: str, **columns: Value) -> Row:
    own: Row = {"sys_language_uid": language_id, "l10n_parent": of, "l10n_source": of}
    return {**page(uid, title), **own, **columns}


def element(uid: int, pid: int, bodytext: str, **columns: Value) -> Row:
    """A text that is visible unless *columns* say otherwise."""
    return {"uid": uid, "pid": pid, "CType": "text", "bodytext": bodytext, **columns}


COLLECTION = 2  # the page with a German translation

VISIBLE_PAGES: Sequence[Row] = (
    page(1, "Home", pid=0, slug="/", is_siteroot=1),
    page(COLLECTION, "Bulky waste collection"),
    page(3, "Public toys", fe_group="-1"),  # hidden at login: anonymous visitors see it
    page(4, "Ends never", endtime=0),
    page(5, "Starts now", starttime=NOW),
    page(6, "Below a hidden page", pid=60),  # only extendToSubpages hands it down
    page(40, "Spare parts"),
    page(41, "Co-Working im Altbau"),
    page(42, "13 Tipps von der Werkstatt Beispiel"),
    page(43, "Opening hours"),
    page(44, "Fragen & Antworten"),
    page(900, "Other site", pid=0, slug="/", is_siteroot=1),
    page(901, "Waste of the other site", pid=900),
    *(page(100 + number, f"Depot {number}") for number in range(RICH)),
    translation(1001, 1, GERMAN, "Startseite", slug="/"),
    translation(1002, COLLECTION, GERMAN, "Sperrmüllabfuhr"),
)
VISIBLE_CONTENT: Sequence[Row] = (
    element(2, COLLECTION, "<p>Bulky waste is collected every second Tuesday.</p>"),
    element(3, 3, "Toys are no waste."),
    element(4, 4, "Waste without end.", endtime=0),
    element(5, 5, "Waste from now on.", starttime=NOW),
    element(6, 6, "Waste below."),
    element(40, 40, "Ersatzteil QX-17-204, ein Rad."),
    element(41, 41, "Schreibtische auf Zeit. Buchung per E-Mail."),
    element(42, 42, "Werkzeug richtig pflegen."),
    element(43, 43, "The office in New York is open from nine to five."),
    element(44, 44, "Preis: 10&nbsp;&euro; f&uuml;r alle. <td>Preis</td><td>100</td>"),
    element(901, 901, "Waste of the other site."),
    *(
        element(100 + number, 100 + number, f"Depot {number} takes waste of all kinds.")
        for number in range(RICH)
    ),
    element(
        1002,
        COLLECTION,
        "Sperrmüll wird jeden zweiten Dienstag abgeholt.",
        sys_language_uid=GERMAN,
        l18n_parent=2,
    ),
)

# By marker: why nobody may see the page, and the row itself. The letters at a marker's end keep
# it from being a compound of a word that a visible page says.
_PAGES: Mapping[str, tuple[str, Row]] = {
    "mxhiddenzq": ("hidden", page(60, "", hidden=1)),
    "mxdeletedzq": ("deleted", page(61, "", deleted=1)),
    "mxfuturezq": ("starts in a minute", page(62, "", starttime=NOW + 60)),
    "mxexpiredzq": ("ends now", page(63, "", endtime=NOW)),
    "mxgroupzq": ("for group 1", page(64, "", fe_group="1")),
    "mxloginzq": ("for any login", page(65, "", fe_group="-2")),
    "mxgroupszq": ("for groups 1 and 2", page(66, "", fe_group="1,2")),
    "mxroomzq": ("restricted with its subpages", page(67, "", fe_group="1", extendToSubpages=1)),
    "mxbelowroomzq": ("below a restricted page", page(68, "", pid=67)),
    "mxdeepbelowzq": ("two levels below a restricted page", page(69, "", pid=68)),
    "mxbelowdeletedzq": ("below a deleted page", page(70, "", pid=61)),
    "mxnosearchzq": ("excluded from search", page(71, "", no_search=1)),
    "mxfolderzq": ("a folder", page(72, "", doktype=254)),
    "mxspacerzq": ("a spacer in menus", page(73, "", doktype=199)),
    "mxdraftzq": ("a draft of a workspace", page(74, "", t3ver_wsid=1, t3ver_oid=2)),
    "mxuntranslatedzq": ("hidden in the default language", page(75, "", l18n_cfg=1)),
    "mxnositezq": ("outside of every site", page(76, "", pid=0)),
    "mxcyclezq": ("its own ancestor", page(77, "", pid=78)),
    "mxcyclingzq": ("its own ancestor", page(78, "", pid=77)),
    "mxorphanzq": ("below a missing page", page(79, "", pid=9_999)),
}
# Elements of a visible page.
_ELEMENTS: Mapping[str, tuple[str, Row]] = {
    "mxehiddenzq": ("hidden element", element(201, COLLECTION, "", hidden=1)),
    "mxedeletedzq": ("deleted element", element(202, COLLECTION, "", deleted=1)),
    "mxefuturezq": ("element that starts in a minute", element(203, 2, "", starttime=NOW + 60)),
    "mxeexpiredzq": ("element that ends now", element(204, COLLECTION, "", endtime=NOW)),
    "mxegroupzq": ("element for group 1", element(205, COLLECTION, "", fe_group="1")),
    "mxeloginzq": ("element for any login", element(206, COLLECTION, "", fe_group="-2")),
    "mxedraftzq": ("draft of an element", element(207, 2, "", t3ver_wsid=1, t3ver_oid=2)),
    "mxecolumnzq": ("element in a column that is not printed", element(208, 2, "", colPos=77)),
    "mxeimagezq": (
        "text that an image once had",
        element(209, 2, "", CType="image", header="Bulky"),
    ),
    "mxeunseenzq": (
        "hidden translation of an element",
        element(210, COLLECTION, "", hidden=1, sys_language_uid=GERMAN, l18n_parent=2),
    ),
    "mxepolishzq": (
        "element of a disabled language",
        element(211, COLLECTION, "", sys_language_uid=POLISH),
    ),
}
# Translations: the page is visible in English, its translation is not.
_TRANSLATIONS: Mapping[str, tuple[str, int, Row]] = {
    "mxthiddenzq": ("hidden translation", 3, translation(1003, 3, GERMAN, "", hidden=1)),
    "mxtdeletedzq": ("deleted translation", 4, translation(1004, 4, GERMAN, "", deleted=1)),
    "mxtfuturezq": ("future translation", 5, translation(1005, 5, GERMAN, "", starttime=FUTURE)),
    "mxtpolishzq": ("disabled language", 40, translation(1040, 40, POLISH, "")),
}


def _said(marker: str) -> str:
    return f"{marker} says when bulky {COMMON} is collected: Tuesday, Sperrmüll."


def _tempting_pages() -> Iterator[Row]:
    for marker, (_, row) in _PAGES.items():
        yield {**row, "title": f"Bulky {COMMON} {marker}", "description": _said(marker)}
    for marker, (_, _, row) in _TRANSLATIONS.items():
        yield {**row, "title": f"Sperrmüll {marker}", "description": _said(marker)}


def _tempting_content() -> Iterator[Row]:
    for number, (marker, (_, row)) in enumerate(_PAGES.items()):
        uid = row["uid"]
        assert isinstance(uid, int)
        yield element(400 + number, uid, f"<p>{_said(marker)}</p>", header=f"Bulky {COMMON}")
    for marker, (_, row) in _ELEMENTS.items():
        yield {"header": f"Bulky {marker}", **row, "bodytext": f"<p>{_said(marker)}</p>"}
    yield element(450, COLLECTION, "Waste.", header="Bulky mxeheader waste", header_layout=100)
    for number, (marker, (_, of, row)) in enumerate(_TRANSLATIONS.items()):
        yield element(500 + number, of, _said(marker), sys_language_uid=row["sys_language_uid"])


def _forbidden() -> Iterator[Forbidden]:
    for marker, (reason, row) in _PAGES.items():
        yield Forbidden(reason=reason, marker=marker, page=(int(row["uid"] or 0), ENGLISH))
    for marker, (reason, _) in _ELEMENTS.items():
        yield Forbidden(reason=reason, marker=marker)
    yield Forbidden(reason="header that is not printed", marker="mxeheader")
    for marker, (reason, of, row) in _TRANSLATIONS.items():
        language_id = int(row["sys_language_uid"] or 0)
        yield Forbidden(reason=reason, marker=marker, page=(of, language_id))


FORBIDDEN: Sequence[Forbidden] = tuple(_forbidden())
NOT_THERE: Sequence[tuple[int, int]] = (
    (77_777, ENGLISH),  # no such page
    (100, GERMAN),  # not translated, and German is strict
    (COLLECTION, POLISH),  # a disabled language
    (COLLECTION, 9),  # no such language
    (901, GERMAN),  # a language of another site
)

PAGES: Sequence[Row] = (*VISIBLE_PAGES, *_tempting_pages())
CONTENT: Sequence[Row] = (*VISIBLE_CONTENT, *_tempting_content())


def resources(database: Database) -> Resources:
    """What a backend gets that is built over this site."""
    router = Router(SITES, database, now=lambda: NOW)
    return Resources(
        sites=SITES,
        database=database,
        public_pages=PublicPages(database=database, sites=SITES, router=router, now=lambda: NOW),
        now=lambda: NOW,
    )
