"""What is searched, what is a hit, and what is said where something was left out."""

import subprocess
import sys
from typing import Any

import httpx
import pytest

from tests.unit.backends.solr.fakes import (
    NOW,
    FakeSolr,
    answer,
    backend,
    language,
    page,
    record,
    site,
)
from tests.unit.core.fakes import ACCESS
from tests.unit.typo3.rows import MemoryDatabase, TableRow
from typo3_retrieval.backends.solr.backend import PARTIAL
from typo3_retrieval.backends.solr.hits import NOT_CHECKED
from typo3_retrieval.core.errors import BackendError, BackendUnavailable, InvalidInput
from typo3_retrieval.core.evidence import Confidence
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId
from typo3_retrieval.plugin import Document, SearchAnswer, SearchBackend

ROOT: TableRow = {"uid": 1, "is_siteroot": 1, "slug": "/", "title": "Home"}
WASTE: TableRow = {"uid": 3, "pid": 1, "slug": "/waste", "title": "Waste collection"}
INDEXED = 1_796_029_200  # 2026-11-30T09:00:00Z, when the documents were made


def ask(backend_: SearchBackend, text: str = "residual waste", **how: Any) -> SearchAnswer:
    return backend_.search(RetrievalQuery.of(text, **how), ACCESS)


def ids(answer_: SearchAnswer) -> list[str]:
    return [str(source.source_id) for source in answer_.sources]


def fetch(backend_: SearchBackend, source_id: str) -> Document | None:
    return backend_.fetch(SourceId.parse(source_id), ACCESS)


def two_sites(**keys: Any) -> tuple[Any, Any]:
    return site(), site("campaign", 200, "https://www.example.org/campaign/", keys=keys)


# --- hits --------------------------------------------------------------------------------------


def test_a_page_is_a_hit() -> None:
    (source,) = ask(backend(FakeSolr())).sources
    assert str(source.source_id) == "solr:main:pages:3:0"
    assert source.title == "Waste collection"
    assert source.url == "https://www.example.org/page-3"
    assert source.excerpt == "Residual waste is collected every second Tuesday."
    assert (source.site, source.language_id, source.page_uid) == ("main", 0, 3)
    assert source.last_modified == 1777890600  # `changed`
    assert source.score == 4.0


def test_a_record_is_a_hit_without_a_page() -> None:
    (source,) = ask(backend(FakeSolr({"core_en": answer(record())}))).sources
    assert str(source.source_id) == "solr:main:tx_news:7:0"
    assert (source.url, source.page_uid) == ("https://www.example.org/news/7", None)


def test_a_search_is_one_request() -> None:
    solr = FakeSolr()
    ask(backend(solr, *two_sites()))
    assert len(solr.requests) == 1
    assert '"0-1/" OR "0-200/"' in solr.forms[0]["fq"][-1]


def test_each_core_is_asked_once() -> None:
    solr = FakeSolr(
        {
            "core_en": answer(page()),
            "other": answer(page(201, rootline=["0-200/"], url="/campaign/x", score=9.0)),
        }
    )
    found = ask(backend(solr, *two_sites(solr_core_read="other")))
    assert len(solr.requests) == 2
    assert ids(found) == ["solr:campaign:pages:201:0", "solr:main:pages:3:0"]


def test_the_order_is_solrs() -> None:
    solr = FakeSolr({"core_en": answer(page(5, score=2.0), page(4, score=2.0), page(6, score=1.0))})
    assert ids(ask(backend(solr)))[:2] == ["solr:main:pages:5:0", "solr:main:pages:4:0"]


def test_hits_are_labelled_with_the_site_they_belong_to() -> None:
    campaign = page(201, rootline=["0-200/", "1-200/201/"], url="/campaign/prizes")
    solr = FakeSolr({"core_en": answer(page(), campaign, record(9, url="/campaign/news/9"))})
    found = ask(backend(solr, *two_sites()))
    assert ids(found) == [
        "solr:main:pages:3:0",
        "solr:campaign:pages:201:0",
        "solr:campaign:tx_news:9:0",
    ]


def test_a_document_of_a_site_that_was_not_asked_is_no_hit() -> None:
    stranger = record(9, url="/campaign/news/9")
    solr = FakeSolr({"core_en": answer(stranger, page())})
    assert ids(ask(backend(solr, *two_sites()), site="main")) == ["solr:main:pages:3:0"]


def test_a_page_below_another_sites_base_is_no_hit() -> None:
    solr = FakeSolr({"core_en": answer(page(url="/campaign/a"))})
    assert not ask(backend(solr, *two_sites()), site="main").sources


@pytest.mark.parametrize("url", ["Oops, an error occurred!", "https://evil.example/", "/\\evil"])
def test_a_url_that_is_not_ours_is_no_hit(url: str) -> None:
    assert not ask(backend(FakeSolr({"core_en": answer(record(url=url))}))).sources


def test_a_page_below_an_inner_site_root_is_a_hit() -> None:
    inner = page(170, rootline=["0-169/", "1-169/170/"], url="/below")
    found = ask(backend(FakeSolr({"core_en": answer(inner)}), *two_sites()))
    assert ids(found) == ["solr:main:pages:170:0"]


def test_variants_of_one_page_are_one_hit() -> None:
    variants = [
        page(20, id="h/pages/20/20-164/0/0/0", url="/mounted/shop", content="mounted"),
        page(20, id="h/pages/20/0/0/0", url="/shop", content="the shop"),
        page(20, id="h/pages/20/0/0/-1", url="/shop", content="for -1", access=["c:-1"]),
    ]
    (source,) = ask(backend(FakeSolr({"core_en": answer(*variants)}))).sources
    assert (source.url, source.excerpt) == ("https://www.example.org/shop", "the shop")


def test_at_most_a_few_more_than_the_limit_come() -> None:
    solr = FakeSolr({"core_en": answer(*[page(uid) for uid in range(2, 40)])})
    assert len(ask(backend(solr), limit=3).sources) == 8
    assert solr.forms[0]["rows"] == ["40"]


def test_confidence_tells_an_off_topic_hit() -> None:
    counted = {"documents": 1000, "term0": 5, "term1": 5}
    solr = FakeSolr({"core_en": answer(page(**counted), page(4, content="", title="Tuesday"))})
    found = ask(backend(solr), "residual waste")
    assert [source.confidence for source in found.sources] == [Confidence.HIGH, Confidence.LOW]
    found = ask(backend(solr), "quantum waste")
    assert found.sources[0].confidence is Confidence.MEDIUM


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    counted = {"documents": 1000, "term0": 900, "term1": 2}
    solr = FakeSolr({"core_en": answer(page(**counted))})
    assert ask(backend(solr), "residual quantum").sources[0].confidence is Confidence.LOW


def test_alternatives_are_asked_and_fused() -> None:
    def by_words(request: httpx.Request) -> Any:
        return answer(page(4 if b"q=refuse" in request.content else 3))

    solr = FakeSolr({"core_en": by_words})
    found = ask(backend(solr), "waste", alternatives=("refuse",))
    assert ids(found) == ["solr:main:pages:3:0", "solr:main:pages:4:0"]


def test_text_without_words_finds_nothing_and_asks_nobody() -> None:
    solr = FakeSolr()
    assert not ask(backend(solr), "?!").sources
    assert not solr.requests


def test_a_site_that_does_not_exist_is_the_callers_error() -> None:
    with pytest.raises(InvalidInput):
        ask(backend(FakeSolr()), site="nope")


# --- what cannot be searched -------------------------------------------------------------------


def test_a_language_without_a_core_is_left_to_other_backends() -> None:
    german = site(
        languages=[language(), language(1)],
        language_keys=[{"languageId": 1, "solr_enabled_read": False}],
    )
    with pytest.raises(BackendUnavailable) as raised:
        ask(backend(FakeSolr(), german), language_id=1)
    assert raised.value.reason == "switched off"


def test_a_language_that_no_site_has_finds_nothing() -> None:
    assert not ask(backend(FakeSolr()), language_id=7).sources


def test_a_site_without_a_core_is_noted() -> None:
    found = ask(backend(FakeSolr(), *two_sites(solr_core_read="")))
    assert ids(found) == ["solr:main:pages:3:0"]
    assert "Not searched, because not in Solr: campaign (no core configured)." in found.notes


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"solr_core_read": None}, "no core configured"),
        ({"solr_enabled_read": False}, "no core configured"),
        ({"solr_port_read": "%env(PORT)%"}, "main: solr_port_read is no port (1 to 65535)"),
        (
            {"solr_username_read": "x"},
            "main: solr_password_read is missing, and its partner is set",
        ),
    ],
)
def test_a_configuration_without_a_core_makes_it_unavailable(
    keys: dict[str, Any], reason: str
) -> None:
    availability = backend(FakeSolr(), site(keys=keys)).availability()
    assert (bool(availability), availability.reason) == (False, reason)


def test_availability_asks_nobody() -> None:
    solr = FakeSolr({})
    assert backend(solr).availability()
    assert not solr.requests
    assert not solr.clients


def test_a_start_without_a_search_loads_no_http_client() -> None:
    script = "import sys, typo3_retrieval.backends.solr; sys.exit('httpx' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_partial_answer_is_kept_and_noted() -> None:
    solr = FakeSolr({"core_en": answer(page(), partialResults=True)})
    found = ask(backend(solr))
    assert ids(found) == ["solr:main:pages:3:0"]
    assert PARTIAL in found.notes


def test_a_partial_answer_without_documents_is_no_answer() -> None:
    solr = FakeSolr({"core_en": answer(partialResults=True)})
    with pytest.raises(BackendUnavailable):
        ask(backend(solr))
    with pytest.raises(BackendUnavailable):
        fetch(backend(solr), "solr:main:pages:3:0")


# --- the live check ----------------------------------------------------------------------------


def live(solr: FakeSolr, *rows: TableRow, elements: Any = (), **more: Any) -> SearchBackend:
    return backend(solr, database=MemoryDatabase([ROOT, *rows], elements), **more)


def test_the_address_is_the_routers() -> None:
    (source,) = ask(live(FakeSolr(), WASTE)).sources
    assert source.url == "https://www.example.org/waste"


@pytest.mark.parametrize(
    "gone",
    [
        {"hidden": 1},
        {"deleted": 1},
        {"fe_group": "1"},
        {"endtime": NOW - 60},
        {"starttime": NOW + 3600},
        {"no_search": 1},
        {"pid": 99},
    ],
)
def test_a_page_that_is_not_public_any_more_is_no_hit(gone: dict[str, Any]) -> None:
    stale = live(
        FakeSolr({"core_en": answer(page(), page(4))}),
        {**WASTE, **gone},
        {**WASTE, "uid": 4, "slug": "/four"},
    )
    assert ids(ask(stale)) == ["solr:main:pages:4:0"]
    assert fetch(stale, "solr:main:pages:3:0") is None


def test_a_renamed_page_has_its_new_name_and_address() -> None:
    (source,) = ask(live(FakeSolr(), {**WASTE, "slug": "/bins", "title": "Bins"})).sources
    assert (source.title, source.url) == ("Bins", "https://www.example.org/bins")


def test_a_page_that_moved_to_another_site_is_its() -> None:
    root: TableRow = {"uid": 200, "is_siteroot": 1, "slug": "/"}
    rows = [ROOT, root, {**WASTE, "pid": 200}]
    moved = backend(FakeSolr(), *two_sites(), database=MemoryDatabase(rows))
    assert ids(ask(moved)) == ["solr:campaign:pages:3:0"]
    assert not ask(moved, site="main").sources


def test_the_check_takes_two_statements() -> None:
    database = MemoryDatabase([ROOT, WASTE])
    ask(backend(FakeSolr(), database=database))
    assert len(database.statements) == 2


SECRET = "<p>The salary list of the town hall is secret.</p>"
NOISY = page(content="Residual waste. The salary list of the town hall is secret.")


@pytest.mark.parametrize(
    "off", [{"hidden": 1}, {"deleted": 1}, {"fe_group": "2"}, {"endtime": NOW - 60}]
)
def test_text_of_an_element_that_is_hidden_now_is_not_shown(off: dict[str, Any]) -> None:
    elements = [
        {"uid": 1, "pid": 3, "bodytext": "Residual waste is collected."},
        {"uid": 2, "pid": 3, "bodytext": SECRET, **off},
    ]
    stale = live(FakeSolr({"core_en": answer(NOISY)}), WASTE, elements=elements)
    (source,) = ask(stale).sources
    assert source.excerpt == "Residual waste is collected."
    document = fetch(stale, "solr:main:pages:3:0")
    assert document is not None
    assert "salary" not in document.text


def test_a_page_that_was_found_by_hidden_text_only_is_no_hit() -> None:
    elements = [{"uid": 2, "pid": 3, "bodytext": SECRET, "hidden": 1}]
    stale = live(FakeSolr({"core_en": answer(NOISY)}), WASTE, elements=elements)
    assert not ask(stale, "salary list").sources


def test_a_hidden_copy_of_visible_text_is_no_reason_to_doubt() -> None:
    elements = [
        {"uid": 1, "pid": 3, "bodytext": SECRET},
        {"uid": 2, "pid": 3, "bodytext": SECRET, "hidden": 1},
    ]
    found = ask(live(FakeSolr({"core_en": answer(NOISY)}), WASTE, elements=elements))
    assert found.sources[0].excerpt.startswith("Residual waste. The salary")


def test_an_element_that_was_edited_after_indexing_is_read_live() -> None:
    edited = {"uid": 1, "pid": 3, "bodytext": "Residual waste: new days.", "tstamp": INDEXED + 60}
    found = ask(live(FakeSolr(), WASTE, elements=[edited]))
    assert found.sources[0].excerpt == "Residual waste: new days."


def test_an_element_that_was_edited_before_indexing_is_not_read() -> None:
    old = {"uid": 1, "pid": 3, "bodytext": "Residual waste.", "tstamp": INDEXED - 60}
    found = ask(live(FakeSolr(), WASTE, elements=[old]))
    assert found.sources[0].excerpt == "Residual waste is collected every second Tuesday."


class DeadDatabase(MemoryDatabase):
    def rows(self, *_: Any) -> Any:
        raise BackendUnavailable("gone away")


class DyingDatabase(MemoryDatabase):
    def rows(self, *arguments: Any) -> Any:
        if self.statements:
            raise BackendUnavailable("gone away")
        return super().rows(*arguments)


@pytest.mark.parametrize("kind", [DeadDatabase, DyingDatabase])
def test_a_database_that_fails_does_not_fail_the_answer(kind: type[MemoryDatabase]) -> None:
    found = ask(backend(FakeSolr(), database=kind([ROOT, WASTE])))
    assert ids(found) == ["solr:main:pages:3:0"]
    assert NOT_CHECKED in found.notes


def test_without_a_database_the_answer_says_so() -> None:
    assert ask(backend(FakeSolr())).notes == (NOT_CHECKED,)


def test_with_a_database_there_is_nothing_to_say() -> None:
    assert ask(live(FakeSolr(), WASTE)).notes == ()


def test_a_record_whose_row_is_hidden_is_no_hit() -> None:
    database = MemoryDatabase([ROOT])
    database._connection.execute("CREATE TABLE tx_news (uid, pid, deleted, hidden, fe_group)")
    database._connection.execute(
        "INSERT INTO tx_news VALUES (7, 1, 0, 1, ''), (8, 1, 0, 0, ''), (6, 1, 0, 0, '2')"
    )
    solr = FakeSolr({"core_en": answer(*map(record, (6, 7, 8, 9)), record(5, type="tx_else"))})
    found = ask(backend(solr, database=database))
    assert ids(found) == ["solr:main:tx_news:8:0", "solr:main:tx_else:5:0"]


# --- fetching ----------------------------------------------------------------------------------


def test_a_page_is_read_in_full() -> None:
    document = fetch(live(FakeSolr(), WASTE), "solr:main:pages:3:0")
    assert document is not None
    assert document.text == (
        "# Waste collection\n\nResidual waste is collected every second Tuesday."
    )
    assert document.url == "https://www.example.org/waste"
    assert document.last_modified == 1777890600


def test_a_fetch_names_type_uid_and_site() -> None:
    solr = FakeSolr()
    fetch(backend(solr), "solr:main:pages:3:0")
    (form,) = solr.forms
    assert form["q"] == ["+type:pages +uid:3"]
    assert form["fq"][0] == "{!typo3access}0,-1"
    assert 'rootline:("0-1/")' in form["fq"][-1]


@pytest.mark.parametrize(
    "source_id",
    [
        "solr:main:pages:3",
        "solr:main:pages:03:0",
        "solr:main:pages:-3:0",
        "solr:main:pages:0:0",
        "solr:main:pages:99999999999:0",
        "solr:main:pages:3:1",
        "solr:main:pages:x:0",
        "solr:nope:pages:3:0",
        "solr:main:OR:3:0",
        "solr:main:pa-ges:3:0",
        "database:3:0",
    ],
)
def test_an_id_that_names_nothing_asks_nobody(source_id: str) -> None:
    solr = FakeSolr()
    assert fetch(backend(solr), source_id) is None
    assert not solr.requests


def test_a_page_of_another_site_is_not_read_under_this_ones_name() -> None:
    solr = FakeSolr({"core_en": answer(page(rootline=["0-200/"], url="/campaign/a"))})
    assert fetch(backend(solr, *two_sites()), "solr:main:pages:3:0") is None


def test_a_source_that_solr_does_not_have_is_none() -> None:
    assert fetch(backend(FakeSolr({"core_en": answer()})), "solr:main:pages:3:0") is None


def test_a_dead_solr_fails_a_fetch() -> None:
    with pytest.raises(BackendError):
        fetch(backend(FakeSolr({"core_en": httpx.ConnectError("x")})), "solr:main:pages:3:0")


def test_a_language_with_a_host_of_its_own_has_its_addresses() -> None:
    at = site(languages=[language(), language(3, "https://www.example.at/")])
    found = ask(backend(FakeSolr(), at), language_id=3)
    assert found.sources[0].url == "https://www.example.at/page-3"
