"""Whatever people type: no error from a real Solr, and never the whole index for an answer."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.solr.conftest import MakeBackend, solr_site
from tests.servers import REPOSITORY
from tests.servers.solr import EMPTY, Solr
from tests.unit.core.fakes import ACCESS
from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.query import MAX_SOURCES, RetrievalQuery

pytest_plugins = ("tests.servers.solr_fixtures",)

RECORDED: list[dict[str, str]] = json.loads(
    (REPOSITORY / "tests" / "vectors" / "solr" / "hostile_texts.json").read_text()
)["texts"]
LONG = [
    "a" * 40_000,
    " ".join(f"w{number}" for number in range(5_000)),
    "(" * 500,
    '"' * 501,
    "a* " * 300,
    "(" * 200 + "vaccine" + ")" * 200,
    "(" * 5_000 + "vaccine" + ")" * 5_000,
    "a1B2c3D4-" * 22,  # parts that a core's filters split further
    "x " * 100,
    "疫" * 200,
    "\U0001f489" * 200,
]
ALPHABETS = (
    "+-&|!(){}[]^\"~*?:\\/'%_@#<>=$.,;",
    '+-!(){}[]^"~*?:\\/ vaccine children AND OR NOT TO',
    "abcXYZ0189äöüßéñ -.'’",  # noqa: RUF001  # the apostrophe people type
    "疫苗لقاحвакцина \u200b\u202e\u0308💉\x00\x07\ud800",
)
PIECES = (
    *(
        "{!lucene}",
        "{!func}",
        "${q}",
        "$q",
        "_query_:",
        "_val_:",
        "*:*",
        "[* TO *]",
        "access:",
        "fq=",
    ),
    *(
        "vaccine",
        "children",
        "NOT",
        "AND",
        "OR",
        "TO",
        "(",
        ")",
        '"',
        "^",
        "~",
        "&&",
        "||",
        "-",
        "+",
    ),
)
DOCUMENTS = 300
GENERATED = 1_000


def generated() -> Iterator[str]:
    """A thousand texts, the same ones each time."""
    dice = random.Random(6)  # noqa: S311  # no secret: the same texts each time
    for number in range(GENERATED):
        alphabet = ALPHABETS[number % len(ALPHABETS)]
        length = dice.randint(2, 200)
        if number % 3:
            yield "".join(dice.choice(alphabet) for _ in range(length))
        else:
            yield " ".join(dice.choice(PIECES) for _ in range(length // 5 + 2))


@pytest.fixture(scope="module")
def filled(solr_server: Solr) -> Iterator[Solr]:
    """A core whose documents share no word but "vaccine", which every tenth has."""
    documents: list[dict[str, Any]] = [
        {
            "id": f"hash/pages/{uid}/0/0/0",
            "type": "pages",
            "uid": uid,
            "rootline": ["0-1/"],
            "access": ["c:0"],
            "url": f"/page-{uid}",
            "title": f"Titel{uid:04}wort",
            "content": f"inhalt{uid:04}wort" + (" vaccine" if uid % 10 == 0 else ""),
        }
        for uid in range(2, DOCUMENTS + 2)
    ]
    solr_server.load(EMPTY, documents)
    yield solr_server
    solr_server.clear(EMPTY)


@pytest.fixture
def backend(filled: Solr, make_backend: MakeBackend) -> SolrBackend:
    return make_backend(solr_site(filled.port, EMPTY), timeout="20", time_allowed="20000")


def found(backend: SolrBackend, text: str) -> int:
    """How many hits a text has, of those that are asked for at most."""
    try:
        query = RetrievalQuery.of(text, limit=MAX_SOURCES)
    except InvalidInput:  # too short
        return 0
    return len(backend.search(query, ACCESS).sources)


def assert_is_not_the_whole_index(text: str, hits: int) -> None:
    # 25 come when there are more: then every tenth document, which says "vaccine", was meant.
    assert hits < MAX_SOURCES or "vaccin" in text.lower(), text


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: str(case["case"]))
def test_a_recorded_text_is_searched_literally(backend: SolrBackend, case: dict[str, str]) -> None:
    assert_is_not_the_whole_index(case["text"], found(backend, case["text"]))


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_a_long_text_is_searched_literally(backend: SolrBackend, text: str) -> None:
    assert_is_not_the_whole_index(text, found(backend, text))


def test_a_thousand_generated_texts_are_searched_literally(backend: SolrBackend) -> None:
    for text in generated():
        assert_is_not_the_whole_index(text, found(backend, text))


@pytest.mark.parametrize("text", ["*:*", "*", "[* TO *]", "-x", "access:*", "uid:[1 TO *]"])
def test_syntax_for_everything_finds_nothing(backend: SolrBackend, text: str) -> None:
    assert found(backend, f" {text} ") == 0


def test_a_negation_is_no_negation(backend: SolrBackend) -> None:
    for text in ("NOT vaccine", "-vaccine", "!vaccine"):
        documents = backend.search(RetrievalQuery.of(text), ACCESS).sources
        assert documents
        assert all((source.page_uid or 0) % 10 == 0 for source in documents)


@pytest.mark.parametrize("fields", ["core", "title content titleExact contentExact"])
def test_the_cores_own_handler_takes_them_too(
    filled: Solr, make_backend: MakeBackend, fields: str
) -> None:
    backend = make_backend(
        solr_site(filled.port, EMPTY), query_fields=fields, timeout="20", time_allowed="20000"
    )
    for case in RECORDED:
        found(backend, case["text"])
    for text in LONG:
        found(backend, text)
