"""The recorded cases of routing: how they are read, and where we answer otherwise on purpose.

Each deviation is argued in docs/deviations/routing.md.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.unit.typo3.rows import PAGE, MemoryDatabase, TableRow
from typo3_retrieval.typo3.php import Arguments
from typo3_retrieval.typo3.routing import BuiltUrl, RoutingError, UrlRequest
from typo3_retrieval.typo3.routing.matching import Match
from typo3_retrieval.typo3.routing.model import NoAddress
from typo3_retrieval.typo3.sites import Sites

VECTORS = Path(__file__).parents[2] / "vectors"
SITES = VECTORS / "sites"
RECORD: TableRow = {
    "uid": 0,
    "pid": 0,
    "deleted": 0,
    "hidden": 0,
    "starttime": 0,
    "endtime": 0,
    "fe_group": "0",
    "sys_language_uid": 0,
    "l10n_parent": 0,
    "t3ver_wsid": 0,
    "slug": "",
}
STORAGE: TableRow = {
    "uid": 0,
    "name": "",
    "driver": "Local",
    "is_public": 1,
    "is_online": 1,
    "deleted": 0,
    "configuration": "",
}
FILE: TableRow = {"uid": 0, "storage": 1, "identifier": "", "missing": 0}

Case = Mapping[str, Any]


class RoutingDatabase(MemoryDatabase):
    """Pages, and tables that routing reads besides."""

    def add(self, table: str, defaults: TableRow, rows: list[TableRow]) -> "RoutingDatabase":
        """Make a table; what a row leaves out is the default."""
        self._fill(table, defaults, rows, frozenset())
        return self


def vectors(name: str) -> Any:
    """The content of tests/vectors/<name>.json."""
    return json.loads((VECTORS / f"{name}.json").read_text())


def vector_database(recorded: Mapping[str, Any]) -> RoutingDatabase:
    """The rows that the recorded cases of routing need."""
    database = RoutingDatabase({**PAGE, **row} for row in recorded["pages"])
    return database.add("tx_minirecords_item", RECORD, recorded["tx_minirecords_item"])


def request_of(case: Case) -> UrlRequest:
    """The request of a recorded call of generateUri()."""
    arguments = dict(case["arguments"] or {})
    language_id = 0
    if str(arguments.get("_language", "")).startswith("object SiteLanguage "):
        # The recording passed PHP's object of the language with this id.
        language_id = int(arguments.pop("_language").rpartition(" ")[2])
    return UrlRequest(
        page_uid=case["page"],
        language_id=language_id,
        arguments=arguments,
        fragment=case.get("fragment", ""),
        site=case["site"],
    )


def is_as_recorded(case: Case, built: BuiltUrl | RoutingError, sites: Sites) -> bool:
    """Whether we answer as TYPO3 did, but for what we do otherwise on purpose."""
    if "exception" in case:
        return isinstance(built, RoutingError) and built.code == case["code"]
    if isinstance(built, RoutingError):
        return isinstance(built, NoAddress) and _is_home_page(case, sites)
    if case.get("ref_type") == "absolute":
        # Deviation: our URLs are always whole; this type asks TYPO3 for the path alone.
        return bool(urlsplit(built.url).path == case["url"])
    return bool(built.url == case["url"])


def _is_home_page(case: Case, sites: Sites) -> bool:
    """Deviation: for a page that nobody may see TYPO3 prints the base, we print nothing."""
    language = sites.named(case["site"]).language(int(case["arguments"].get("_language", 0)))
    return language is not None and case["url"].rstrip("/") == language.base.rstrip("/")


def is_matched_as_recorded(case: Case, match: Match | RoutingError) -> bool:
    """Whether our matcher reads a URL as TYPO3 did."""
    recorded = case.get("matched")
    if not recorded or isinstance(match, RoutingError):
        return isinstance(match, RoutingError) and match.code == case.get("code", 0)
    return (
        match.site.identifier == case["site"]
        and match.language.language_id == case["language"]
        and match.tail == case["tail"]
        and match.page_uid == recorded["page"]
        and match.page_type == recorded["type"]
        and match.route_arguments == _php(recorded["route_arguments"])
        and match.dynamic_arguments == _php(recorded["dynamic_arguments"])
        and match.query_arguments == _php(recorded["query_arguments"])
    )


def is_below_a_mount_point(case: Case) -> bool:
    """Deviation: our matcher, which only tests use, does not look for mounted pages."""
    recorded = case.get("matched") or {}
    return "MP" in (recorded.get("route_arguments") or {})


def _php(value: Any) -> Arguments:
    """A recorded array: JSON wrote lists where PHP's keys are 0, 1, …, and for empty ones."""
    items = enumerate(value) if isinstance(value, list) else value.items()
    return {str(key): _php(each) if isinstance(each, list | dict) else each for key, each in items}
