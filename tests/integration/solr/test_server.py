"""The tests' own Solr: its access filter lets in whom EXT:solr's lets in."""

import json
from typing import Any

import httpx
import pytest

from tests.servers import REPOSITORY
from tests.servers.solr import EMPTY, Solr

pytest_plugins = ("tests.servers.solr_fixtures",)

# Recorded from the plugin of EXT:solr.
ACCESS: dict[str, Any] = json.loads(
    (REPOSITORY / "tests" / "vectors" / "solr" / "access.json").read_text()
)


def test_the_access_filter_agrees_with_the_extensions(solr_server: Solr) -> None:
    checked = 0
    for document in ACCESS["documents"]:
        solr_server.clear(EMPTY)
        fields = {"id": "1", "type": "pages", "uid": 1}
        # An absent field is the schema's default.
        access = {"access": document["access"]} if document["access"] else {}
        solr_server.load(EMPTY, [{**fields, **access}])
        for visitor, recorded in zip(ACCESS["visitors"], document["lets_in"], strict=True):
            assert _seen(solr_server, visitor) == recorded, (document["access"], visitor)
            checked += 1
    solr_server.clear(EMPTY)
    assert checked == len(ACCESS["visitors"]) * len(ACCESS["documents"])


def _seen(server: Solr, visitor: str) -> str:
    """Whether the visitor sees the one document: 1, 0, or an error as the table writes it."""
    try:
        answer = server.select(EMPTY, {"q": "*:*", "fq": "{!typo3access}" + visitor})
    except httpx.HTTPStatusError as error:
        return f"E{error.response.status_code}"
    return str(answer["response"]["numFound"])


@pytest.mark.parametrize(
    ("core", "text", "found"),
    [
        ("core_de", "Häuser", "Haus"),
        ("core_en", "houses", "house"),
        ("core_fr", "maisons", "maison"),
    ],
)
def test_each_core_knows_its_language(solr_server: Solr, core: str, text: str, found: str) -> None:
    document = {"id": "stemmed", "type": "pages", "uid": 1, "content": found, "access": ["c:0"]}
    solr_server.load(core, [document])
    answer = solr_server.select(core, {"q": text, "fq": "id:stemmed"})
    solr_server.remove(core, "stemmed")
    assert answer["response"]["numFound"] == 1
