"""Sites, URLs, hashes and files against all that was recorded from a real TYPO3 13.4."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.mariadb import HOST, TRUTH_DATABASE, TRUTH_READER, MariaDb
from tests.unit.typo3.recorded import (
    is_as_recorded,
    is_below_a_mount_point,
    is_matched_as_recorded,
    request_of,
)
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.adapters.site_files import read_sites
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.core.secrets import Credentials
from typo3_retrieval.typo3.chash import CacheHash, CacheHashError
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.files import public_files
from typo3_retrieval.typo3.pages import load_pages
from typo3_retrieval.typo3.routing import Router, RoutingError, RoutingSettings
from typo3_retrieval.typo3.routing.matching import Match, Matcher
from typo3_retrieval.typo3.routing.records import Records, Table
from typo3_retrieval.typo3.sites import Sites


class Recording:
    """The recorded files, read when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.truth: dict[str, Any] = json.loads((folder / "truth.json").read_text())

    def lines(self, name: str) -> list[dict[str, Any]]:
        text = (self.folder / f"{name}.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def sites(self, context: str) -> Sites:
        environment = self.truth["environment"]
        return read_sites(self.folder / "sites", context=context, environment=environment)

    def now(self) -> int:
        return int(self.truth["timestamps"]["recorded"])

    def router(self, database: Database, context: str = "Production") -> Router:
        settings = RoutingSettings(encryption_key=self.truth["encryptionKey"])
        return Router(self.sites(context), database, settings, now=self.now)


@pytest.fixture(scope="module")
def recording(truth: Path) -> Recording:
    return Recording(truth)


@pytest.fixture(scope="module")
def sqlite(truth_sqlite: Path) -> Iterator[Database]:
    database = SqliteDatabase(truth_sqlite)
    yield database
    database.close()


@pytest.fixture(scope="module")
def mariadb(truth_mariadb: MariaDb) -> Iterator[Database]:
    database = MysqlDatabase(
        host=HOST,
        port=truth_mariadb.port,
        name=TRUTH_DATABASE,
        credentials=lambda _: Credentials(
            username=TRUTH_READER.username, password=TRUTH_READER.password
        ),
    )
    yield database
    database.close()


@pytest.mark.parametrize("engine", ["sqlite", "mariadb"])
def test_urls(recording: Recording, engine: str, request: pytest.FixtureRequest) -> None:
    database: Database = request.getfixturevalue(engine)
    sites = recording.sites("Production")
    cases = [case for case in recording.lines("urls") if case["kind"] != "language-base"]
    built = recording.router(database).build_all([request_of(case) for case in cases])
    wrong = [
        (case, answer)
        for case, answer in zip(cases, built, strict=True)
        if not is_as_recorded(case, answer, sites)
    ]
    assert not wrong
    # So that the deviation "no home page for hidden pages" cannot grow unseen.
    refused = [
        case
        for case, answer in zip(cases, built, strict=True)
        if isinstance(answer, RoutingError) and "url" in case
    ]
    assert Counter(case["kind"] for case in refused).keys() <= {"page", "foreign-or-missing-page"}
    assert len(refused) < len(cases) / 10


@pytest.mark.parametrize("engine", ["sqlite", "mariadb"])
def test_records_of_several_tables(engine: str, request: pytest.FixtureRequest) -> None:
    records = Records(request.getfixturevalue(engine))
    page = (Table("pages", ("slug",)), 3)
    item = (Table("tx_minirecords_item", ("slug", "uid", "fe_group")), 5)
    families = records.load([page, item, (Table("pages", ("no_such_field",)), 3)])
    assert families.keys() == {page, item}
    record = families[item].record
    assert record is not None
    assert record.values == ("restricted-news", "5", "1")
    slugs = {each.language_id: each.values[0] for each in families[page].translations}
    assert slugs[1] == "/buergerservice/muellabfuhr"


def test_matches(recording: Recording, sqlite: Database) -> None:
    matcher = Matcher(recording.sites("Production"), sqlite, now=recording.now)
    wrong = [
        case
        for case in recording.lines("matches")
        if not is_below_a_mount_point(case)
        and not is_matched_as_recorded(case, _match(matcher, case["url"]))
    ]
    assert not wrong


def _match(matcher: Matcher, url: str) -> Match | RoutingError:
    try:
        return matcher.match(url)
    except RoutingError as error:
        return error


def test_base_variants(recording: Recording) -> None:
    for case in recording.lines("base_variants"):
        site = recording.sites(case["context"]).named(case["site"])
        language = site.language(case["language"])
        assert site.base == case["site_base"]
        assert language is not None
        assert language.base == case["language_base"]


def test_sites_of_pages(recording: Recording, sqlite: Database) -> None:
    sites = recording.sites("Production")
    cases = recording.lines("site_of_page")
    tree = load_pages(sqlite, [case["page"] for case in cases])
    for case in cases:
        site = sites.of_rootline(page.uid for page in tree.rootline(case["page"]) or ())
        assert (site.identifier if site else None) == case["site"], case


@pytest.mark.parametrize(("version", "column"), [(13, "chash"), (14, "chash_v14_formula")])
def test_hashes(recording: Recording, version: int, column: str) -> None:
    key = recording.truth["encryptionKey"]
    excluded = recording.truth["cacheHash"]["excludedParameters"]
    chash = CacheHash(key, typo3_version=version, excluded=excluded)
    for case in recording.lines("chash"):
        if "exception" in case:
            with pytest.raises(CacheHashError):
                chash.of_query(case["query"])
        elif "query" in case:
            assert chash.of_query(case["query"]) == case[column], case
        elif version < 14:  # arrays were hashed by 13.4 only
            assert chash.of_parameters(case["calculateCacheHash"]) == case[column], case


def test_files(recording: Recording, sqlite: Database) -> None:
    cases = recording.lines("files")
    found = public_files(sqlite, [case["uid"] for case in cases])
    for case in cases:
        recorded = case["public_url_web"]
        public = isinstance(recorded, str) and "eID=dumpFile" not in recorded
        file = found.get(case["uid"])
        assert (file.path if file else None) == (recorded if public else None), case
