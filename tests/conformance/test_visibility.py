"""What visitors of a real TYPO3 saw, and what we say that they see.

All of the recorded site where it is at hand, on SQLite and on MariaDB in several moods; a selection
of it, from tests/vectors, everywhere.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.recorded import LANGUAGES, Recorded
from tests.unit.typo3.rows import MemoryDatabase
from typo3_retrieval.typo3.content import ContentKey, visible_content
from typo3_retrieval.typo3.content_rows import ContentTable
from typo3_retrieval.typo3.database import Database, Dialect, Parameter, Row
from typo3_retrieval.typo3.enable_fields import is_for_everybody, times_and_groups_sql
from typo3_retrieval.typo3.pages import load_pages
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites
from typo3_retrieval.typo3.visibility import Verdict, judge_page

VECTORS: Mapping[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "visibility.json").read_text(encoding="utf-8")
)
PRINTED_COLUMNS = frozenset({0, 1})  # by the template of the recorded site; 1 on one page only

Verdicts = Mapping[ContentKey, Verdict]


def judged(database: Database, sites: Sites, now: int, uids: set[int]) -> Verdicts:
    tree = load_pages(database, uids)
    return {
        (uid, language): judge_page(tree, sites, uid, language, now)
        for uid in uids
        for language in LANGUAGES
    }


def texts(database: Database, verdicts: Verdicts, now: int) -> dict[ContentKey, str]:
    """What a visitor reads in the elements of each page."""
    content = visible_content(database, verdicts.values(), now=now, columns=PRINTED_COLUMNS)
    return {
        key: "\n".join(text for element in elements for text in element.texts())
        for key, elements in content.items()
    }


def shown(verdict: Verdict) -> int:
    """The uid of the row that is rendered, 0 when nothing is."""
    return verdict.rendered.uid if verdict.visible and verdict.rendered else 0


class TestSelection:
    """Runs everywhere."""

    sites = Sites(
        sites=tuple(
            Site(
                identifier=site["identifier"],
                root_page_uid=site["root_page_uid"],
                base=site["base"],
                languages=tuple(
                    SiteLanguage(**{**language, "fallbacks": tuple(language["fallbacks"])})
                    for language in site["languages"]
                ),
            )
            for site in VECTORS["sites"]
        )
    )

    def test_pages_are_seen_as_recorded(self) -> None:
        verdicts = self._judged(self._database())
        ours = [
            [page, language, shown(verdicts[page, language])]
            for page, language, _ in VECTORS["pages_seen"]
        ]
        assert ours == VECTORS["pages_seen"]

    def test_elements_are_seen_as_recorded(self) -> None:
        database = self._database()
        read = texts(database, self._judged(database), VECTORS["now"])
        ours = [
            [uid, page, language, f"mxc{uid}z" in read.get((page, language), "")]
            for uid, page, language, _ in VECTORS["content_seen"]
        ]
        assert ours == VECTORS["content_seen"]

    def _database(self) -> MemoryDatabase:
        return MemoryDatabase(VECTORS["pages"], VECTORS["tt_content"])

    def _judged(self, database: Database) -> Verdicts:
        uids = {page for page, *_ in VECTORS["pages_seen"]}
        uids |= {page for _, page, *_ in VECTORS["content_seen"]}
        return judged(database, self.sites, VECTORS["now"], uids)


@pytest.fixture(scope="module")
def verdicts(database: Database, recorded: Recorded) -> Verdicts:
    return judged(database, recorded.sites, recorded.now, recorded.uids)


def test_every_recorded_page_is_judged_as_it_was_seen(
    verdicts: Verdicts, recorded: Recorded
) -> None:
    assert len(recorded.pages) > 0
    for line in recorded.pages:
        verdict = verdicts[line["page"], line["language"]]
        assert verdict.visible == line["anonymous_sees_page"], (verdict.reason, line)
        if verdict.visible:
            assert [f"mxp{shown(verdict)}z"] == line["rendered_record"], line


def test_redirects_lead_where_they_led(verdicts: Verdicts, recorded: Recorded) -> None:
    for line in recorded.pages:
        verdict = verdicts[line["page"], line["language"]]
        redirected = line["by_id_status"] in (303, 307)
        if verdict.redirect is not None:
            assert redirected, line
        elif redirected:  # the tree holds no pages below a page
            assert verdict.reason == "shortcut to a page below", line
        if isinstance(verdict.redirect, str) and line["by_id_location"]:
            assert verdict.redirect == line["by_id_location"]


def test_every_recorded_element_is_read_where_it_was_seen(
    database: Database, verdicts: Verdicts, recorded: Recorded
) -> None:
    read = texts(database, verdicts, recorded.now)
    assert len(recorded.content) > 0
    for line in recorded.content:
        text = read.get((line["pid"], line["language"]), "")
        assert (line["marker"] in text) == line["seen_on_own_page"], line


def test_no_element_is_read_on_a_page_where_it_was_not_seen(
    database: Database, verdicts: Verdicts, recorded: Recorded
) -> None:
    read = texts(database, verdicts, recorded.now)
    # A page whose slug another page has, too, was seen at the other one's address.
    at_its_address = {
        (line["page"], line["language"])
        for line in recorded.pages
        if line["router_shows_this_page"]
    }
    for line in recorded.content:
        seen = {line["pid"]} if line["seen_on_own_page"] else set()
        ours = {
            page
            for page, language in at_its_address
            if language == line["language"] and line["marker"] in read.get((page, language), "")
        }
        theirs = {
            page
            for page in seen | set(line["seen_on_other_pages"])
            # The text of mounted pages was seen at mount points, too, which we do not cite.
            if (page, line["language"]) in read
        }
        assert ours == {page for page in theirs if (page, line["language"]) in at_its_address}, line


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
def test_the_time_zone_changes_nothing(
    database: Database,
    verdicts: Verdicts,
    recorded: Recorded,
    monkeypatch: pytest.MonkeyPatch,
    zone: str,
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert judged(database, recorded.sites, recorded.now, recorded.uids) == verdicts
    finally:
        monkeypatch.undo()
        time.tzset()


class Explaining:
    """A `Database` that keeps the plan of a statement instead of running it."""

    def __init__(self, database: Database) -> None:
        self.dialect: Dialect = database.dialect
        self.columns = database.columns
        self.scanned: list[str] = []
        self._database = database

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        explain = "EXPLAIN QUERY PLAN" if self.dialect == "sqlite" else "EXPLAIN"
        for step in self._database.rows(f"{explain} {sql}", parameters):
            if self.dialect == "sqlite":
                scans = str(step["detail"]).startswith(("SCAN p", "SCAN c"))
            else:
                scans = step["table"] in {"p", "c"} and step["type"] in {"ALL", "index"}
            if scans:
                self.scanned.append(str(dict(step)))
        return []


def test_no_statement_reads_a_whole_table(database: Database, recorded: Recorded) -> None:
    explaining = Explaining(database)
    load_pages(explaining, [3, 54, 121])
    table = ContentTable(database=explaining, fields=("bodytext",), now=recorded.now)
    table.of_pages([3, 121], [-1, 0, 1])
    table.of_uids([5008, 5009])
    assert not explaining.scanned


@pytest.mark.parametrize(
    "fe_group",
    ["", "0", "-1", "-2", "1", " 1", " ", "0 ", " 0", "-1 ", "0,-1", "1,-1,2", "10", "%"],
)
def test_groups_mean_the_same_in_this_database(database: Database, fe_group: str) -> None:
    condition = times_and_groups_sql("t")
    row = "SELECT %(group)s AS fe_group, 0 AS starttime, 0 AS endtime"
    statement = f"SELECT 1 FROM ({row}) t WHERE {condition}"  # noqa: S608 - our own condition
    found = database.rows(statement, {"group": fe_group, "now": 1})
    assert bool(found) == is_for_everybody(fe_group)
