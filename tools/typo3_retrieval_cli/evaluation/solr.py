"""A Solr for measurements: the tests' own, with a set's documents as EXT:solr writes pages.

Beside the backend it is asked as the PHP implementation asks: title five times the text, and the
core's own "minimum should match", which wants most words of a question in one document.
"""

import importlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Protocol

import httpx

from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.backends.solr.client import SolrClient
from typo3_retrieval.backends.solr.hits import NAME
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.edge.settings import MAX_DEADLINE, SOLR_SECRET, Settings
from typo3_retrieval.plugin import Registration, Resources
from typo3_retrieval.typo3.sites import Sites
from typo3_retrieval_cli.evaluation.asking import ASKED, Answer, Ask, Found, ask_of
from typo3_retrieval_cli.evaluation.data_sets import DataSet, Document
from typo3_retrieval_cli.evaluation.made_sites import site_of
from typo3_retrieval_cli.evaluation.reference import excerpt_of
from typo3_retrieval_cli.evaluation.site_rows import NOW, TITLE_CHARACTERS, paragraphs, root_uid

_LANGUAGES = {"en": "English", "de": "German", "fr": "French"}  # of the stemmer, by ISO 639-1
_PREFIX = f"RETRIEVAL_{NAME.upper()}_"
# How good a ranking is must not depend on what else the machine does.
_PATIENT = {
    f"{_PREFIX}TIMEOUT": "20",  # seconds
    f"{_PREFIX}TIME_ALLOWED": "20000",  # milliseconds
    f"{_PREFIX}COOL_DOWN": "0",
}
_LOADED_AT_ONCE = 500  # documents
# What Solarium escapes in a term.
_ESCAPED = re.compile(r'(\+|-|&&|\|\||!|\(|\)|\{|}|\[|]|\^|"|~|\*|\?|:|/|\\)')


class _Running(Protocol):
    """What is used of the tests' server."""

    def clear(self, core: str) -> None: ...

    def load(self, core: str, documents: Sequence[Mapping[str, Any]]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server with an empty core for each language."""

    host: str
    port: int
    running: _Running


@dataclass(frozen=True, slots=True, kw_only=True)
class Asks:
    """The two ways of asking one core."""

    backend: Ask
    reference: Ask


@contextmanager
def server(sets: Sequence[DataSet]) -> Iterator[Server]:
    """The tests' own server, for as long as it is needed, with a core for each set's language.

    Raises:
        ConfigurationError: this is no checkout of the project, or Solr has no such language.
    """
    languages = dict.fromkeys(data.language for data in sets)
    unknown = [language for language in languages if language not in _LANGUAGES]
    if unknown:
        raise ConfigurationError(f"There is no Solr core for the language {', '.join(unknown)}.")
    try:
        tests = importlib.import_module("tests.servers.solr")
    except ImportError as error:
        raise ConfigurationError(
            'Only a checkout of the project has a Solr to measure the backend "solr" on.'
        ) from error
    cores = {_core(each): tests.Core(language=_LANGUAGES[each]) for each in languages}
    with tests.running(cores) as running:
        yield Server(host=tests.HOST, port=running.port, running=running)


@contextmanager
def loaded(server: Server, data: DataSet, environment: Mapping[str, str]) -> Iterator[Asks]:
    """Fill the core of the set's language with its documents, and no others.

    Args:
        server: where.
        data: whose documents.
        environment: the backend's options, RETRIEVAL_SOLR_*; its secret is not used.
    """
    core = _core(data.language)
    (site,) = site_of(data.documents, data.language)
    keys = {"host": server.host, "port": server.port, "core": core}
    settings = {f"solr_{name}_read": value for name, value in keys.items()}
    documents = list(_pages(data.documents))
    server.running.clear(core)
    for start in range(0, len(documents), _LOADED_AT_ONCE):
        server.running.load(core, documents[start : start + _LOADED_AT_ONCE])
    with ExitStack() as opened:

        def build(resources: Resources) -> SolrBackend:
            options = SolrOptions.of(resources.options)
            client = opened.enter_context(closing(SolrClient(options=options, now=resources.now)))
            return SolrBackend(sites=resources.sites, client=client, options=options, live=None)

        own = {name: value for name, value in environment.items() if name.startswith(_PREFIX)}
        own.pop(SOLR_SECRET, None)
        services = build_services(
            Settings(
                backends=(NAME,), deadline_seconds=MAX_DEADLINE, environment={**_PATIENT, **own}
            ),
            sites=Sites(sites=(replace(site, settings=settings),)),
            backends=[Registration(NAME, priority=30, build=build)],
            now=lambda: NOW,
        )
        http = opened.enter_context(httpx.Client(timeout=MAX_DEADLINE, trust_env=False))
        select = f"http://{server.host}:{server.port}/solr/{core}/select"
        yield Asks(
            backend=ask_of(services.cascade, data.documents),
            reference=_reference(http, select, data.documents),
        )


def _core(language: str) -> str:
    return f"core_{language}"


def _pages(documents: Sequence[Document]) -> Iterator[Mapping[str, Any]]:
    """What EXT:solr makes of the pages: one document each, for visitors without login."""
    root, written = root_uid(documents), f"{datetime.fromtimestamp(NOW, UTC):%Y-%m-%dT%H:%M:%SZ}"
    for uid, document in enumerate(documents, start=1):
        title, content = document.title[:TITLE_CHARACTERS], " ".join(paragraphs(document))
        yield {
            "id": f"evaluation/pages/{uid}/0/0/0",
            "site": "evaluation.example",
            "siteHash": "evaluation",
            "type": "pages",
            "uid": uid,
            "pid": root,
            "typeNum": 0,
            "variantId": f"evaluation/pages/{uid}",
            "created": written,
            "changed": written,
            "indexed": written,
            "rootline": [f"0-{root}/", f"1-{root}/{uid}/"],
            "access": ["c:0"],
            "title": title,
            "titleExact": title,
            "content": content,
            "contentExact": content,
            "url": f"/{uid}",
        }


def _reference(http: httpx.Client, select: str, documents: Sequence[Document]) -> Ask:
    """Make what asks as the PHP implementation does; an error counts as nothing found."""

    def ask(text: str) -> Answer:
        started = time.perf_counter()
        answer = http.get(
            select,
            params={
                "q": _ESCAPED.sub(r"\\\1", text),
                "defType": "edismax",
                "qf": "title^5.0 content^1.0",
                "fl": "type,uid,title,content,url,language,score",
                "rows": str(ASKED),
                "wt": "json",
                "fq": "{!typo3access}0,-1",
            },
        )
        found = [] if answer.is_error else answer.json()["response"]["docs"]
        return Answer(
            question="",
            hits=[
                Found(
                    document=documents[each["uid"] - 1].id,
                    excerpt=excerpt_of(each["content"], text),
                )
                for each in found
            ],
            milliseconds=(time.perf_counter() - started) * 1000,
            statements=0,
            failed=answer.is_error,
        )

    return ask
