"""Who sees a page, rule by rule; each page is one row with a reason."""

from dataclasses import replace

import pytest

from tests.unit.typo3.rows import (
    CHAIN,
    DEFAULT_FIRST,
    DISABLED,
    FALLBACK,
    FREE,
    FUTURE,
    NOW,
    PAST,
    SITES,
    STRICT,
)
from typo3_retrieval.typo3.pages import Page, PageTree
from typo3_retrieval.typo3.sites import FallbackType, Site, Sites
from typo3_retrieval.typo3.visibility import Verdict, judge_page

ROOT = Page(uid=1)
PAGE = Page(uid=3, pid=1)


def german(**fields: int | str) -> Page:
    """A translation of page 3 into the strict language, which the chain falls back to."""
    return replace(Page(uid=1003, pid=1, l10n_parent=3, language_id=STRICT), **fields)  # type: ignore[arg-type]  # names are Page's


def page(**fields: int | str) -> Page:
    return replace(PAGE, **fields)  # type: ignore[arg-type]  # names are Page's


def judged(
    *pages: Page, uid: int = 3, language: int = 0, now: int = NOW, typo3: int = 13
) -> Verdict:
    return judge_page(PageTree((ROOT, *pages)), SITES, uid, language, now, typo3=typo3)


def test_a_plain_page_is_visible() -> None:
    verdict = judged(PAGE)
    assert verdict == Verdict(
        visible=True,
        page=PAGE,
        rendered=PAGE,
        site=SITES.sites[0],
        language=SITES.sites[0].languages[0],
        rootline=(PAGE, ROOT),
        content_page_uid=3,
        content_language_id=0,
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (page(deleted=1), "deleted"),
        (page(hidden=1), "hidden"),
        (page(starttime=FUTURE), "not started"),
        (page(endtime=PAST), "ended"),
        (page(fe_group="1,2"), "fe_group 1,2"),
        (page(fe_group="-2"), "fe_group -2"),
        (page(fe_group=" 1"), "fe_group  1"),
        (page(doktype=199), "doktype 199"),
        (page(doktype=254), "doktype 254"),
        (page(doktype=6), "doktype 6 of page 3"),
        (page(l18n_cfg=1), "hidden in the default language (l18n_cfg 1)"),
        (page(pid=99), "an ancestor is deleted or missing"),
        (page(pid=0), "no site"),
    ],
)
def test_one_rule_hides_a_page(row: Page, reason: str) -> None:
    verdict = judged(row)
    assert not verdict.visible
    assert verdict.reason == reason
    assert verdict.page == row


@pytest.mark.parametrize(
    "row",
    [
        page(starttime=PAST, endtime=FUTURE),
        page(fe_group="-1"),
        page(fe_group="0,-1"),
        page(fe_group=""),
        page(no_search=1),
        page(doktype=255),
        page(doktype=116),
        page(doktype=7, mount_pid=1),
        page(l18n_cfg=2),
    ],
)
def test_these_do_not_hide_a_page(row: Page) -> None:
    assert judged(row).visible


def test_a_page_appears_with_the_full_minute() -> None:
    starting = page(starttime=NOW)
    assert not judged(starting, now=NOW - 1).visible
    assert judged(starting, now=NOW).visible
    # Half a minute before its end is still its last minute, wherever the seconds stand.
    assert judged(page(endtime=NOW + 30), now=NOW + 59).visible


@pytest.mark.parametrize(
    ("parent", "reason"),
    [
        (Page(uid=2, pid=1, hidden=1), "hidden"),
        (Page(uid=2, pid=1, starttime=FUTURE), "not started"),
        (Page(uid=2, pid=1, endtime=PAST), "ended"),
        (Page(uid=2, pid=1, fe_group="-2"), "fe_group -2"),
    ],
)
def test_an_ancestor_hides_what_is_below_only_if_it_says_so(parent: Page, reason: str) -> None:
    between, below = Page(uid=4, pid=2), page(pid=4, fe_group="0")
    assert judged(parent, between, below).visible
    verdict = judged(replace(parent, extend_to_subpages=1), between, below)
    assert verdict.reason == f"ancestor 2 {reason} (extendToSubpages)"


@pytest.mark.parametrize("doktype", [3, 4, 7, 199, 254, 255])
def test_pages_below_special_pages_are_visible(doktype: int) -> None:
    assert judged(Page(uid=2, pid=1, doktype=doktype), page(pid=2)).visible


def test_a_backend_section_hides_all_below() -> None:
    verdict = judged(Page(uid=2, pid=1, doktype=6), page(pid=2))
    assert verdict.reason == "doktype 6 of page 2"


def test_a_deleted_ancestor_hides_all_below() -> None:
    assert not judged(Page(uid=2, pid=1, deleted=1), page(pid=2)).visible


def test_before_typo3_13_a_recycler_hides_itself_and_all_below() -> None:
    recycler = page(doktype=255)
    assert judged(recycler, typo3=12).reason == "doktype 255"
    below = judged(recycler, Page(uid=5, pid=3), uid=5, typo3=12)
    assert below.reason == "doktype 255 of page 3"


def test_an_unknown_page_is_not_visible() -> None:
    assert judged(uid=99) == Verdict(visible=False, reason="no such page")


def test_the_nearest_site_counts() -> None:
    inner = Site(identifier="inner", root_page_uid=3, base="/", languages=SITES.sites[0].languages)
    verdict = judge_page(PageTree((ROOT, PAGE)), Sites(sites=(*SITES, inner)), 3, 0, NOW)
    assert verdict.site == inner


class TestLanguages:
    def test_a_language_that_the_site_lacks(self) -> None:
        assert judged(PAGE, language=9).reason == "language 9 is not one of the site's"

    def test_a_disabled_language(self) -> None:
        translation = german(language_id=DISABLED)
        verdict = judged(PAGE, translation, language=DISABLED)
        assert verdict.reason == f"language {DISABLED} is disabled"

    @pytest.mark.parametrize("language", [STRICT, FALLBACK, FREE, CHAIN])
    def test_a_translation_is_shown(self, language: int) -> None:
        translation = german(language_id=language)
        verdict = judged(PAGE, translation, language=language)
        assert verdict.rendered == translation
        assert verdict.page == PAGE
        assert verdict.content_language_id == language

    @pytest.mark.parametrize(("language", "reason"), [(STRICT, "strict"), (FREE, "free")])
    def test_without_a_translation_nothing_is_shown(self, language: int, reason: str) -> None:
        assert judged(PAGE, language=language).reason == f"no translation ({reason})"

    @pytest.mark.parametrize("language", [FALLBACK, CHAIN])
    def test_the_default_language_stands_in(self, language: int) -> None:
        verdict = judged(PAGE, language=language)
        assert verdict.rendered == PAGE
        assert verdict.content_language_id == 0

    def test_the_first_of_the_chain_stands_in(self) -> None:
        verdict = judged(PAGE, german(), language=CHAIN)
        assert verdict.rendered == german()
        assert verdict.content_language_id == STRICT

    @pytest.mark.parametrize("mode", ["strict", "free"])
    def test_every_mode_falls_back_where_the_site_names_fallbacks(self, mode: FallbackType) -> None:
        languages = tuple(
            replace(each, fallback_type=mode, fallbacks=(0,))
            if each.language_id == STRICT
            else each
            for each in SITES.sites[0].languages
        )
        sites = Sites(sites=(replace(SITES.sites[0], languages=languages),))
        assert judge_page(PageTree((ROOT, PAGE)), sites, 3, STRICT, NOW).visible

    def test_content_of_the_default_language_under_the_page_row_of_another(self) -> None:
        verdict = judged(PAGE, german(), language=DEFAULT_FIRST)
        assert verdict.rendered == german()
        assert verdict.content_language_id == 0

    @pytest.mark.parametrize(
        "translation",
        [german(hidden=1), german(starttime=FUTURE), german(endtime=PAST), german(deleted=1)],
    )
    def test_a_hidden_translation_is_none(self, translation: Page) -> None:
        assert not judged(PAGE, translation, language=STRICT).visible
        assert judged(PAGE, translation, language=CHAIN).rendered == PAGE

    def test_the_groups_of_a_translation_do_not_count(self) -> None:
        assert judged(PAGE, german(fe_group="1"), language=STRICT).visible

    def test_of_two_translations_the_younger_visible_one_is_shown(self) -> None:
        pages = (PAGE, german(), german(uid=1004), german(uid=1005, hidden=1))
        assert judged(*pages, language=STRICT).rendered == german(uid=1004)

    @pytest.mark.parametrize("row", [page(hidden=1), page(fe_group="1"), page(endtime=PAST)])
    def test_what_hides_the_default_page_hides_every_language(self, row: Page) -> None:
        assert not judged(row, german(), language=STRICT).visible

    def test_l18n_cfg_1_hides_where_the_default_content_would_show(self) -> None:
        row = page(l18n_cfg=1)
        assert judged(row, german(), language=STRICT).visible
        assert judged(row, german(), language=CHAIN).visible
        assert not judged(row, german(), language=FALLBACK).visible

    def test_l18n_cfg_2_wants_a_translation_into_the_very_language(self) -> None:
        row = page(l18n_cfg=2)
        assert judged(row, german(), language=STRICT).visible
        for language in (CHAIN, FALLBACK, FREE):
            verdict = judged(row, german(), language=language)
            assert verdict.reason == "no translation (l18n_cfg 2)"

    def test_a_translation_stands_for_its_page(self) -> None:
        verdict = judged(PAGE, german(), uid=1003, language=STRICT)
        assert verdict.page == PAGE
        assert verdict.rendered == german()
        assert judged(PAGE, german(), uid=1003).rendered == PAGE

    def test_restrictions_of_an_ancestors_translation_do_not_count(self) -> None:
        translation = Page(
            uid=1001, l10n_parent=1, language_id=STRICT, hidden=1, extend_to_subpages=1
        )
        assert judged(PAGE, german(), translation, language=STRICT).visible


class TestRedirects:
    def test_a_shortcut_leads_to_its_target(self) -> None:
        verdict = judged(page(doktype=4, shortcut=5), Page(uid=5, pid=1))
        assert not verdict.visible
        assert verdict.reason == "shortcut to page 5"
        assert verdict.redirect == 5

    def test_a_chain_of_shortcuts_leads_to_its_end(self) -> None:
        middle = Page(uid=5, pid=1, doktype=4, shortcut=6)
        verdict = judged(page(doktype=4, shortcut=5), middle, Page(uid=6, pid=1))
        assert verdict.redirect == 6

    def test_a_translated_shortcut_has_a_target_of_its_own(self) -> None:
        shortcut = page(doktype=4, shortcut=5)
        translated = german(doktype=4, shortcut=6)
        pages = (shortcut, translated, Page(uid=5, pid=1), Page(uid=6, pid=1))
        assert judged(*pages, language=STRICT).redirect == 6

    def test_a_shortcut_to_its_parent(self) -> None:
        assert judged(page(doktype=4, shortcut_mode=3)).redirect == 1

    def test_a_shortcut_to_the_parent_of_another_page(self) -> None:
        pages = (Page(uid=5, pid=1), Page(uid=6, pid=5))
        assert judged(page(doktype=4, shortcut_mode=3, shortcut=6), *pages).redirect == 5

    @pytest.mark.parametrize(
        "target",
        [
            Page(uid=5, pid=1, hidden=1),
            Page(uid=5, pid=1, fe_group="1"),
            Page(uid=5, pid=1, doktype=254),
            Page(uid=5, pid=99),
            Page(uid=5, pid=1, doktype=4, shortcut=3),
            Page(uid=6, pid=1),
        ],
    )
    def test_a_shortcut_to_nothing_that_visitors_may_enter(self, target: Page) -> None:
        verdict = judged(page(doktype=4, shortcut=5), target)
        assert verdict.reason == "shortcut to a hidden or missing page"
        assert verdict.redirect is None

    @pytest.mark.parametrize("mode", [1, 2])
    def test_a_shortcut_to_a_page_below_is_not_followed(self, mode: int) -> None:
        below = Page(uid=5, pid=3)
        assert judged(page(doktype=4, shortcut_mode=mode), below).redirect is None

    @pytest.mark.parametrize(
        ("url", "location"),
        [
            ("https://other.example.net/a?b=1", "https://other.example.net/a?b=1"),
            ("mailto:info@example.org", "mailto:info@example.org"),
            ("info@example.org", "mailto:info@example.org"),
            ("/relative/path", "/relative/path"),
            ("relative/path", "https://www.example.org/relative/path"),
            ("", "https://www.example.org/"),
        ],
    )
    def test_a_link_leads_to_its_url(self, url: str, location: str) -> None:
        verdict = judged(page(doktype=3, url=url))
        assert (verdict.visible, verdict.reason, verdict.redirect) == (False, "link", location)

    def test_a_translated_link_has_a_url_of_its_own(self) -> None:
        translated = german(doktype=3, url="https://other.example.net/de")
        verdict = judged(page(doktype=3, url="/en"), translated, language=STRICT)
        assert verdict.redirect == "https://other.example.net/de"

    def test_a_translation_alone_may_be_a_link(self) -> None:
        translated = german(doktype=3, url="/elsewhere")
        assert judged(PAGE, translated, language=STRICT).redirect == "/elsewhere"

    def test_a_shortcut_to_a_link_leads_to_the_url(self) -> None:
        link = Page(uid=5, pid=1, doktype=3, url="/elsewhere")
        assert judged(page(doktype=4, shortcut=5), link).redirect == "/elsewhere"

    def test_a_mount_point_that_shows_the_mounted_page_is_not_seen_itself(self) -> None:
        mount_point = page(doktype=7, mount_pid=5, mount_pid_ol=1)
        verdict = judged(mount_point, Page(uid=5, pid=1))
        assert verdict.reason == "mount point of page 5"
        assert verdict.redirect == 5
        assert judged(mount_point, Page(uid=5, pid=1, hidden=1)).redirect is None


class TestContentFromAnotherPage:
    def test_it_is_found(self) -> None:
        verdict = judged(page(content_from_pid=5), Page(uid=5, pid=1))
        assert verdict.visible
        assert verdict.content_page_uid == 5

    def test_a_translation_decides_for_itself(self) -> None:
        pages = (page(content_from_pid=5), german(content_from_pid=0), Page(uid=5, pid=1))
        assert judged(*pages, language=STRICT).content_page_uid == 3

    def test_it_may_be_behind_a_shortcut(self) -> None:
        shortcut = Page(uid=5, pid=1, doktype=4, shortcut=6)
        verdict = judged(page(content_from_pid=5), shortcut, Page(uid=6, pid=1))
        assert verdict.content_page_uid == 6

    def test_it_may_be_behind_a_mount_point(self) -> None:
        mount_point = Page(uid=5, pid=1, doktype=7, mount_pid=6, mount_pid_ol=1)
        verdict = judged(page(content_from_pid=5), mount_point, Page(uid=6, pid=1))
        assert verdict.content_page_uid == 6

    def test_a_page_without_a_site_will_do(self) -> None:
        assert judged(page(content_from_pid=5), Page(uid=5)).visible

    @pytest.mark.parametrize(
        "target",
        [
            Page(uid=5, pid=1, hidden=1),
            Page(uid=5, pid=1, fe_group="1"),
            Page(uid=5, pid=1, doktype=254),
            Page(uid=5, pid=1, deleted=1),
            Page(uid=5, pid=99),
            Page(uid=6, pid=1),
        ],
    )
    def test_a_page_whose_content_is_closed_is_closed_too(self, target: Page) -> None:
        verdict = judged(page(content_from_pid=5), target)
        assert verdict.reason == "content of hidden page 5"
