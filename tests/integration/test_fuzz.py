"""A bounded run of the fuzzer; `python -m tests.integration.fuzzing` makes a long one."""

from pathlib import Path

import pytest

from tests.integration.fuzzing import fuzz

REQUESTS = 500  # `make fuzz` sends 10,000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzzed")


def test_hostile_requests_are_answered_and_break_nothing(folder: Path) -> None:
    figures = fuzz(REQUESTS, 20261130, folder)
    assert figures.good, (figures.as_json(), figures.trouble[:5])
    assert figures.requests == REQUESTS
    assert figures.statuses[200] > REQUESTS // 5  # most reach a backend, else nothing is tried
    assert {400, 401, 404, 413} <= figures.statuses.keys()
