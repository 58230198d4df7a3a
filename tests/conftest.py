"""What every test gets: closed sockets, no settings from outside, and nothing skipped in CI."""

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import hypothesis
import pytest

from tests.servers import TRUTH, mariadb, solr

pytest_plugins = ["pytester", "tests.servers.fixtures"]

IN_CI = os.environ.get("CI") == "true"
# The folders whose tests may talk to a server, and to this machine's own only.
WITH_SERVERS = tuple(Path(__file__).parent / name for name in ("integration", "conformance"))
LOOPBACK = ["127.0.0.1", "::1"]

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# A deadline would measure the machine. In CI the same examples each time: red must mean a change.
hypothesis.settings.register_profile("ours", deadline=None, derandomize=IN_CI)
hypothesis.settings.load_profile("ours")


def pytest_configure() -> None:
    """Let SIGTERM end a run as Ctrl-C does, so that no server is left behind."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_report_header() -> list[str]:
    """Name what the results depend on."""
    recorded = TRUTH if TRUTH.is_dir() else f"not at {TRUTH}"
    servers = [f"mariadb: {mariadb.describe()}", f"solr: {solr.describe()}"]
    return [*servers, f"recorded site: {recorded}"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Open loopback where servers are needed; pytest-socket keeps the rest closed."""
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in WITH_SERVERS):
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed one: what it should show has not been shown."""
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself."""
    return _refuse_skip((yield))


def _refuse_skip(report: Report) -> Report:
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"Skipped, which CI does not allow: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's own settings and AWS account out of every test."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "POWERTOOLS_", "RETRIEVAL_", "TYPO3_")):
            monkeypatch.delenv(name)
