"""template.yaml: who may read which secret, what is logged, and what holds a flood back."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from cfnlint import decode  # type: ignore[import-untyped]  # it has no types

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
TOKENS = "TokenSecretArn"
SECRETS = {"DatabaseSecretArn", "SolrSecretArn", "Typo3SecretArn", TOKENS}
CHECKS_TOKENS = {"AuthorizerFunction", "BedrockActionFunction"}
SECRET_VARIABLES = {
    "RETRIEVAL_SOLR_SECRET": "SolrSecretArn",
    "RETRIEVAL_TYPO3_SECRET": "Typo3SecretArn",
    "RETRIEVAL_TOKEN_SECRET": TOKENS,
}


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    found, _problems = decode.decode(str(TEMPLATE))
    return dict(found or {})


@pytest.fixture(scope="module")
def functions(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::Serverless::Function"
    }


def found(node: Any, key: str) -> Iterator[Any]:
    """Every value of *key*, however deep."""
    if isinstance(node, Mapping):
        for name, value in node.items():
            if name == key:
                yield value
            yield from found(value, key)
    elif isinstance(node, list):
        for each in node:
            yield from found(each, key)


def readable(function: Mapping[str, Any]) -> set[str]:
    """The secrets that a function's role may read."""
    return {str(arn["Ref"]) for arn in found(function.get("Policies", []), "SecretArn")}


def test_each_function_has_a_role_of_its_own(functions: dict[str, dict[str, Any]]) -> None:
    assert functions
    assert not [name for name, function in functions.items() if "Role" in function]


def test_only_who_checks_tokens_reads_their_keys(functions: dict[str, dict[str, Any]]) -> None:
    readers = {name for name, function in functions.items() if TOKENS in readable(function)}
    assert readers == CHECKS_TOKENS & functions.keys()


def test_a_function_reads_the_secrets_that_it_is_told_of_and_no_other(
    functions: dict[str, dict[str, Any]],
) -> None:
    for name, function in functions.items():
        variables = function.get("Environment", {}).get("Variables", {})
        told = {arn for variable, arn in SECRET_VARIABLES.items() if variable in variables}
        assert readable(function) - {"DatabaseSecretArn"} == told, name
        assert readable(function) <= SECRETS, name


def test_health_reads_nothing(functions: dict[str, dict[str, Any]]) -> None:
    assert readable(functions["HealthFunction"]) == set()


def test_no_policy_is_for_every_secret(template: dict[str, Any]) -> None:
    for arn in found(template["Resources"], "SecretArn"):
        assert set(arn) == {"Ref"}
    text = json.dumps(template["Resources"], default=str)
    assert "secretsmanager:*" not in text
    assert "AWSSecretsManagerRotationPolicy" not in text


def test_the_authorizer_is_in_the_vpc_only_when_it_asks_the_database(
    template: dict[str, Any], functions: dict[str, dict[str, Any]]
) -> None:
    assert functions["AuthorizerFunction"]["VpcConfig"]["Fn::If"][0] == "AuthorizerInVpc"
    condition = json.dumps(template["Conditions"]["AuthorizerInVpc"], default=str)
    assert "InVpc" in condition
    assert "AsksDatabaseForUsers" in condition


def test_the_access_log_has_neither_tokens_nor_questions(template: dict[str, Any]) -> None:
    properties = template["Resources"]["Api"]["Properties"]
    condition, setting, _otherwise = properties["AccessLogSetting"]["Fn::If"]
    assert condition == "LogsAccess"
    fields = json.loads(setting["Format"])
    assert {"request_id", "route", "status"} <= fields.keys()
    assert set(fields.values()) == {
        f"$context.{name}"
        for name in (
            *("requestId", "requestTime", "httpMethod", "resourcePath", "status"),
            *("error.responseType", "authorizer.principalId", "identity.sourceIp"),
            *("responseLatency", "responseLength"),
        )
    }
    (everything,) = properties["MethodSettings"]
    assert everything["DataTraceEnabled"] is False  # it would log bodies and headers
    assert "LoggingLevel" not in everything


def test_the_stage_and_the_usage_plan_are_throttled(template: dict[str, Any]) -> None:
    (everything,) = template["Resources"]["Api"]["Properties"]["MethodSettings"]
    assert (everything["ResourcePath"], everything["HttpMethod"]) == ("/*", "*")
    assert everything["ThrottlingRateLimit"] == {"Ref": "ThrottlingRate"}
    plan = template["Resources"]["UsagePlan"]["Properties"]
    assert plan["Throttle"]["RateLimit"] == {"Ref": "ThrottlingRate"}
    assert plan["ApiStages"]


def test_a_web_acl_may_stand_in_front(template: dict[str, Any]) -> None:
    association = template["Resources"]["WebAclAssociation"]
    assert association["Condition"] == "HasWebAcl"
    assert association["Properties"]["WebACLArn"] == {"Ref": "WebAclArn"}


def test_no_gateway_answer_repeats_what_the_caller_sent(template: dict[str, Any]) -> None:
    responses = template["Resources"]["Api"]["Properties"]["GatewayResponses"]
    used = set(re.findall(r"\$[A-Za-z.]+(?:\([^)]*\))?", json.dumps(responses, default=str)))
    assert used <= {"$context.requestId", "$context.error.messageString"}


def test_each_exception_of_checkov_has_its_reason() -> None:
    lines = (TEMPLATE.parent / ".checkov.yaml").read_text().splitlines()
    skipped = [number for number, line in enumerate(lines) if line.strip().startswith("- CKV")]
    assert skipped
    assert all(lines[number - 1].strip().startswith("#") for number in skipped)
