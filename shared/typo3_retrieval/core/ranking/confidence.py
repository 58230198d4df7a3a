"""How sure a hit is, from how much of the question it covers and how far it leads.

Coverage alone does not tell a right hit from a wrong one: several pages say most of the words, and
one of them answers. Nor does a lead alone: of pages that say one word of six, one leads too.
"""

import math

from typo3_retrieval.core.evidence import Confidence

# Fitted on question sets with relevance judgments and on questions that have no answer there:
# docs/ranking.md tells how often each level was right.
_COVERED = 0.45  # share of the question's weight; with less a hit is about something else
_MOSTLY_COVERED = 0.6  # with less a hit is not sure, however far it leads
_NEAR = 0.7  # share of the best hit's score; with less there are better ones
_SURE = 4.6
_PER_COVERAGE, _PER_LEAD, _PER_WORDS = 1.1, 6.0, 1.4


def confidence(*, coverage: float, words: int, score: float, best_other: float) -> Confidence:
    """The confidence of one hit.

    Args:
        coverage: share of the question's weight that the hit covers, 0..1.
        words: terms of the question that the hit has.
        score: the hit's.
        best_other: the best score among the other hits of the answer, 0 without any.
    """
    if coverage < _COVERED or score < _NEAR * best_other:
        return Confidence.LOW
    lead = max(-1.0, 1 - best_other / score) if score > 0 else 0.0
    sure = _PER_COVERAGE * coverage + _PER_LEAD * lead + _PER_WORDS * math.log(max(1, words))
    high = coverage >= _MOSTLY_COVERED and sure >= _SURE
    return Confidence.HIGH if high else Confidence.MEDIUM
