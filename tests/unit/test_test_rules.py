"""The rules that tests/conftest.py sets for every test."""

import os
import socket
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
SKIPPING = """
import pytest

def test_skips_itself():
    pytest.skip("no reason is good enough")
"""
SKIPPING_WHOLLY = """
import pytest

pytest.skip("nor is this one", allow_module_level=True)
"""


def test_sockets_are_closed() -> None:
    # The refusal comes with a warning, and warnings are errors here.
    with pytest.raises(UserWarning, match=r"tried to use socket\.socket"):
        socket.socket()


def test_settings_from_outside_do_not_arrive() -> None:
    assert not [name for name in os.environ if name.startswith(("AWS_", "RETRIEVAL_"))]


@pytest.mark.parametrize("module", [SKIPPING, SKIPPING_WHOLLY])
def test_a_skip_fails_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setenv("CI", "true")
    outcome = _run(pytester, module)
    assert outcome.ret != 0
    outcome.stdout.fnmatch_lines(["*Skipped, which CI does not allow: *"])


def test_a_skip_is_a_skip_elsewhere(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    _run(pytester, SKIPPING).assert_outcomes(skipped=1)


def _run(pytester: pytest.Pytester, module: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makepyfile(module)
    return pytester.runpytest_subprocess()
