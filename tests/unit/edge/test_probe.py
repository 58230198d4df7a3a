"""The probe: each backend by itself, and what the alarms hear of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.unit.edge.fakes import NOW, SITES, FakeBackend, services_of
from typo3_retrieval.core.errors import BackendUnavailable, ConfigurationError
from typo3_retrieval.edge.probe import Report, probe, probe_handler
from typo3_retrieval.edge.services import Services
from typo3_retrieval.edge.settings import Canary
from typo3_retrieval.plugin import Availability, IndexState, unavailable

CANARY = Canary(site="main", question="When is bulky waste collected?", page=3)
FULL = IndexState(documents=12, newest=NOW - 60)
DOWN = BackendUnavailable("10.0.0.7 refused", reason="refused")


@dataclass
class Indexed(FakeBackend):
    """A backend that tells about its index."""

    state: IndexState = FULL
    off: str = ""

    def availability(self) -> Availability:
        return unavailable(self.off) if self.off else super().availability()

    def index_state(self) -> IndexState:
        return self.state


def probed(*backends: FakeBackend, **settings: Any) -> Report:
    return probe(with_settings(services_of(*backends), **settings))


def with_settings(services: Services, **settings: Any) -> Services:
    return replace(services, now=lambda: NOW, settings=replace(services.settings, **settings))


def test_a_backend_that_answers_rightly_is_up() -> None:
    report = probed(Indexed(), canaries=(CANARY,))
    (only,) = report.backends
    assert (only.configured, only.reachable, only.is_up, only.is_right) == (True,) * 4
    assert (only.documents, only.index_age) == (12, 60)
    assert [canary.hit for canary in only.canaries] == [True]
    assert report.is_healthy


def test_one_that_fails_is_down_and_the_next_is_asked_all_the_same() -> None:
    report = probed(FakeBackend(name="solr", error=DOWN), FakeBackend(name="database"))
    solr, database = report.backends
    assert (solr.is_up, solr.reason, solr.expected) == (False, "refused", True)
    assert database.is_up
    assert not report.is_healthy


def test_one_that_is_not_configured_is_off() -> None:
    report = probed(Indexed(name="solr", off="no core configured"), FakeBackend(name="database"))
    solr = report.backends[0]
    assert (solr.configured, solr.expected, solr.is_right) == (False, False, True)
    assert solr.reason == "no core configured"
    assert report.is_healthy


def test_one_that_the_operator_names_must_not_be_off() -> None:
    solr = Indexed(name="solr", off="no core configured")
    report = probed(solr, FakeBackend(name="database"), backends=("solr", "database"))
    assert not report.backends[0].is_right
    assert not report.is_healthy


def test_if_all_are_off_nothing_is_healthy() -> None:
    assert not probed(Indexed(off="no database configured")).is_healthy


def test_an_empty_index_is_not_up() -> None:
    report = probed(Indexed(state=IndexState(documents=0, newest=None)))
    assert report.backends[0].reachable
    assert not report.backends[0].is_up
    assert not report.is_healthy


def test_the_wrong_page_is_wrong_though_the_backend_is_up() -> None:
    report = probed(Indexed(), canaries=(replace(CANARY, page=99),))
    assert report.backends[0].is_up
    assert not report.is_healthy


def test_a_future_index_is_new_whatever_the_clocks_say() -> None:
    report = probed(Indexed(state=IndexState(documents=1, newest=NOW + 3600)))
    assert report.backends[0].index_age == 0


def test_a_strangers_error_is_a_backend_that_is_down() -> None:
    report = probed(FakeBackend(error=ZeroDivisionError()))
    assert report.backends[0].reason == "internal error"


@pytest.mark.parametrize("canary", [replace(CANARY, site="mian"), replace(CANARY, language=7)])
def test_a_canary_for_what_does_not_exist_is_the_operators_error(canary: Canary) -> None:
    assert len(SITES) == 1
    with pytest.raises(ConfigurationError, match="RETRIEVAL_CANARIES"):
        probed(Indexed(), canaries=(canary,))


def emitted(out: str) -> list[Mapping[str, Any]]:
    """The metrics among printed lines."""
    return [line for line in map(json.loads, out.splitlines()) if "_aws" in line]


def values(out: str, name: str) -> dict[str, float]:
    """By backend."""
    return {line.get("backend", ""): line[name][0] for line in emitted(out) if name in line}


def test_the_alarms_hear_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    services = services_of(Indexed(name="solr"), FakeBackend(name="database", error=DOWN))
    services = with_settings(services, canaries=(CANARY,))
    document = probe_handler(services)({}, None)
    out = capsys.readouterr().out
    assert values(out, "BackendUp") == {"solr": 1, "database": 0}
    assert values(out, "CanaryHit") == {"solr": 1, "database": 0}
    assert values(out, "IndexAge") == {"solr": 60}
    assert set(values(out, "BackendLatency")) == {"solr"}
    assert values(out, "BackendsDown") == {"": 1}
    assert document["healthy"] is False
    json.dumps(document)  # what Lambda does with it
