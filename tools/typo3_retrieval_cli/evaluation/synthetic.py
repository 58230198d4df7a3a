"""A made-up site of any size, whose words are as common and as rare as those of a language."""

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate

from typo3_retrieval_cli.evaluation.data_sets import Document, Question

_VOCABULARY = 40_000  # words
_SHIFT, _EXPONENT = 2.7, 1.07  # of Zipf's law, in Mandelbrot's form
_TITLE = (2, 7)  # words
_SENTENCES = (4, 22)  # of a page
_SENTENCE = (6, 16)  # words
_ASKED = (4, 8)  # words of a question
_ONSETS = "b br d dr f fl g gr h j k kl l m n p pr r s sch st t tr v w z".split()  # noqa: SIM905  # a word list reads better
_VOWELS = "a e i o u au ei ie".split()  # noqa: SIM905  # see above
_CODAS = ["", "", "n", "r", "s", "t", "l", "ng", "st"]
# The most common words of a language are those that carry no meaning.
_SMALL = "the of and to a in is that for it as was with be by on not he his but".split()  # noqa: SIM905  # see above


class Language:
    """Words and their frequencies; the same ones for the same seed."""

    def __init__(self, seed: int = 8) -> None:
        self._random = random.Random(seed)  # noqa: S311  # texts, no secrets
        words = dict.fromkeys(_SMALL)
        while len(words) < _VOCABULARY:
            syllables = self._random.choice((1, 2, 2, 3, 3, 4))
            words.setdefault("".join(self._syllable() for _ in range(syllables)))
        self._words = list(words)
        self._weights = list(
            accumulate(1 / (rank + _SHIFT) ** _EXPONENT for rank in range(len(self._words)))
        )

    def pages(self, number: int) -> list[Document]:
        """So many pages of sentences."""
        return [
            Document(
                id=str(place),
                title=" ".join(self._draw(_TITLE)).title(),
                body="\n".join(self._sentences()),
            )
            for place in range(number)
        ]

    def questions(self, pages: Sequence[Document], number: int) -> list[Question]:
        """Questions in words of some page, among them common ones, as people ask."""
        asked = []
        for place in range(number):
            page = self._random.choice(pages)
            words = f"{page.title} {page.body}".replace(".", "").split()
            length = self._random.randint(*_ASKED)
            text = " ".join(self._random.sample(words, min(length, len(words))))
            asked.append(Question(id=str(place), text=text, keywords=""))
        return asked

    def _sentences(self) -> Iterator[str]:
        for _ in range(self._random.randint(*_SENTENCES)):
            yield f"{' '.join(self._draw(_SENTENCE)).capitalize()}."

    def _draw(self, least_and_most: tuple[int, int]) -> list[str]:
        length = self._random.randint(*least_and_most)
        return self._random.choices(self._words, cum_weights=self._weights, k=length)

    def _syllable(self) -> str:
        choose = self._random.choice
        return choose(_ONSETS) + choose(_VOWELS) + choose(_CODAS)
