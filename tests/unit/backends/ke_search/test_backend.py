"""What ke_search's rows become: each row of the table for a reason."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import ACCESS, hits
from tests.contract.indexes import KE_SEARCH_TABLE, write_site
from tests.contract.site import COLLECTION, FRENCH, FUTURE, GERMAN, NOW, PAST, Row, resources
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.ke_search import BACKEND
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId

Build = Callable[..., SearchBackend]

FLEXFORM = """<T3FlexForms><data><sheet index="sDEF"><language index="lDEF">
    <field index="basePath"><value index="vDEF">fileadmin/</value></field>
</language></sheet></data></T3FlexForms>"""


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """A backend over the contract's site and the given rows of the index."""
    databases: list[SqliteDatabase] = []

    def built(*rows: Row, **tables: list[Row]) -> SearchBackend:
        numbered = [{"uid": number, **row} for number, row in enumerate(rows, start=1)]
        path = write_site(
            tmp_path / "site.sqlite", [KE_SEARCH_TABLE], {"tx_kesearch_index": numbered, **tables}
        )
        databases.append(SqliteDatabase(path))
        return BACKEND.build(resources(databases[-1]))

    yield built
    for database in databases:
        database.close()


def record(**columns: object) -> Row:
    """A row of some extension's record about kites, shown on the collection page."""
    row = {
        "type": "news",
        "targetpid": str(COLLECTION),
        "title": "Kites",
        "content": "About kites.",
        "tstamp": NOW,
    }
    return {**row, **columns}  # type: ignore[dict-item]  # only column values are given


@pytest.mark.parametrize("fe_group", ["", "0", "-1", "0,-1", "1,0"])
def test_rows_for_everybody_are_found(build: Build, fe_group: str) -> None:
    assert len(hits(build(record(fe_group=fe_group)), "kites")) == 1


@pytest.mark.parametrize("fe_group", ["1", "-2", "1,2", " 1", "10", "-10", "0 "])
def test_rows_for_members_are_not(build: Build, fe_group: str) -> None:
    backend = build(record(fe_group=fe_group))
    assert hits(backend, "kites") == []
    assert backend.fetch(SourceId.of("ke_search", 1), ACCESS) is None


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ({"starttime": NOW}, True),
        ({"starttime": NOW + 60}, False),
        ({"endtime": 0}, True),
        ({"endtime": NOW}, False),
        ({"endtime": NOW + 60}, True),
        ({"starttime": PAST, "endtime": FUTURE}, True),
    ],
)
def test_rows_show_in_their_time_only(build: Build, times: dict[str, int], found: bool) -> None:
    assert bool(hits(build(record(**times)), "kites")) is found


def test_rows_for_all_languages_are_cited_in_the_asked_one(build: Build) -> None:
    backend = build(record(language=-1))
    assert hits(backend, "kites", GERMAN)[0].url == "https://www.example.org/de/page-1002"
    assert hits(backend, "kites", FRENCH)[0].url == "https://www.example.org/fr/page-2"


def test_hidden_content_is_neither_found_nor_read(build: Build) -> None:
    backend = build(record(hidden_content="balloons"))
    assert hits(backend, "balloons") == []
    document = backend.fetch(SourceId.of("ke_search", 1), ACCESS)
    assert document is not None
    assert "balloons" not in document.text


def test_parameters_go_through_the_router(build: Build) -> None:
    (hit,) = hits(build(record(params="&type=98&L=3&id=7&cHash=abc")), "kites")
    assert hit.url == "https://www.example.org/page-2?type=98"


def test_the_target_is_a_text_that_begins_with_a_number(build: Build) -> None:
    row = {
        "type": "content",
        "targetpid": "40#c40",
        "orig_uid": "40",
        "title": "Spare parts",
        "content": "Ersatzteil",
        "tstamp": NOW,
    }
    (hit,) = hits(build(row), "Ersatzteil")
    assert (hit.url, hit.page_uid) == ("https://www.example.org/page-40#c40", 40)


@pytest.mark.parametrize("target", ["", "0", "x", "#c40", "99999"])
def test_a_row_without_a_target_is_nothing(build: Build, target: str) -> None:
    assert hits(build(record(targetpid=target)), "kites") == []


@pytest.mark.parametrize(
    "uid",
    [
        201,  # hidden
        202,  # deleted
        203,  # starts in a minute
        205,  # for group 1
        208,  # in a column that is not printed
    ],
)
def test_the_row_of_an_element_that_nobody_sees_is_nothing(build: Build, uid: int) -> None:
    row = record(type="content", targetpid=f"{COLLECTION}#c{uid}", orig_uid=str(uid))
    backend = build(row)
    assert hits(backend, "kites") == []
    assert backend.fetch(SourceId.of("ke_search", 1), ACCESS) is None


def test_an_element_is_read_as_it_is_now(build: Build) -> None:
    row = record(type="content", targetpid="40#c40", orig_uid="40", content="Ersatzteil kites")
    document = build(row).fetch(SourceId.of("ke_search", 1), ACCESS)
    assert document is not None
    assert document.text == "# Spare parts\n\nErsatzteil QX-17-204, ein Rad."


def test_a_page_is_read_from_the_index_while_nothing_has_changed(build: Build) -> None:
    # Such as what a plugin prints: the page's own elements do not hold it.
    row = record(type="page", targetpid="40", content="Spare parts for kites")
    document = build(row).fetch(SourceId.of("ke_search", 1), ACCESS)
    assert document is not None
    assert "Spare parts for kites" in document.text


def test_a_page_that_was_edited_since_is_read_from_its_elements(build: Build) -> None:
    row = record(type="page", targetpid="40", content="Spare parts for kites", tstamp=-1)
    document = build(row).fetch(SourceId.of("ke_search", 1), ACCESS)
    assert document is not None
    assert document.text == "# Spare parts\n\nErsatzteil QX-17-204, ein Rad."


def test_links_outside_are_cited_as_they_are(build: Build) -> None:
    row = record(type="external", targetpid="0", params="https://birds.example.net/?x=1")
    (hit,) = hits(build(row), "kites")
    assert (hit.url, hit.site, hit.page_uid) == ("https://birds.example.net/?x=1", None, None)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "//birds.example.net", "ftp://a.b/", ""])
def test_other_links_are_not(build: Build, link: str) -> None:
    assert hits(build(record(type="external", targetpid="0", params=link)), "kites") == []


@pytest.mark.parametrize(
    ("storage", "file", "url"),
    [
        ({}, {}, "https://www.example.org/fileadmin/docs/k%20ite.pdf"),
        ({"is_public": 0}, {}, None),
        ({"is_online": 0}, {}, None),
        ({}, {"missing": 1}, None),
        ({}, {"uid": 8}, None),
    ],
)
def test_files_are_cited_by_their_public_address_or_not_at_all(
    build: Build, storage: Row, file: Row, url: str | None
) -> None:
    backend = build(
        record(type="file:pdf", targetpid="1", orig_uid="7", language=-1),
        sys_file=[{"uid": 7, "storage": 1, "identifier": "/docs/k ite.pdf", **file}],
        sys_file_storage=[{"uid": 1, "configuration": FLEXFORM, **storage}],
    )
    assert [hit.url for hit in hits(backend, "kites")] == ([url] if url else [])


def test_entities_and_markup_of_titles_become_text(build: Build) -> None:
    (hit,) = hits(build(record(title="<i>Kites</i> &amp; birds")), "kites")
    assert hit.title == "Kites & birds"


@pytest.mark.parametrize("part", ["0", "007", "-1", "x", "1x", "2147483648", "٣"])
def test_other_ids_than_numbers_of_rows_are_unknown(build: Build, part: str) -> None:
    backend = build(record())
    assert backend.fetch(SourceId("ke_search", (part,)), ACCESS) is None
    assert backend.fetch(SourceId("ke_search", ("1", part)), ACCESS) is None


def test_an_empty_index_is_unavailable(build: Build) -> None:
    assert build().availability().reason == "the index is empty"


def test_without_its_table_it_is_unavailable(tmp_path: Path) -> None:
    path = write_site(tmp_path / "site.sqlite", [], {})
    database = SqliteDatabase(path)
    reason = BACKEND.build(resources(database)).availability().reason
    database.close()
    assert reason == "no table tx_kesearch_index"
