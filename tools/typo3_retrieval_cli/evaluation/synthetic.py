"""Sites of any size: of real sentences, or of a made-up language.

Either has words as common and as rare as those of a language. The questions of real people
have more common words than questions drawn from a page: measure with them where you can.
"""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from typo3_retrieval_cli.evaluation.data_sets import DataSet, Document, Question

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
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_SENTENCE = 400  # characters; longer ones are listings of programs


class Writer(Protocol):
    """Writes the pages of a site, and asks about them; the same ones for the same seed."""

    @property
    def language(self) -> str:
        """ISO 639-1 code."""
        ...

    def pages(self, number: int) -> list[Document]:
        """So many pages."""
        ...

    def questions(self, pages: Sequence[Document], number: int) -> list[Question]:
        """At most so many questions that *pages* might answer."""
        ...


class Sentences:
    """Pages of sentences of *sets*, thrown together, and the questions of the sets.

    It is a hard case: on a real site a word is at home on some pages, here it is everywhere.

    Args:
        sets: of one language.
        seed: of what is drawn.
    """

    def __init__(self, sets: Sequence[DataSet], seed: int = 8) -> None:
        self._random = random.Random(seed)  # noqa: S311  # texts, no secrets
        self.language = sets[0].language
        self._titles = [each.title for data in sets for each in data.documents if each.title]
        self._sentences = [
            sentence
            for data in sets
            for document in data.documents
            for sentence in _SENTENCE_END.split(document.body)
            if 0 < len(sentence) <= _LONGEST_SENTENCE
        ]
        self._questions = [question for data in sets for question in data.questions]

    def pages(self, number: int) -> list[Document]:
        """See `Writer`."""
        return [
            Document(
                id=str(place),
                title=self._random.choice(self._titles),
                body="\n".join(
                    self._random.choices(self._sentences, k=self._random.randint(*_SENTENCES))
                ),
            )
            for place in range(number)
        ]

    def questions(self, pages: Sequence[Document], number: int) -> list[Question]:
        """See `Writer`. They are the sets', whatever stands on *pages*."""
        del pages
        return self._random.sample(self._questions, min(number, len(self._questions)))


class Language:
    """A made-up language: words and their frequencies. It inflects as English does."""

    language = "en"

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
        """See `Writer`."""
        return [
            Document(
                id=str(place),
                title=" ".join(self._draw(_TITLE)).title(),
                body="\n".join(self._sentences()),
            )
            for place in range(number)
        ]

    def questions(self, pages: Sequence[Document], number: int) -> list[Question]:
        """See `Writer`. Each is of words of some page, among them common ones."""
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
