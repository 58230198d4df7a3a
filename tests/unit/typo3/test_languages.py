import pytest
from hypothesis import given
from hypothesis import strategies as st

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.typo3.languages import choose_language
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites


def _site(identifier: str, *languages: tuple[int, str], disabled: int | None = None) -> Site:
    base = f"https://{identifier}.example.org/"
    return Site(
        identifier=identifier,
        root_page_uid=1,
        base=base,
        languages=tuple(
            SiteLanguage(
                language_id=language_id,
                base=f"{base}{language_id}/",
                locale=locale,
                enabled=language_id != disabled,
            )
            for language_id, locale in languages
        ),
    )


MAIN = _site(
    "main", (0, "en_US.UTF-8"), (1, "de_DE.UTF-8"), (2, "de-AT"), (4, "pl_PL.UTF-8"), disabled=4
)
# The same language has another id here, and another language has the id 1.
CAMPAIGN = _site("campaign", (0, "en_GB.UTF-8"), (1, "fr_FR.UTF-8"), (5, "de_DE.UTF-8"))
BARE = _site("bare", (0, ""), (3, "en_GB"))  # its default language has no locale

ONE, TWO = Sites(sites=(MAIN,)), Sites(sites=(MAIN, CAMPAIGN))


def chosen(value: int | str | None, text: str = "waste", *, sites: Sites = ONE) -> int:
    return choose_language(sites, None, value, text).language_id


@pytest.mark.parametrize(
    ("value", "language_id"),
    [
        (0, 0),
        ("0", 0),
        (1, 1),
        ("1", 1),
        (" 1 ", 1),
        ("en", 0),
        ("de", 1),
        ("DE", 1),
        ("de-DE", 1),
        ("de_DE", 1),
        ("de_DE.UTF-8", 1),
        ("de-AT", 2),
        ("DE_at", 2),
        ("de-CH", 1),  # an unknown region falls back to the language
        ("en-AU", 0),
    ],
)
def test_a_language_is_known_by_id_code_and_locale(value: int | str, language_id: int) -> None:
    assert chosen(value) == language_id


@pytest.mark.parametrize(
    "value",
    [
        9,
        -1,
        "9",
        "-1",
        "--1",
        "+-1",
        "9" * 5_000,
        "xx",
        "german",
        "-",
        "d",
        "1.0",
        "pl",
        4,
        "de,en",
    ],
)
def test_an_unknown_language_is_refused_and_the_others_are_named(value: int | str) -> None:
    with pytest.raises(InvalidInput, match=r"^Unknown language\. Languages: 0 \(en\), 1 \(de\), 2"):
        chosen(value)


@pytest.mark.parametrize("value", ["-", "-DE", "_", "."])
def test_a_language_without_a_locale_is_not_what_an_odd_value_means(value: str) -> None:
    with pytest.raises(InvalidInput):
        chosen(value, sites=Sites(sites=(BARE,)))


def test_every_language_of_every_site_is_named() -> None:
    with pytest.raises(InvalidInput) as refused:
        chosen("xx", sites=TWO)
    for each in ("0 (en)", "1 (de)", "1 (fr)", "2 (de)", "5 (de)"):
        assert each in str(refused.value)


def test_an_unknown_site_is_refused_and_the_others_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"^Unknown site\. Sites: main, campaign\.$"):
        choose_language(TWO, "nope", None, "waste")


@given(st.text(max_size=8))
def test_any_text_is_a_language_or_refused(value: str) -> None:
    try:
        found = chosen(value)
    except InvalidInput:
        return
    assert found in (0, 1, 2)


class TestSeveralSites:
    def test_the_named_site_decides(self) -> None:
        assert choose_language(TWO, "campaign", "de", "waste").language_id == 5
        assert choose_language(TWO, "main", "de", "waste").language_id == 1

    def test_without_a_name_one_id_is_searched_and_the_rest_is_told(self) -> None:
        choice = choose_language(TWO, None, "de", "waste")
        assert choice.language_id == 1
        assert len(choice.notes) == 1
        assert "campaign" in choice.notes[0]

    def test_a_language_that_all_name_alike_needs_no_note(self) -> None:
        assert choose_language(TWO, None, "en", "waste").notes == ()

    def test_a_language_of_one_site_is_enough(self) -> None:
        assert choose_language(TWO, None, "fr", "waste").language_id == 1


class TestGuessing:
    """No language is given: the question's function words tell."""

    @pytest.mark.parametrize("value", [None, ""])
    @pytest.mark.parametrize(
        ("text", "language_id"),
        [
            ("Wann wird der Sperrmüll abgeholt und wo?", 1),
            ("When is the bulky waste collected?", 0),
            ("Sperrmüll", 0),  # no function word
            ("der Sperrmüll", 1),  # one, and a letter that English has not
            ("der Container", 0),  # one is too little
            ("", 0),
            ("🎉 12", 0),
        ],
    )
    def test_function_words_decide(self, value: str | None, text: str, language_id: int) -> None:
        assert chosen(value, text) == language_id

    def test_a_guess_is_told(self) -> None:
        choice = choose_language(ONE, None, None, "Wann wird der Sperrmüll abgeholt und wo?")
        assert choice.notes == ('Language not given; searched in "de" (language 1).',)

    def test_a_disabled_language_is_not_guessed(self) -> None:
        assert chosen(None, "kiedy i gdzie jest to, co nie może być") == 0

    def test_the_default_language_needs_no_note(self) -> None:
        assert choose_language(ONE, None, None, "When is it collected and by whom?").notes == ()


@pytest.mark.parametrize("value", [None, "", 0, "0"])
def test_without_sites_the_default_language_is_searched(value: int | str | None) -> None:
    assert chosen(value, sites=Sites()) == 0


def test_without_sites_no_other_language_exists() -> None:
    with pytest.raises(InvalidInput, match="none"):
        chosen("de", sites=Sites())
