"""What indexed_search's rows become: each row of the tables for a reason."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract.backend_contract import ACCESS, hits
from tests.contract.indexes import INDEXED_SEARCH_TABLES, write_site
from tests.contract.site import COLLECTION, NOW, Row, resources
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.backends.indexed_search import BACKEND, lexer
from typo3_retrieval.core.backend import SearchBackend
from typo3_retrieval.core.source_id import SourceId

Build = Callable[..., SearchBackend]
PHASH = "0" * 31 + "1"  # of the first view that a test gives
ID = SourceId.of("indexed_search", PHASH)


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """A backend over the contract's site and an index of the given views."""
    databases: list[SqliteDatabase] = []

    def built(*views: Row, **tables: list[Row]) -> SearchBackend:
        rows: dict[str, list[Row]] = {"index_phash": [], "index_fulltext": [], "index_rel": []}
        words: dict[str, str] = {}
        for number, view in enumerate(views, start=1):
            phash = f"{number:032}"
            text = " ".join(map(str, (view["item_title"], view["text"])))
            rows["index_phash"].append(
                {"phash": phash, **{name: view[name] for name in view if name != "text"}}
            )
            rows["index_fulltext"].append({"phash": phash, "fulltextdata": text})
            for word in set(lexer.words(text)):
                wid = hashlib.md5(word.encode(), usedforsecurity=False).hexdigest()
                words[wid] = word.encode()[:60].decode("utf-8", "ignore")
                rows["index_rel"].append({"phash": phash, "wid": wid, "count": 1, "freq": 9})
        rows["index_words"] = [{"wid": wid, "baseword": word} for wid, word in words.items()]
        path = write_site(tmp_path / "site.sqlite", INDEXED_SEARCH_TABLES, {**rows, **tables})
        databases.append(SqliteDatabase(path))
        return BACKEND.build(resources(databases[-1]))

    yield built
    for database in databases:
        database.close()


def view(**columns: object) -> Row:
    """A view of the collection page, on which a plugin prints something about kites."""
    row = {
        "data_page_id": COLLECTION,
        "static_page_arguments": "[]",
        "gr_list": "0,-1",
        "item_title": "Bulky waste collection",
        "text": "About kites.",
        "tstamp": NOW,
    }
    return {**row, **columns}  # type: ignore[dict-item]  # only column values are given


def test_a_view_of_visitors_without_login_is_found(build: Build) -> None:
    (hit,) = hits(build(view()), "kites")
    assert (str(hit.source_id), hit.url) == (str(ID), "https://www.example.org/page-2")


@pytest.mark.parametrize("gr_list", ["0,-2,1", "0,-2", "-1", "0", "", "0,-1,1"])
def test_a_view_of_members_is_not(build: Build, gr_list: str) -> None:
    backend = build(view(gr_list=gr_list))
    assert hits(backend, "kites") == []
    assert backend.fetch(ID, ACCESS) is None


def test_a_member_s_view_that_everybody_saw_alike_is_found(build: Build) -> None:
    seen = [{"phash": PHASH, "gr_list": gr_list} for gr_list in ("0,-2,1", "0,-1")]
    backend = build(view(gr_list="0,-2,1"), index_grlist=seen)
    assert len(hits(backend, "kites")) == 1
    assert backend.fetch(ID, ACCESS) is not None


def test_page_types_go_through_the_router(build: Build) -> None:
    (hit,) = hits(build(view(data_page_type=98)), "kites")
    assert hit.url == "https://www.example.org/page-2?type=98"


@pytest.mark.parametrize("kept", ['{"size":"all"}', '{"tx_case_pi":{"step":"1"}}'])
def test_a_view_whose_path_had_more_arguments_is_not_cited(build: Build, kept: str) -> None:
    # No route of the site takes these alone: the view had others, which were not kept.
    backend = build(view(static_page_arguments=kept))
    assert hits(backend, "kites") == []
    assert backend.fetch(ID, ACCESS) is None


def test_a_record_of_an_indexing_configuration_has_all_its_arguments(build: Build) -> None:
    backend = build(view(static_page_arguments='{"type":"7"}', recordUid=5))
    assert hits(backend, "kites")[0].url == "https://www.example.org/page-2?type=7"


@pytest.mark.parametrize("kept", ["", "null", "{", "7", '["x"]'])
def test_arguments_that_cannot_be_read_are_no_view(build: Build, kept: str) -> None:
    found = hits(build(view(static_page_arguments=kept)), "kites")
    assert bool(found) is (kept == "")


def test_a_mounted_page_without_its_mount_point_is_not_cited(build: Build) -> None:
    assert hits(build(view(data_page_mp="44-12")), "kites") == []


def test_a_print_version_comes_after_other_pages(build: Build) -> None:
    backend = build(
        view(data_page_type=98, text="About kites kites kites."),
        view(),
        view(data_page_id=40, item_title="Spare parts"),
    )
    assert [hit.url for hit in hits(backend, "kites")] == [
        "https://www.example.org/page-2?type=98",
        "https://www.example.org/page-40",
        "https://www.example.org/page-2",
    ]


def test_a_file_that_is_not_in_fal_is_not_cited(build: Build) -> None:
    row = view(data_page_id=0, item_type="pdf", data_filename="/fileadmin/kites.pdf")
    assert hits(build(row), "kites") == []


def test_an_address_outside_is_cited_as_it_is(build: Build) -> None:
    url = "https://birds.example.net/kites"
    row = view(data_page_id=0, externalUrl=1, item_type="html", data_filename=url)
    assert hits(build(row), "kites")[0].url == url


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("A case-sensitive kite", "case-sensitive"),
        ("A case-sensitive kite", "sensitive case"),
        ("Write an e-mail", "e-mail"),
        ("Write an E-Mail", "mail"),
        ("Version 3.5 of it", "3.5"),
        ("The landlord's consent", "landlord"),
        ("Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz", "Rindfleischetikett"),
        ("Straße", "STRASSE"),
    ],
)
def test_words_are_found_however_the_indexer_kept_them(
    build: Build, text: str, question: str
) -> None:
    assert len(hits(build(view(text=text)), question)) == 1


def test_a_word_that_is_cut_in_the_index_is_found(build: Build) -> None:
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    assert len(hits(build(view(text=word)), word)) == 1


@pytest.mark.parametrize("part", ["1", "x" * 32, PHASH.upper() + "A", PHASH[1:], "F" * 32])
def test_other_ids_than_hashes_are_unknown(build: Build, part: str) -> None:
    backend = build(view())
    assert backend.fetch(SourceId("indexed_search", (part,)), ACCESS) is None
    assert backend.fetch(SourceId("indexed_search", (PHASH, part)), ACCESS) is None


def test_an_empty_index_is_unavailable(build: Build) -> None:
    assert build().availability().reason == "the index is empty"


def test_the_hashes_of_typo3_12_are_unavailable(tmp_path: Path) -> None:
    tables = [
        statement.replace("phash varchar(32) NOT NULL PRIMARY KEY", "phash int PRIMARY KEY")
        for statement in INDEXED_SEARCH_TABLES
    ]
    path = write_site(tmp_path / "site.sqlite", tables, {"index_phash": [{"phash": 123_456}]})
    database = SqliteDatabase(path)
    reason = BACKEND.build(resources(database)).availability().reason
    database.close()
    assert reason == "integer hashes of TYPO3 12 or before"
