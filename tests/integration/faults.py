"""The four entrances of the service over one site, with a deadline that tests can wait for."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from tests.contract.site import NOW, SITES
from tests.unit.edge.fakes import event
from typo3_retrieval.backends.database import BACKEND as DATABASE
from typo3_retrieval.backends.solr import BACKEND as SOLR
from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.core.secrets import SecretSource
from typo3_retrieval.edge.answers import answer_fetch, answer_keyword_search, answer_query
from typo3_retrieval.edge.http import LambdaHandler, http_handler
from typo3_retrieval.edge.models import FetchRequest, KeywordRequest, QueryRequest
from typo3_retrieval.edge.probe import BackendReport, probe
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.sites import Sites

DEADLINE = 2.0  # seconds that the service gives itself
SECONDS = DEADLINE + 1.0  # that a test gives it, on a loaded machine
EVENTS_AT = 1796031600.0  # when the callers' tokens were valid
QUESTION = "When is bulky waste collected?"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a caller got, and how long he waited."""

    status: int
    body: Any
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Entrances:
    """The handlers as the functions have them."""

    services: Services

    def query(self, question: str = QUESTION) -> Answer:
        return self._asked(QueryRequest, answer_query, {"question": question, "language": 0})

    def fetch(self, source_id: str) -> Answer:
        return self._asked(FetchRequest, answer_fetch, {"source_id": source_id})

    def keywords(self, words: str = "bulky waste") -> Answer:
        return self._asked(KeywordRequest, answer_keyword_search, {"query": words})

    def probe(self) -> tuple[BackendReport, ...]:
        started = time.monotonic()
        report = probe(self.services)
        assert time.monotonic() - started < SECONDS * len(report.backends)
        return report.backends

    def _asked(self, model: Any, answer: Callable[..., Any], body: dict[str, Any]) -> Answer:
        handler: LambdaHandler = http_handler(model, now=lambda: EVENTS_AT)(
            lambda request, access: answer(self.services, request, access)
        )
        asked = event("query", body=json.dumps(body))
        started = time.monotonic()
        response = handler(asked, None)
        return Answer(
            status=response["statusCode"],
            body=json.loads(response["body"]),
            seconds=time.monotonic() - started,
        )


@contextmanager
def entrances(
    database: Database | None,
    sites: Sites = SITES,
    *,
    deadline: float = DEADLINE,
    cool_down: float = 0,
    solr_cool_down: int = 0,
    secrets: SecretSource | None = None,
    now: Callable[[], int] = lambda: NOW,
) -> Iterator[Entrances]:
    """The service over *database*, and over Solr where *sites* have cores.

    Without a pause after a failure, so that each entrance meets the fault itself.
    """
    settings = Settings(
        deadline_seconds=deadline,
        cool_down_seconds=cool_down,
        environment={"RETRIEVAL_SOLR_COOL_DOWN": str(solr_cool_down)},
    )
    with_solr = any(site.settings for site in sites)
    services = build_services(
        settings,
        sites=sites,
        secrets=secrets,
        database=database,
        backends=[SOLR, DATABASE] if with_solr else [DATABASE],
        now=now,
    )
    try:
        yield Entrances(services=services)
    finally:
        for backend in services.cascade.backends:
            if isinstance(backend, SolrBackend):
                backend._client.close()


def solr_at(port: int, *, host: str = "127.0.0.1", core: str = "core_en") -> Sites:
    """The sites, with a core for every language there."""
    keys = {
        "solr_scheme_read": "http",
        "solr_host_read": host,
        "solr_port_read": port,
        "solr_core_read": core,
    }
    return Sites(sites=tuple(replace(site, settings=keys) for site in SITES))
