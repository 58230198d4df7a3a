"""A Solr that answers what a test says, through httpx's own door, and a site that uses it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import httpx

from typo3_retrieval.backends.solr import BACKEND
from typo3_retrieval.plugin import Resources, SearchBackend
from typo3_retrieval.typo3.database import Database
from typo3_retrieval.typo3.public_pages import PublicPages
from typo3_retrieval.typo3.routing import Router, RoutingSettings
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

NOW = 1_796_031_660  # a full minute
HOST = "solr.internal"
PAGE = {
    "id": "hash/pages/3/0/0/0",
    "type": "pages",
    "uid": 3,
    "site": "www.example.org",
    "rootline": ["0-1/", "1-1/3/"],
    "url": "/waste",
    "title": "Waste collection",
    "content": "Residual waste is collected every second Tuesday.",
    "changed": "2026-05-04T10:30:00Z",
    "indexed": "2026-11-30T09:00:00Z",
    "score": 4.0,
}


def page(uid: int = 3, **fields: Any) -> dict[str, Any]:
    """A page's document as an index holds it."""
    return {
        **PAGE,
        "id": f"hash/pages/{uid}/0/0/0",
        "uid": uid,
        "rootline": ["0-1/", f"1-1/{uid}/"],
        "url": f"/page-{uid}",
        **fields,
    }


def record(uid: int = 7, **fields: Any) -> dict[str, Any]:
    """A record's document: it has no rootline."""
    document = page(uid, id=f"hash/tx_news/{uid}", type="tx_news", url=f"/news/{uid}")
    del document["rootline"]
    return {**document, **fields}


def answer(*documents: Mapping[str, Any], **header: Any) -> dict[str, Any]:
    """A proper answer with these documents."""
    return {
        "responseHeader": {"status": 0, "QTime": 1, **header},
        "response": {"numFound": len(documents), "start": 0, "docs": list(documents)},
    }


@dataclass
class FakeSolr:
    """Answers each request by the core's name, and remembers what came in."""

    cores: dict[str, Any] = field(default_factory=lambda: {"core_en": answer(page())})
    requests: list[httpx.Request] = field(default_factory=list)
    clients: int = 0

    def client(self) -> httpx.Client:
        """What `Resources.http` gives."""
        self.clients += 1
        return httpx.Client(transport=httpx.MockTransport(self.handle))

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        found = self.cores.get(request.url.path.split("/")[-2])
        if callable(found):
            found = found(request)
        if isinstance(found, Exception):
            raise found
        if isinstance(found, httpx.Response):
            return found
        if found is None:
            return httpx.Response(404, text="<html>Not Found</html>")
        return httpx.Response(200, content=json.dumps(found).encode())

    @property
    def forms(self) -> list[dict[str, list[str]]]:
        """The forms that were posted."""
        return [form_of(request) for request in self.requests]


def form_of(request: httpx.Request) -> dict[str, list[str]]:
    """The fields of a posted form."""
    return parse_qs(request.content.decode(), keep_blank_values=True)


def language(language_id: int = 0, base: str = "https://www.example.org/") -> SiteLanguage:
    return SiteLanguage(language_id=language_id, base=base, locale="en_GB.UTF-8")


def site(
    identifier: str = "main",
    root_page_uid: int = 1,
    base: str = "https://www.example.org/",
    *,
    languages: Sequence[SiteLanguage] | None = None,
    keys: Mapping[str, Any] | None = None,
    language_keys: Sequence[Mapping[str, Any]] = (),
) -> Site:
    """A site whose Solr is at solr.internal, core_en, unless *keys* say otherwise."""
    return Site(
        identifier=identifier,
        root_page_uid=root_page_uid,
        base=base,
        languages=tuple(languages or [language(base=base)]),
        settings={
            "solr_host_read": HOST,
            "solr_core_read": "core_en",
            "languages": list(language_keys),
            **(keys or {}),
        },
    )


def backend(
    solr: FakeSolr,
    *sites: Site,
    database: Database | None = None,
    options: Mapping[str, str] | None = None,
    secret: Callable[[bool], Mapping[str, object]] | None = None,
    now: Callable[[], int] = lambda: NOW,
) -> SearchBackend:
    """The backend as the composition root builds it."""
    ours = Sites(sites=sites or (site(),))
    live = None
    if database is not None:
        router = Router(ours, database, RoutingSettings(), now=now)
        live = PublicPages(database=database, sites=ours, router=router, now=now)
    return BACKEND.build(
        Resources(
            sites=ours,
            database=database,
            public_pages=live,
            now=now,
            options=options or {},
            secret=secret,
            http=solr.client,
        )
    )
