"""Backends over a real Solr, or over a server that is none."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tests.servers.solr import HOST
from typo3_retrieval.backends.solr.backend import SolrBackend
from typo3_retrieval.backends.solr.client import SolrClient
from typo3_retrieval.backends.solr.options import SolrOptions
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

NOW = 1_796_031_660
BASE = "https://www.example.org/"
Secret = Callable[[bool], Mapping[str, object]]


def solr_site(port: int, core: str, *, scheme: str = "http", **keys: Any) -> Site:
    """A site whose one core is *core* at *port*."""
    return Site(
        identifier="main",
        root_page_uid=1,
        base=BASE,
        languages=(SiteLanguage(language_id=0, base=BASE, locale="en_GB.UTF-8"),),
        settings={
            "solr_scheme_read": scheme,
            "solr_host_read": HOST,
            "solr_port_read": port,
            "solr_core_read": core,
            **{f"solr_{name}_read": value for name, value in keys.items()},
        },
    )


MakeBackend = Callable[..., SolrBackend]


@pytest.fixture
def make_backend() -> Iterator[MakeBackend]:
    """Builds backends with the client that operation uses, and closes its connections."""
    clients: list[SolrClient] = []

    def make(*sites: Site, secret: Secret | None = None, **options: str) -> SolrBackend:
        parsed = SolrOptions.of(options)
        client = SolrClient(options=parsed, now=lambda: NOW, secret=secret)
        clients.append(client)
        return SolrBackend(sites=Sites(sites=sites), client=client, options=parsed, live=None)

    yield make
    for client in clients:
        client.close()
