import pytest

from tests.unit.core.fakes import asked


@pytest.mark.parametrize("word", ["öffnungszeit", "offnungszeiten", "öffnungszeiten"])
def test_inflections_and_accents_are_the_same_word(word: str) -> None:
    assert asked("Öffnungszeiten", "de").matches(word) == (("offnungszeit", 1.0),)


@pytest.mark.parametrize(
    ("question", "word", "found"),
    [
        ("Abfall", "bioabfalltonne", (("abfall", 0.3),)),
        ("Müll", "sperrmüll", ()),  # a stem of four letters is in too many words
        ("Abfall", "abfälle", (("abfall", 1.0),)),
        ("Öffnung", "wiedereröffnungsfeier", (("offnung", 0.3),)),
        ("Abfall", "papier", ()),
    ],
)
def test_a_long_stem_counts_a_little_inside_a_compound(
    question: str, word: str, found: tuple[tuple[str, float], ...]
) -> None:
    assert asked(question, "de").matches(word) == found


def test_one_word_may_stand_for_two_terms() -> None:
    question = asked("Abfall Abfallkalender", "de")
    assert question.matches("abfallkalender") == (("abfallkal", 1.0), ("abfall", 0.3))


def test_a_question_without_terms_matches_nothing() -> None:
    assert asked("?").matches("waste") == ()


@pytest.mark.parametrize("word", ["schlüssel", "bündel"])
def test_a_part_of_a_long_word_that_was_asked_for_counts_a_little(word: str) -> None:
    question = asked("Schlüsselbündel", language="de")
    assert question.matches(word) == (("schlusselbundel", 0.2),)


def test_a_short_part_is_chance() -> None:
    assert asked("Schlüsselbund", language="de").matches("bund") == ()
