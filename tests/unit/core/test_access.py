from dataclasses import FrozenInstanceError

import pytest

from typo3_retrieval.core.access import AccessContext, BackendUser


def test_public_only_means_an_anonymous_visitors_groups() -> None:
    assert AccessContext.public_only(BackendUser("7")).frontend_groups == (0, -1)


def test_a_backend_user_needs_a_subject() -> None:
    with pytest.raises(ValueError, match="subject"):
        BackendUser("")


def test_the_right_to_read_cannot_be_widened() -> None:
    access = AccessContext.public_only(BackendUser("7"))
    with pytest.raises(FrozenInstanceError):
        access.frontend_groups = (0, -1, 1)  # type: ignore[misc]  # what the test is about
