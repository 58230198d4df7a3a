"""Random content elements: what we read against the slow opinion."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.typo3.rows import (
    ELEMENT,
    FALLBACK,
    FREE,
    FUTURE,
    NOW,
    PAST,
    SITES,
    STRICT,
    MemoryDatabase,
    TableRow,
)
from tests.unit.typo3.slow_content import SlowContent
from typo3_retrieval.typo3.content import visible_content
from typo3_retrieval.typo3.content_overlay import MAX_NESTING
from typo3_retrieval.typo3.database import Value
from typo3_retrieval.typo3.pages import load_pages
from typo3_retrieval.typo3.visibility import judge_page

PAGES: list[TableRow] = [
    {"uid": 1},
    {"uid": 2, "pid": 1},
    {"uid": 3, "pid": 1, "fe_group": "1"},
    *(
        {"uid": 10 * page + language, "l10n_parent": page, "sys_language_uid": language}
        for page in (1, 2)
        for language in (STRICT, FALLBACK, FREE)
    ),
]
OPEN_PAGES = (1, 2)
MODES = {0: "strict", STRICT: "strict", FALLBACK: "fallback", FREE: "free"}
UIDS = range(1, 9)

uids = st.sampled_from((0, *UIDS))
moments = st.sampled_from((PAST, NOW, FUTURE))
CHANGES: dict[str, st.SearchStrategy[int | str]] = {
    "hidden": st.just(1),
    "deleted": st.just(1),
    "starttime": moments,
    "endtime": moments,
    "fe_group": st.sampled_from(("0", "-1", "-2", "1", "0,-1")),
    "colPos": st.just(1),
    "t3ver_wsid": st.just(1),
    "sorting": st.integers(0, 3),
    "pid": st.just(3),
}


@st.composite
def elements(draw: st.DrawFn) -> list[TableRow]:
    rows: dict[int, dict[str, Value]] = {}
    for uid in UIDS:
        rows[uid] = {
            **ELEMENT,
            "uid": uid,
            "pid": draw(st.sampled_from(OPEN_PAGES)),
            "sys_language_uid": draw(st.sampled_from((0, 0, 0, -1, STRICT, FALLBACK, FREE))),
        }
        if rows[uid]["sys_language_uid"] in MODES:
            rows[uid]["l18n_parent"] = draw(uids) if rows[uid]["sys_language_uid"] else 0
        if uid < MAX_NESTING and draw(st.integers(0, 1)):
            rows[uid]["CType"] = "shortcut"
            rows[uid]["records"] = ",".join(map(str, draw(st.lists(uids, max_size=3))))
    change = st.one_of(*(st.tuples(st.just(name), value) for name, value in CHANGES.items()))
    for uid, (field, value) in draw(st.lists(st.tuples(st.sampled_from(UIDS), change), max_size=5)):
        rows[uid][field] = value
    return list(rows.values())


@settings(max_examples=150)
@given(elements())
def test_the_slow_opinion_is_the_same(rows: list[TableRow]) -> None:
    database = MemoryDatabase(PAGES, rows)
    tree = load_pages(database, OPEN_PAGES)
    verdicts = [
        judge_page(tree, SITES, page, language, NOW) for page in OPEN_PAGES for language in MODES
    ]
    ours = {
        key: [element.uid for element in found]
        for key, found in visible_content(database, verdicts, now=NOW).items()
    }
    slow = SlowContent(rows, OPEN_PAGES, NOW)
    assert ours == {
        (page, language): slow.on_page(page, language, mode)
        for page in OPEN_PAGES
        for language, mode in MODES.items()
    }
