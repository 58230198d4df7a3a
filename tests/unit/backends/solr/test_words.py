"""A caller's text as words that no parser takes for syntax."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.backends.solr.words import MAX_CLAUSES, MAX_WORD, query_words

FIELDS = 11
PLAIN = re.compile(r"[^\W_]+(?:[.'’\-][^\W_]+)*")  # noqa: RUF001  # the apostrophe people type


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is the vaccine?", "What is the vaccine"),
        ("+vaccine -children", "vaccine children"),
        ("title:vaccine", "title vaccine"),
        ("*:*", ""),
        ("{!lucene}*:*", "lucene"),
        ('_query_:"{!func}uid"', "query func uid"),
        ("$q vaccine ${q}", "q vaccine q"),
        ("NOT vaccine", "not vaccine"),
        ("vaccine AND zzz OR x", "vaccine and zzz or x"),
        ("Android NOTE", "Android NOTE"),
        ("E-Mail COVID-19 don't 3.5", "E-Mail COVID-19 don't 3.5"),
        ("a - b --c", "a b c"),
        ("vaccin* c?t vaccine~2 vaccine^9", "vaccin c t vaccine 2 vaccine 9"),
        ("Mu\u0308ll", "Müll"),
        ("Sommerfest 🎉", "Sommerfest"),
        ("🎉 ?!", ""),
        ("nul\x00byte", "nul byte"),
        ("疫苗 儿童", "疫苗 儿童"),
        ("x" * 200, "x" * MAX_WORD),
    ],
)
def test_only_words_are_left(text: str, words: str) -> None:
    assert query_words(text, FIELDS) == words


@given(st.text(max_size=200))
def test_nothing_but_plain_words_comes_through(text: str) -> None:
    words = query_words(text, FIELDS).split(" ")
    assert words == [""] or all(map(PLAIN.fullmatch, words))
    assert not {"AND", "OR", "NOT"}.intersection(words)


@given(st.text(alphabet="aB1-. ", max_size=400), st.integers(1, 40))
def test_a_query_stays_within_the_budget_of_clauses(text: str, fields: int) -> None:
    # At least one clause for each letter run and digit run, whatever a core does with them.
    words = query_words(text, fields)
    assert len(re.findall(r"[a-zA-Z]+|\d+", words)) * fields <= MAX_CLAUSES


def test_a_question_of_two_hundred_characters_keeps_its_words() -> None:
    question = "Which documents do I need to bring when I register a new address in the town " * 2
    assert query_words(question, FIELDS).split() == question.split()
