"""Random page trees: our verdict against the slow one, and that one statement loads enough."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.typo3.rows import FUTURE, NOW, PAGE, PAST, SITES, MemoryDatabase, TableRow
from tests.unit.typo3.slow_visibility import SlowSite
from typo3_retrieval.typo3.database import Value
from typo3_retrieval.typo3.pages import PageTree, load_pages
from typo3_retrieval.typo3.visibility import Verdict, judge_page

LANGUAGES = {
    language.language_id: language.fallbacks
    for language in SITES.sites[0].languages
    if language.enabled
}
UIDS = range(1, 8)  # default-language pages; the root of the site is 1
TRANSLATIONS = range(101, 107)

moments = st.sampled_from((PAST, NOW, NOW + 30, FUTURE))
uids = st.sampled_from((0, *UIDS, 9, 101))
# A healthy tree gets some of these changes: where all is random, hardly a page is visible.
CHANGES: dict[str, st.SearchStrategy[int | str]] = {
    "pid": uids,
    "deleted": st.just(1),
    "hidden": st.just(1),
    "starttime": moments,
    "endtime": moments,
    "fe_group": st.sampled_from(("", "-1", "-2", "1", " 1", "0,-1", "1,2")),
    "extendToSubpages": st.just(1),
    "doktype": st.sampled_from((3, 4, 6, 7, 199, 254, 255)),
    "shortcut": uids,
    "shortcut_mode": st.sampled_from((1, 3)),
    "mount_pid": uids,
    "mount_pid_ol": st.just(1),
    "content_from_pid": uids,
    "l18n_cfg": st.sampled_from((1, 2, 3)),
    "t3ver_wsid": st.just(1),
}
change = st.one_of(*(st.tuples(st.just(field), values) for field, values in CHANGES.items()))
changes = st.lists(st.tuples(st.sampled_from((*UIDS, *TRANSLATIONS)), change), max_size=12)
parents = st.tuples(*(st.integers(min(1, uid - 1), uid - 1) for uid in UIDS))
translated = st.lists(
    st.tuples(st.sampled_from(UIDS), st.sampled_from((1, 1, 2, 3, 4, 6))),
    max_size=len(TRANSLATIONS),
)


@st.composite
def trees(draw: st.DrawFn) -> list[TableRow]:
    rows: dict[int, dict[str, Value]] = {
        uid: {**PAGE, "uid": uid, "pid": pid} for uid, pid in zip(UIDS, draw(parents), strict=True)
    }
    for uid, (page, language) in zip(TRANSLATIONS, draw(translated), strict=False):
        translation = {"uid": uid, "l10n_parent": page, "sys_language_uid": language}
        rows[uid] = {**PAGE, **translation, "pid": rows[page]["pid"]}
    for uid, (field, value) in draw(changes):
        if uid in rows:
            rows[uid][field] = value
    return list(rows.values())


def _seen(verdict: Verdict) -> tuple[int, int, int] | None:
    if not verdict.visible or verdict.rendered is None:
        return None
    return verdict.rendered.uid, verdict.content_page_uid, verdict.content_language_id


@settings(max_examples=400)
@given(trees(), st.sampled_from((*UIDS, 101)), st.sampled_from(range(8)), st.integers(0, 59))
def test_the_slow_opinion_is_the_same(
    rows: list[TableRow], uid: int, language: int, second: int
) -> None:
    live = [row for row in rows if not row["t3ver_wsid"]]
    verdict = judge_page(
        load_pages(MemoryDatabase(rows), [uid]), SITES, uid, language, NOW + second
    )
    assert _seen(verdict) == SlowSite(live, LANGUAGES).sees(uid, language, NOW + second)
    assert verdict.visible == (verdict.reason == "")


@given(trees())
def test_pages_loaded_together_are_judged_as_pages_loaded_alone(rows: list[TableRow]) -> None:
    database = MemoryDatabase(rows)
    together = load_pages(database, UIDS)
    for uid in UIDS:
        alone = load_pages(database, [uid])
        for language in LANGUAGES:
            assert _judged(alone, uid, language) == _judged(together, uid, language)


def _judged(tree: PageTree, uid: int, language: int) -> Verdict:
    return judge_page(tree, SITES, uid, language, NOW)
