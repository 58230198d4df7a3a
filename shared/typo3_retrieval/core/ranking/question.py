"""A question as ranking sees it: its terms, what each is worth, and which words stand for it."""

from collections.abc import Iterable, Mapping, Sequence

from typo3_retrieval.core.ranking.analysis import Analyzer, Term, tokens
from typo3_retrieval.core.ranking.likeness import trigrams

_COMPOUND = 0.3  # weight of a stem inside a longer word
_COMPOUND_STEM = 5  # characters; shorter stems occur in words by chance
_COMPOUND_WORD = 8  # characters
_PART = 0.2  # weight of a word that is the beginning or the end of a longer one asked for

Matches = tuple[tuple[str, float], ...]  # (Term.text, weight)


class Question:
    """The terms of one question in one language, with their weights.

    Args:
        analyzer: of the texts' language.
        terms: the question's.
        idf: weight by `Term.text`.
    """

    def __init__(self, analyzer: Analyzer, terms: Sequence[Term], idf: Mapping[str, float]) -> None:
        self.terms = tuple(terms)
        self.idf = idf
        self.trigrams = trigrams(term.text for term in terms)
        self._analyzer = analyzer
        self._texts = frozenset(term.text for term in terms)
        self._initials = frozenset(text[0] for text in self._texts)
        self._stems = tuple(text for text in self._texts if len(text) >= _COMPOUND_STEM)
        self._parts = _parts(self._texts)
        self._beginnings = frozenset(part[:_COMPOUND_STEM] for part in self._parts)
        # The candidates of one question share most of their words.
        self._known: dict[str, Matches] = {}

    def matches(self, word: str) -> Matches:
        """The terms that *word* (lower case) stands for, with weights.

        The term itself counts 1, a compound that holds it .3, a part of it .2: asked for
        Schlüssel, Schlüsselbund counts .3, and the other way round .2.
        """
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._matches(word)
        return found

    def trigrams_of(self, title: str) -> frozenset[str]:
        """The trigrams of a title, made as the question's own are."""
        words = (match[0] for match in tokens(title))
        return trigrams(self._analyzer.term(word) for word in self._analyzer.meaningful(words))

    def _matches(self, word: str) -> Matches:
        stem = word
        # Stemming is the costly part: a word that begins differently has another stem.
        begins = word[0] in self._initials or word[:_COMPOUND_STEM] in self._beginnings
        if begins or not word.isascii():
            stem = self._analyzer.term(word)
        found = [(stem, 1.0)] if stem in self._texts else []
        found += [(text, _PART) for text in self._parts.get(stem, ())]
        if len(word) >= _COMPOUND_WORD:
            found += [
                (text, _COMPOUND)
                for text in self._stems
                if text != stem and (text in stem or text in word)
            ]
        return tuple(found)


def _parts(texts: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The beginnings and ends that long terms share with shorter words, and whose they are."""
    found: dict[str, set[str]] = {}
    for text in texts:
        if len(text) >= _COMPOUND_WORD:
            for length in range(_COMPOUND_STEM, len(text)):
                for part in (text[:length], text[-length:]):
                    found.setdefault(part, set()).add(text)
    return {part: tuple(sorted(whole)) for part, whole in found.items()}
