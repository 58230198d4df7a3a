"""Several wordings of one question, asked of one backend and fused."""

from collections.abc import Callable

from typo3_retrieval.core.backend import SearchAnswer
from typo3_retrieval.core.evidence import EvidenceSource
from typo3_retrieval.core.fusion import reciprocal_rank_fusion
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId


def search_wordings(query: RetrievalQuery, search: Callable[[str], SearchAnswer]) -> SearchAnswer:
    """Ask *search* for the question and each of its alternatives; fuse by reciprocal rank.

    The lists are of one engine, so their ranks are comparable. A hit keeps the excerpt and
    the score of the first wording that found it.
    """
    answers = [search(wording) for wording in (query.text, *query.alternatives)]
    if len(answers) == 1:
        return answers[0]
    found: dict[SourceId, EvidenceSource] = {}
    for answer in answers:
        for source in answer.sources:
            found.setdefault(source.source_id, source)
    order = reciprocal_rank_fusion(
        [[source.source_id for source in answer.sources] for answer in answers]
    )
    notes = dict.fromkeys(note for answer in answers for note in answer.notes)
    return SearchAnswer([found[source_id] for source_id in order], tuple(notes))
