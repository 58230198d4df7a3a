from dataclasses import FrozenInstanceError

import pytest

from tests.unit.core.fakes import FakeBackend, document, hit
from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.cascade import Cascade
from typo3_retrieval.core.query import RetrievalQuery
from typo3_retrieval.core.source_id import SourceId


def test_public_only_means_an_anonymous_visitors_groups() -> None:
    assert AccessContext.public_only(BackendUser("7")).frontend_groups == (0, -1)


def test_a_backend_user_needs_a_subject() -> None:
    with pytest.raises(ValueError, match="subject"):
        BackendUser("")


def test_the_right_to_read_cannot_be_widened() -> None:
    access = AccessContext.public_only(BackendUser("7"))
    with pytest.raises(FrozenInstanceError):
        access.frontend_groups = (0, -1, 1)  # type: ignore[misc]  # what the test is about


@pytest.mark.parametrize("nobody", [None, "7", 7])
def test_it_cannot_be_made_without_an_acting_backend_user(nobody: object) -> None:
    with pytest.raises(TypeError):
        AccessContext(nobody)  # type: ignore[arg-type]  # what the test is about


@pytest.mark.parametrize("nothing", [None, (0, -1)])
def test_without_it_nothing_is_searched_or_read(nothing: object) -> None:
    backend = FakeBackend(name="fake", hits=[hit()], documents=[document("text")])
    cascade = Cascade([backend])
    with pytest.raises(TypeError):
        cascade.search(RetrievalQuery.of("waste"), nothing)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        cascade.fetch(SourceId.parse("fake:1"), nothing)  # type: ignore[arg-type]
    assert backend.asked == []
