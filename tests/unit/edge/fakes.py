"""What stands at the doors of the edge in its tests: a backend, a database, secrets, events."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.core.errors import BackendError
from typo3_retrieval.core.secrets import MAX_AGE, SecretReference, TokenKeys
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.plugin import (
    AVAILABLE,
    AccessContext,
    Availability,
    Confidence,
    Document,
    EvidenceSource,
    Registration,
    Resources,
    RetrievalQuery,
    SearchAnswer,
    SourceId,
)
from typo3_retrieval.typo3.database import Dialect, Parameter, Row
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

EVENTS = Path(__file__).parents[2] / "events"
NOW = 1796031600  # UNIX epoch, seconds; when the events were recorded: 2026-11-30 09:40 UTC

KEYS = TokenKeys(keys={"2026-11": "n" * 32, "2026-10": "o" * 32}, active="2026-11")
TOKEN_SECRET = {"keys": dict(KEYS.keys), "active": KEYS.active}

SITES = Sites(
    sites=(
        Site(
            identifier="main",
            root_page_uid=1,
            base="https://www.example.org/",
            languages=(
                SiteLanguage(language_id=0, base="https://www.example.org/", locale="en_US.UTF-8"),
                SiteLanguage(
                    language_id=1, base="https://www.example.org/de/", locale="de_DE.UTF-8"
                ),
            ),
        ),
    )
)

WASTE = EvidenceSource(
    source_id=SourceId.of("fake", 3, 0),
    title="Waste collection",
    url="https://www.example.org/citizen-services/waste-collection",
    excerpt="Bulky waste is collected on the first Monday of each month.",
    language_id=0,
    site="main",
    page_uid=3,
    score=4.2,
    confidence=Confidence.HIGH,
    last_modified=1777890600,
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),  # lone surrogates too
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@dataclass
class FakeBackend:
    """Answers what it was told to, and remembers what it was asked."""

    sources: Sequence[EvidenceSource] = (WASTE,)
    documents: Mapping[str, str] = field(default_factory=dict)  # text by source id
    error: Exception | None = None
    name: str = "fake"
    asked: list[RetrievalQuery] = field(default_factory=list)

    def availability(self) -> Availability:
        return AVAILABLE

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        self.asked.append(query)
        if self.error:
            raise self.error
        return SearchAnswer(self.sources)

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        if self.error:
            raise self.error
        text = self.documents.get(str(source_id))
        if text is None:
            return None
        return Document(
            source_id=source_id, title="Waste collection", url=WASTE.url, text=text, last_modified=0
        )


@dataclass
class FakeDatabase:
    """Knows which backend users are active, and how often it was asked."""

    users: set[int] = field(default_factory=lambda: {10})
    error: BackendError | None = None
    asked: int = 0
    dialect: Dialect = "sqlite"

    def rows(self, sql: str, parameters: Mapping[str, Parameter] | None = None) -> Sequence[Row]:
        self.asked += 1
        if self.error:
            raise self.error
        return [{"uid": uid} for uid in self.users if uid == (parameters or {})["uid"]]

    def columns(self, table: str) -> frozenset[str]:
        return frozenset()


@dataclass
class FakeSecrets:
    """Secrets by reference, and which ages were asked for."""

    documents: dict[str, Mapping[str, object]] = field(default_factory=dict)
    error: Exception | None = None
    ages: list[int] = field(default_factory=list)

    def read(self, reference: SecretReference, *, max_age: int = MAX_AGE) -> Mapping[str, object]:
        self.ages.append(max_age)
        if self.error:
            raise self.error
        return self.documents[reference.reference]


def services_of(*backends: FakeBackend, priority: int = 5) -> Services:
    """The built system over *backends*, on a site that is English and German."""
    return build_services(
        Settings(),
        secrets=FakeSecrets(),
        sites=SITES,
        backends=[
            Registration(backend.name, priority - place, partial(_built, backend))
            for place, backend in enumerate(backends)
        ],
        now=lambda: NOW,
    )


def _built(backend: FakeBackend, resources: Resources) -> FakeBackend:
    return backend


def event(name: str, **changes: Any) -> dict[str, Any]:
    """The recorded event *name*; `fields` is put into its body as JSON."""
    recorded: dict[str, Any] = json.loads((EVENTS / f"{name}.json").read_text())
    if "fields" in changes:
        changes["body"] = json.dumps(changes.pop("fields"))
    return recorded | changes
