"""From candidate texts to hits: scored, sorted, with the passage that answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from typo3_retrieval.core.ranking.bm25f import Score, Text, scores
from typo3_retrieval.core.ranking.excerpt import excerpt
from typo3_retrieval.core.ranking.question import Question


@dataclass(frozen=True, slots=True)
class Hit:
    """One of the texts that were given, by its place among them."""

    index: int
    score: Score
    excerpt: str


def best_first(question: Question, texts: Sequence[Text], *, limit: int) -> list[Hit]:
    """The best *limit* of *texts*, which are the candidates of one question.

    A text that says nothing of the question is no hit, whatever made it a candidate. Equal
    scores keep the order of the texts.

    Args:
        question: what was asked.
        texts: what a visitor can read of the candidates.
        limit: hits wanted.
    """
    scored = enumerate(scores(question, texts))
    said = [(index, score) for index, score in scored if score.coverage > 0]
    said.sort(key=lambda pair: -pair[1].value)
    return [
        Hit(
            index,
            score,
            excerpt(texts[index].body or texts[index].title, question),
        )
        for index, score in said[:limit]
    ]
