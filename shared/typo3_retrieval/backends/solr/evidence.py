"""From hits to evidence: the passage that answers, and how much of the question a hit covers."""

import unicodedata
from collections.abc import Mapping, Sequence

from typo3_retrieval.backends.solr.answer import SolrAnswer
from typo3_retrieval.backends.solr.hits import Hit
from typo3_retrieval.core.ranking.analysis import analyzer, tokens
from typo3_retrieval.core.ranking.bm25f import (
    Score,
    Text,
    inverse_document_frequency,
    judged,
    scores,
)
from typo3_retrieval.core.ranking.excerpt import excerpt
from typo3_retrieval.core.ranking.question import Question
from typo3_retrieval.plugin import EvidenceSource

DOCUMENTS = "documents"  # the field of an answer that tells how many a core holds


class Wording:
    """A question as the terms of one language.

    With mm=0 nearly every question finds something. How much of it a hit covers is told by the
    terms' rarity in the core, which each answer brings along.

    Args:
        text: the question.
        language: ISO 639-1 code.
    """

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._analyzer = analyzer(language)
        self._terms = self._analyzer.question(text)

    def counted(self) -> Mapping[str, str]:
        """A word for each term, by the field of the answer that counts its documents."""
        first: dict[str, str] = {}
        for match in tokens(unicodedata.normalize("NFC", self._text)):
            first.setdefault(self._analyzer.term(match[0]), match[0])
        return {
            _field(index): first.get(term.text, term.text) for index, term in enumerate(self._terms)
        }

    def question(self, answer: SolrAnswer) -> Question:
        """The terms with their weights. Without counts all weigh the same."""
        total = answer.numbers.get(DOCUMENTS, 0)
        idf = {
            term.text: inverse_document_frequency(
                total, min(total, answer.numbers.get(_field(index), 0))
            )
            if total
            else 1.0
            for index, term in enumerate(self._terms)
        }
        return Question(self._analyzer, self._terms, idf)


def sources(hits: Sequence[Hit], questions: Mapping[str, Question]) -> list[EvidenceSource]:
    """The evidence, in Solr's order.

    A page whose text had to be replaced is none unless the live text, or the title, says
    something of the question: what Solr found may be just what is gone.

    Args:
        hits: best first.
        questions: by the identifier of a hit's site.
    """
    scored = [_score(hit, questions[hit.site.identifier]) for hit in hits]
    return [
        EvidenceSource(
            source_id=hit.source_id,
            title=hit.title,
            url=hit.url,
            excerpt=excerpt(hit.text or hit.title, questions[hit.site.identifier]),
            language_id=hit.language.language_id,
            site=hit.site.identifier,
            page_uid=hit.document.uid if hit.document.is_page else None,
            score=hit.document.score,
            confidence=score.confidence,
            last_modified=hit.document.changed,
        )
        for hit, score in zip(hits, judged(scored), strict=True)
        if score.coverage or hit.live_lines is None
    ]


def _score(hit: Hit, question: Question) -> Score:
    """How much of the question the text that is shown covers."""
    vocabulary = hit.document.vocabulary if hit.live_lines is None else ""
    return scores(question, [Text(hit.title, hit.text, vocabulary)])[0]


def _field(index: int) -> str:
    return f"term{index}"
