"""From text to terms: tokens, stop words, stems, folding, prefixes."""

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Protocol, cast

MAX_TERMS = 12  # of one question; more cost time and find nothing
MIN_PREFIX = 3  # characters; shorter prefixes match half a site
_TOKEN = re.compile(r"[^\W_]+")
_STOPWORDS = Path(__file__).parent / "stopwords"

# ISO 639-1 code -> name of the Snowball algorithm.
_ALGORITHMS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
_STOPWORD_FILES = {"nb": "no", "nn": "no"}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  # the library's name


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question."""

    text: str  # folded stem: two words with the same one are the same word
    prefixes: tuple[str, ...]  # lower case, unfolded: what an index is asked for


class Analyzer:
    """Analysis for one language; an unknown one is only folded."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._stem = _stemmer(language)
        # Snowball's stemmers keep the word in themselves; two threads would mix theirs.
        self._lock = threading.Lock()
        self._stopwords = stopwords(language)
        # A page has few thousand distinct words, and the same ones again in the next question.
        self.term = lru_cache(maxsize=50_000)(self._term)

    def question(self, text: str) -> tuple[Term, ...]:
        """The distinct terms of a question, at most 12, in order; stop words only if alone."""
        # Composed: a copied ä may be an a with a mark of its own, at which a word would end.
        words = [match[0] for match in tokens(unicodedata.normalize("NFC", text))]
        terms: dict[str, Term] = {}
        for word in self.meaningful(words):
            term = self.term(word)
            own = prefixes(word, term)
            other = _OTHER_BEGINNINGS.get(self._language, _no_others)(own)
            terms.setdefault(term, Term(term, tuple(dict.fromkeys((*own, *other)))))
        return tuple(terms.values())[:MAX_TERMS]

    def meaningful(self, words: Iterable[str]) -> list[str]:
        """Those of *words* that are no stop words; all of them if nothing else is there."""
        words = list(words)
        return [word for word in words if word not in self._stopwords] or words

    def _term(self, word: str) -> str:
        with self._lock:
            # Only German's stemmer reads ß as ss, and names are written so everywhere.
            return fold(self._stem(word.replace("ß", "ss")))


@cache
def analyzer(language: str) -> Analyzer:
    """The analyzer of an ISO 639-1 code, kept for the life of the process."""
    return Analyzer(language)


def tokens(text: str) -> Iterator[re.Match[str]]:
    """Runs of letters and digits, lower-cased, as matches on the lower-cased text.

    Offsets fit *text* wherever lower-casing keeps its length, which `lowered` sees to.
    """
    return _TOKEN.finditer(lowered(text))


def lowered(text: str) -> str:
    """*text* in lower case and of the same length, composed characters kept composed.

    Only a capital I with a dot grows when lower-cased (to two characters).
    """
    return text.replace("İ", "i").lower()


@lru_cache(maxsize=20_000)
def fold(word: str) -> str:
    """*word* without accents; ß becomes ss."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word.replace("ß", "ss"))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", bare)  # Hangul, which has no accents, as it was


def prefixes(word: str, term: str) -> tuple[str, ...]:
    """What to look for in an index, so that all inflections of *word* are found.

    The longest beginning of the word that its stem has too, at least three characters, else
    the whole word. With an umlaut in it the stem is looked for as well: the plural Häuser
    must find Haus.
    """
    length = next(
        (n for n in range(len(word), 0, -1) if term.startswith(fold(word[:n]))), len(word)
    )
    own = word[:length] if length >= MIN_PREFIX else word
    shared = fold(own)
    return (own,) if shared == own or len(shared) < MIN_PREFIX else (own, shared)


def _with_umlaut(beginnings: tuple[str, ...]) -> tuple[str, ...]:
    """The beginning of a German word's plural: Umzug must find Umzüge."""
    own = beginnings[0]
    place = max(own.rfind(vowel) for vowel in "aou")
    if place < 0 or len(own) <= MIN_PREFIX or not own.isascii():
        return ()
    if own[place - 1 : place + 1] == "au":
        place -= 1
    return (own[:place] + "äöü"["aou".index(own[place])] + own[place + 1 :],)


def _before_ing(beginnings: tuple[str, ...]) -> tuple[str, ...]:
    """The beginning of an English word that loses its e: vote must find voting."""
    own = beginnings[0]
    return (f"{own[:-1]}i",) if own.endswith("e") and len(own) > MIN_PREFIX else ()


def _no_others(beginnings: tuple[str, ...]) -> tuple[str, ...]:
    del beginnings
    return ()


# Words with the same stem that begin otherwise than it does.
_OTHER_BEGINNINGS: Mapping[str, Callable[[tuple[str, ...]], tuple[str, ...]]] = {
    "de": _with_umlaut,
    "en": _before_ing,
}


@cache
def stopwords(language: str) -> frozenset[str]:
    """The Snowball project's list for *language*, empty when it has none."""
    file = _STOPWORDS / f"{_STOPWORD_FILES.get(language, language)}.txt"
    if language not in _ALGORITHMS or not file.is_file():
        return frozenset()
    return frozenset(file.read_text(encoding="utf-8").split())


def _stemmer(language: str) -> Callable[[str], str]:
    name = _ALGORITHMS.get(language)
    if name is None:
        return str
    # Here: a cold start without a question need not load it.
    import snowballstemmer  # type: ignore[import-untyped]  # it ships no types

    if name not in snowballstemmer.algorithms():  # PyStemmer, when present, knows fewer
        return str
    return cast(_Stemmer, snowballstemmer.stemmer(name)).stemWord
