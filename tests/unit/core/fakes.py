"""What comes in through the core's doors: backends with a fixed answer, and hits to give."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.backend import AVAILABLE, Availability, Document, SearchAnswer
from typo3_retrieval.core.evidence import EvidenceSource
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.ranking.analysis import analyzer
from typo3_retrieval.core.ranking.question import Question
from typo3_retrieval.core.source_id import SourceId

ACCESS = AccessContext.public_only(BackendUser("7"))


def hit(
    source_id: str = "fake:1",
    *,
    url: str = "",
    title: str = "Waste collection",
    excerpt: str = "Residual waste is collected every second Tuesday.",
) -> EvidenceSource:
    return EvidenceSource(
        source_id=SourceId.parse(source_id),
        title=title,
        url=url or f"https://www.example.org/{source_id.replace(':', '-')}",
        excerpt=excerpt,
        language_id=0,
    )


def document(text: str, source_id: str = "fake:1") -> Document:
    return Document(
        source_id=SourceId.parse(source_id),
        title="Waste collection",
        url="https://www.example.org/waste",
        text=text,
    )


def asked(text: str, language: str = "en", *, idf: dict[str, float] | None = None) -> Question:
    """A question whose terms weigh 1 unless *idf* says otherwise."""
    analysis = analyzer(language)
    terms = analysis.question(text)
    return Question(analysis, terms, {t.text: (idf or {}).get(t.text, 1.0) for t in terms})


@dataclass(kw_only=True)
class FakeBackend:
    """A backend that answers, is unavailable, or raises, and remembers what it was asked."""

    name: str = "fake"
    hits: Sequence[EvidenceSource] = ()
    notes: tuple[str, ...] = ()
    documents: Sequence[Document] = ()
    available: Availability = AVAILABLE
    availability_error: Exception | None = None
    error: Exception | None = None
    asked: list[RetrievalQuery] = field(default_factory=list)

    def availability(self) -> Availability:
        if self.availability_error:
            raise self.availability_error
        return self.available

    def search(self, query: RetrievalQuery, access: AccessContext) -> SearchAnswer:
        assert access == ACCESS
        self.asked.append(query)
        if self.error:
            raise self.error
        return SearchAnswer(self.hits, self.notes)

    def fetch(self, source_id: SourceId, access: AccessContext) -> Document | None:
        assert access == ACCESS
        if self.error:
            raise self.error
        return next((each for each in self.documents if each.source_id == source_id), None)
