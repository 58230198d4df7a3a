"""Reciprocal Rank Fusion of ranked lists.

Source: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and
individual Rank Learning Methods", SIGIR 2009.
"""

from collections.abc import Hashable, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

DEFAULT_K = 60  # the paper's constant


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[K]],
    *,
    k: int = DEFAULT_K,
    weights: Sequence[float] = (),
) -> list[K]:
    """Fuse *rankings* into one, best first.

    score(item) = sum over the rankings of weight / (k + rank), with rank 1 for the first.
    An item counts once per ranking, at its best rank; ties keep the order of first sight.

    Args:
        rankings: lists of keys, best first.
        k: flattens the weight of the top ranks; below 1 it is taken as 1.
        weights: one per ranking; missing ones are 1, negative ones 0.
    """
    scores: dict[K, float] = {}
    k = max(1, k)
    for index, ranking in enumerate(rankings):
        weight = max(0.0, weights[index]) if index < len(weights) else 1.0
        for rank, key in enumerate(dict.fromkeys(ranking), start=1):
            scores[key] = scores.get(key, 0.0) + weight / (k + rank)
    return sorted(scores, key=lambda key: -scores[key])
