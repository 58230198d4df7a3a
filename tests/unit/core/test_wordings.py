import pytest

from tests.unit.core.fakes import hit
from typo3_retrieval.core.backend import SearchAnswer
from typo3_retrieval.core.errors import BackendUnavailable
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.wordings import search_wordings

A, B, C = hit("fake:1"), hit("fake:2"), hit("fake:3")
ANSWERS = {
    "waste": SearchAnswer([A, B], ("Narrowed.",)),
    "rubbish": SearchAnswer([B, C], ("Narrowed.", "Other.")),
    "garbage": SearchAnswer([]),
}


def test_one_wording_keeps_its_answer() -> None:
    answer = search_wordings(RetrievalQuery.of("waste"), ANSWERS.__getitem__)
    assert answer is ANSWERS["waste"]


def test_what_more_wordings_find_comes_first_and_each_note_once() -> None:
    query = RetrievalQuery.of("waste", alternatives=("rubbish", "garbage"))
    answer = search_wordings(query, ANSWERS.__getitem__)
    assert list(answer.sources) == [B, A, C]
    assert answer.notes == ("Narrowed.", "Other.")


def test_a_hit_keeps_the_excerpt_of_the_first_wording_that_found_it() -> None:
    first, second = hit("fake:1", excerpt="first"), hit("fake:1", excerpt="second")
    answers = {"waste": SearchAnswer([first]), "rubbish": SearchAnswer([second])}
    query = RetrievalQuery.of("waste", alternatives=("rubbish",))
    assert list(search_wordings(query, answers.__getitem__).sources) == [first]


def test_a_failure_of_any_wording_is_a_failure() -> None:
    def search(wording: str) -> SearchAnswer:
        if wording == "rubbish":
            raise BackendUnavailable("refused")
        return ANSWERS[wording]

    with pytest.raises(BackendUnavailable):
        search_wordings(RetrievalQuery.of("waste", alternatives=("rubbish",)), search)
