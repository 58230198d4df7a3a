"""Which language of a site a caller means: by id, by ISO code, by locale, or by his words."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from typo3_retrieval.core.errors import InvalidInput
from typo3_retrieval.core.ranking.analysis import stopwords, tokens
from typo3_retrieval.typo3.sites import Site, SiteLanguage, Sites

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_MIN_EVIDENCE = 2  # one function word alone is too often a word of another language as well


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageChoice:
    """The sys_language_uid to search in, and what the caller should know about the choice."""

    language_id: int
    notes: tuple[str, ...] = ()


def choose_language(
    sites: Sites, site: str | None, value: int | str | None, text: str
) -> LanguageChoice:
    """Find the language that a caller means.

    Args:
        sites: all sites.
        site: identifier of the asked site, None for all.
        value: an id (1, "1"), an ISO 639-1 code ("de", "DE") or a locale ("de-AT",
            "de_AT.UTF-8"); an unknown region falls back to the language. None: the language
            is guessed from *text*, else it is the default language.
        text: the question.

    Raises:
        InvalidInput: unknown site or language; the message lists the ones that exist.
    """
    asked = sites.asked(site)
    wanted = "" if value is None else str(value).strip()
    if not wanted:
        return _guessed(asked, text)
    meant = {each.identifier: _find(each, wanted) for each in asked}
    found = {identifier: language for identifier, language in meant.items() if language}
    if not asked and wanted == "0":
        return LanguageChoice(language_id=0)  # without sites there is still the default language
    if not found:
        raise InvalidInput(f"Unknown language. Languages: {_known(asked)}.")
    return _shared(found)


def _find(site: Site, value: str) -> SiteLanguage | None:
    """The enabled language of *site* that *value* names."""
    languages = [language for language in site.languages if language.enabled]
    if _NUMBER.fullmatch(value):
        return next((each for each in languages if each.language_id == int(value)), None)
    wanted = _normal(value)
    code = wanted.partition("-")[0]
    if not code:
        return None  # a language without a locale is not what an odd value means
    return next(
        (each for each in languages if _normal(each.locale) == wanted),
        next((each for each in languages if each.code == code), None),
    )


def _normal(locale: str) -> str:
    return locale.partition(".")[0].replace("_", "-").lower()


def _shared(found: Mapping[str, SiteLanguage]) -> LanguageChoice:
    """One id for all asked sites: the one that most of them mean."""
    counted = Counter(language.language_id for language in found.values())
    language_id = min(counted, key=lambda each: (-counted[each], each))
    others = sorted(name for name, each in found.items() if each.language_id != language_id)
    notes: tuple[str, ...] = ()
    if others:
        notes = (
            f"Language {language_id} was searched; name the site to search"
            f" {', '.join(others)}, where this language has another id.",
        )
    return LanguageChoice(language_id=language_id, notes=notes)


def _guessed(asked: Sequence[Site], text: str) -> LanguageChoice:
    """The language that the text itself shows, if one clearly leads."""
    words = {match[0] for match in tokens(text)}
    candidates: dict[str, SiteLanguage] = {}
    for site in asked:
        for language in site.languages:
            if language.enabled:
                candidates.setdefault(language.code, language)
    evidence = {code: _evidence(words, code) for code in candidates}
    best = max(evidence.values(), default=0)
    leading = [code for code, value in evidence.items() if value == best]
    if best < _MIN_EVIDENCE or len(leading) > 1 or not candidates[leading[0]].language_id:
        return LanguageChoice(language_id=0)
    language = candidates[leading[0]]
    return LanguageChoice(
        language_id=language.language_id,
        notes=(
            f'Language not given; searched in "{language.code}" (language {language.language_id}).',
        ),
    )


def _evidence(words: Set[str], code: str) -> int:
    """How many function words of a language stand there, and one if its own letters do."""
    function_words = stopwords(code)
    letters = {letter for word in function_words for letter in word if not letter.isascii()}
    return len(words & function_words) + any(not letters.isdisjoint(word) for word in words)


def _known(sites: Sequence[Site]) -> str:
    known = {
        (language.language_id, language.code)
        for site in sites
        for language in site.languages
        if language.enabled
    }
    return ", ".join(f"{language_id} ({code})" for language_id, code in sorted(known)) or "none"
