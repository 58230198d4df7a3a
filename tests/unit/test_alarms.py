"""Each alarm of the template watches a metric that is really there, by all its dimensions."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.edge.fakes import FakeBackend, event, services_of
from tests.unit.edge.test_probe import CANARY, Indexed
from typo3_retrieval.edge.answers import answer_query
from typo3_retrieval.edge.http import http_handler
from typo3_retrieval.edge.models import QueryRequest
from typo3_retrieval.edge.probe import probe_handler
from typo3_retrieval_cli.server.template import _Loader

ROOT = Path(__file__).parents[2]
TEMPLATE = yaml.load((ROOT / "template.yaml").read_text(), _Loader)  # noqa: S506  # a safe one
BACKENDS = ("solr", "ke_search", "indexed_search", "database")
OURS = {"Ref": "AWS::StackName"}

# The dimensions by which AWS writes the metrics of its own that are watched: its documentation.
THEIRS = {
    ("AWS/ApiGateway", "5XXError"): {"ApiName", "Stage"},
    ("AWS/ApiGateway", "Latency"): {"ApiName", "Stage"},
    ("AWS/Lambda", "Throttles"): {"FunctionName"},
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): {"QueueName"},
}
Metric = tuple[str, frozenset[tuple[str, str]]]


def alarms() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each watched metric, with the name of its alarm."""
    for name, resource in TEMPLATE["Resources"].items():
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            properties = resource["Properties"]
            for each in properties.get("Metrics", ()):
                if "MetricStat" in each:
                    yield name, each["MetricStat"]["Metric"]
            if "MetricName" in properties:
                yield name, properties


WATCHED = list(alarms())


@pytest.fixture
def emitted(capsys: pytest.CaptureFixture[str]) -> set[Metric]:
    """What a probe of all backends and one request emit."""
    services = services_of(*(Indexed(name=name) for name in BACKENDS))
    probed = replace(services, settings=replace(services.settings, canaries=(CANARY,)))
    probe_handler(probed)({}, None)
    asked = services_of(FakeBackend(name="database"))
    handler = http_handler(QueryRequest, now=lambda: 1796031600.0)(
        lambda request, access: answer_query(asked, request, access)
    )
    handler(event("query"), None)
    return set(metrics(capsys.readouterr().out))


def metrics(out: str) -> Iterator[Metric]:
    """The metrics in the embedded format, each with its dimensions and their values."""
    for line in map(json.loads, out.splitlines()):
        for directive in line["_aws"]["CloudWatchMetrics"]:
            for names in directive["Dimensions"]:
                dimensions = frozenset((name, line[name]) for name in names)
                for metric in directive["Metrics"]:
                    yield metric["Name"], dimensions


def test_there_are_alarms_for_what_operators_must_know() -> None:
    assert {properties["MetricName"] for _, properties in WATCHED} >= {
        "BackendUp",
        "BackendsDown",
        "5XXError",
        "Throttles",
        "Latency",
        "Fallback",
    }


@pytest.mark.parametrize(("name", "alarm"), WATCHED, ids=[name for name, _ in WATCHED])
def test_an_alarm_watches_a_metric_that_is_there(
    name: str, alarm: Mapping[str, Any], emitted: set[Metric]
) -> None:
    dimensions = {each["Name"]: each["Value"] for each in alarm["Dimensions"]}
    if alarm["Namespace"] == OURS:
        assert (alarm["MetricName"], frozenset(dimensions.items())) in emitted, name
    else:
        assert THEIRS[alarm["Namespace"], alarm["MetricName"]] == set(dimensions), name


def test_the_namespace_of_the_metrics_is_that_of_the_alarms() -> None:
    variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["POWERTOOLS_METRICS_NAMESPACE"] == OURS


def test_the_api_has_the_name_that_the_alarms_expect() -> None:
    assert TEMPLATE["Resources"]["Api"]["Properties"]["Name"] == OURS


@pytest.mark.parametrize(
    ("name", "resource"),
    [
        (name, resource)
        for name, resource in TEMPLATE["Resources"].items()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    ],
)
def test_every_alarm_tells_the_topic(name: str, resource: Mapping[str, Any]) -> None:
    actions = resource["Properties"]["AlarmActions"]["Fn::If"]
    assert actions[:2] == ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}]], name
    assert resource["Properties"]["AlarmDescription"]


def test_the_dashboard_is_json_and_shows_our_metrics(emitted: set[Metric]) -> None:
    text = TEMPLATE["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    known = {name for name, _ in emitted}
    for widget in json.loads(text)["widgets"]:
        for metric in widget["properties"]["metrics"]:
            if metric[0] == "${AWS::StackName}":
                assert metric[1] in known


def test_a_function_with_a_version_publishes_one_for_each_release() -> None:
    for name, resource in TEMPLATE["Resources"].items():
        properties = resource.get("Properties", {})
        if "AutoPublishAlias" in properties:
            # Without it a new layer alone would leave the alias on the old one.
            assert properties["AutoPublishCodeSha256"] == {"Ref": "Release"}, name
