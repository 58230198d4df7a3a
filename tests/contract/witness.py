"""A backend that remembers by whose right it was asked."""

from dataclasses import dataclass, field

from tests.unit.edge.fakes import SITES, FakeSecrets
from typo3_retrieval.bootstrap import build_services
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval.plugin import (
    AVAILABLE,
    AccessContext,
    Availability,
    Document,
    Registration,
    RetrievalQuery,
    SearchAnswer,
    SourceId,
)


@dataclass
class Witness:
    """Finds nothing, and has nothing to read."""

    name: str = "witness"
    seen: list[AccessContext] = field(default_factory=list)

    def availability(self) -> Availability:
        return AVAILABLE

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        self.seen.append(access)
        return SearchAnswer(())

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        self.seen.append(access)
        return None

    def services(self, *, now: int) -> Services:
        """The built system with this one backend."""
        return build_services(
            Settings(),
            secrets=FakeSecrets(),
            sites=SITES,
            backends=[Registration(self.name, 5, lambda _: self)],
            now=lambda: now,
        )
