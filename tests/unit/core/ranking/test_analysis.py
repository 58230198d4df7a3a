import sys
import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.ranking.analysis import (
    MAX_TERMS,
    Analyzer,
    analyzer,
    fold,
    lowered,
    prefixes,
    stopwords,
    tokens,
)

words = st.from_regex(r"[^\W_]{1,20}", fullmatch=True).map(lowered)
languages = st.sampled_from(["de", "en", "fr", "ru", "tr", "ar", "xx", ""])


def terms_of(language: str, question: str) -> list[str]:
    return [term.text for term in analyzer(language).question(question)]


@pytest.mark.parametrize(
    ("language", "question", "terms"),
    [
        ("en", "When is bulky waste collected?", ["bulki", "wast", "collect"]),
        ("de", "Wird der Sperrmüll nicht abgeholt?", ["sperrmull", "abgeholt"]),
        ("xx", "When is bulky waste collected?", ["when", "is", "bulky", "waste", "collected"]),
        ("en", "COVID-19", ["covid", "19"]),
        ("en", "a_b 100 %", ["b", "100"]),
        ("en", "info@example.org", ["info", "exampl", "org"]),
        ("en", '"neue Anschrift', ["neue", "anschrift"]),
        ("en", "waste Waste WASTE wastes", ["wast"]),
    ],
)
def test_a_question_becomes_its_meaningful_stems(
    language: str, question: str, terms: list[str]
) -> None:
    assert terms_of(language, question) == terms


def test_stop_words_count_when_there_is_nothing_else() -> None:
    assert terms_of("en", "who is who") == ["who", "is"]


@pytest.mark.parametrize("question", ["", "+++---", "%", "_", "🎉", "((>"])
def test_without_letters_and_digits_there_are_no_terms(question: str) -> None:
    assert terms_of("en", question) == []


def test_at_most_twelve_terms_are_looked_for() -> None:
    assert terms_of("xx", " ".join(f"word{n}" for n in range(40))) == [
        f"word{n}" for n in range(MAX_TERMS)
    ]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Haus", "Häuser"),
        ("de", "Straße", "STRASSE"),
        ("de", "Öffnungszeit", "Öffnungszeiten"),
        ("en", "collection", "collected"),
        ("fr", "élève", "élèves"),
        ("xx", "Café", "cafe"),
    ],
)
def test_inflections_and_accents_are_one_term(language: str, one: str, other: str) -> None:
    assert terms_of(language, one) == terms_of(language, other)


def test_a_decomposed_umlaut_does_not_split_its_word() -> None:
    copied = unicodedata.normalize("NFD", "Häuser")
    assert terms_of("de", copied) == terms_of("de", "Häuser")


@pytest.mark.parametrize(
    ("word", "folded"),
    [
        ("öffnung", "offnung"),
        ("straße", "strasse"),
        ("łódź", "łodz"),  # the stroke of ł is no mark
        ("naïve", "naive"),
        ("한국", "한국"),
        ("中文", "中文"),
    ],
)
def test_folding_drops_marks_and_nothing_else(word: str, folded: str) -> None:
    assert fold(word) == folded


@pytest.mark.parametrize(
    ("language", "word", "expected"),
    [
        ("en", "collected", ("collect",)),
        ("en", "cities", ("citi",)),
        ("en", "happily", ("happil",)),
        ("de", "häuser", ("häus", "haus")),
        ("de", "straße", ("straß", "strass")),
        ("de", "abholung", ("abhol",)),
        ("xx", "häuser", ("häuser", "hauser")),
        ("en", "eu", ("eu",)),
    ],
)
def test_prefixes_find_a_words_inflections_in_an_index(
    language: str, word: str, expected: tuple[str, ...]
) -> None:
    assert prefixes(word, analyzer(language).term(word)) == expected


@given(languages, words)
def test_a_words_prefixes_begin_the_word_or_its_folded_form(language: str, word: str) -> None:
    for prefix in prefixes(word, analyzer(language).term(word)):
        assert prefix
        assert word.startswith(prefix) or fold(word).startswith(prefix)


@given(languages, st.text(max_size=200))
def test_every_term_of_a_question_has_text_and_prefixes(language: str, question: str) -> None:
    terms = analyzer(language).question(question)
    assert len(terms) <= MAX_TERMS
    assert all(term.text and all(term.prefixes) for term in terms)
    assert len({term.text for term in terms}) == len(terms)


@given(st.text())
def test_lower_case_keeps_the_length(text: str) -> None:
    assert len(lowered(text)) == len(text)


@pytest.mark.parametrize("text", ["İstanbul", "STRASSE", "ẞ", "ΣΊΣΥΦΟΣ", "ǅ"])
def test_awkward_capitals_keep_the_length(text: str) -> None:
    assert len(lowered(text)) == len(text)


@given(st.text())
def test_tokens_know_their_place_in_the_text(text: str) -> None:
    for token in tokens(text):
        assert lowered(text[token.start() : token.end()])[:1] == token[0][:1]
        assert len(token[0]) == token.end() - token.start()


@pytest.mark.parametrize("language", ["de", "en", "fr", "nb", "nn", "no"])
def test_a_known_language_has_stop_words(language: str) -> None:
    assert len(stopwords(language)) > 50


@pytest.mark.parametrize("language", ["xx", "", "../../etc/passwd", "README"])
def test_an_unknown_language_has_none(language: str) -> None:
    assert stopwords(language) == frozenset()


def test_threads_do_not_mix_their_words() -> None:
    vocabulary = [f"{stem}{end}" for stem in sorted(stopwords("en")) for end in ("ings", "ation")]
    alone = Analyzer("en")
    expected = {word: alone.term(word) for word in vocabulary}
    shared, wrong = Analyzer("en"), list[str]()

    def stem(order: int) -> None:
        for word in sorted(vocabulary, key=lambda each: hash((order, each))):
            if shared.term(word) != expected[word]:
                wrong.append(word)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=stem, args=(order,)) for order in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


@pytest.mark.parametrize(
    ("language", "word", "other"),
    [
        ("de", "Umzug", "umzüg"),  # Umzüge
        ("de", "Haus", "häus"),  # Häuser
        ("de", "Apfel", "äpfel"),
        ("de", "Hof", None),  # three letters: half a site begins so
        ("en", "vote", "voti"),  # voting
        ("en", "house", None),  # its stem has no e, and is a beginning of both
        ("fr", "vote", None),
    ],
)
def test_words_that_begin_otherwise_in_another_form_are_looked_for(
    language: str, word: str, other: str | None
) -> None:
    (term,) = analyzer(language).question(word)
    assert term.prefixes[0] == prefixes(word.lower(), term.text)[0]
    assert term.prefixes[1:] == ((other,) if other else ())
