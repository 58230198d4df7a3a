"""The API's descriptions: complete, true to the wire models, and within each reader's dialect."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from openapi_spec_validator import OpenAPIV30SpecValidator
from pydantic import BaseModel

from tests.unit.edge.fakes import NOW, event
from tests.unit.edge.real_functions import load
from typo3_retrieval.edge import models
from typo3_retrieval.edge.openapi import bedrock_document, document, examples, server_of
from typo3_retrieval.edge.tools import SITE_TOOLS
from typo3_retrieval.edge.wire_texts import FIELDS
from typo3_retrieval_cli.server.template import read_template

TEMPLATE = Path(__file__).parents[3] / "template.yaml"
MODELS = [
    each
    for each in vars(models).values()
    if isinstance(each, type)
    and issubclass(each, BaseModel)
    and each.__module__ == models.__name__
    and each.model_fields
]
EXAMPLES: list[tuple[type[BaseModel], Any]] = [
    (models.QueryRequest, examples.QUERY),
    (models.QueryResponse, examples.EVIDENCE),
    (models.FetchRequest, examples.FETCH),
    (models.FetchResponse, examples.DOCUMENT),
    (models.KeywordRequest, examples.KEYWORDS),
    (models.KeywordResponse, examples.HITS),
    (models.Problem, examples.problem(404, "Not Found", "There is no such route.")),
]


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return document()


def operations(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


# --- of all routes ---------------------------------------------------------------------------


def test_the_document_is_openapi_3_0_3(described: dict[str, Any]) -> None:
    assert described["openapi"] == "3.0.3"
    OpenAPIV30SpecValidator(described).validate()


def test_it_tells_of_every_route_of_the_template(described: dict[str, Any]) -> None:
    routes = {
        (route.path, "POST" if route.method == "ANY" else route.method)
        for route in read_template(TEMPLATE).routes
    }

    assert {(path, method) for path, method, _ in operations(described)} == routes


def test_every_route_needs_a_token_and_tells_every_error(described: dict[str, Any]) -> None:
    assert described["security"] == [{"BackendToken": []}]
    for path, _, operation in operations(described):
        assert "security" not in operation
        told = set(operation["responses"])
        assert told >= {"200", "400", "401", "403", "413", "429", "500", "503", "504"}, path
    assert "404" in described["paths"]["/fetch-source"]["post"]["responses"]


def test_the_errors_are_those_of_the_gateway(described: dict[str, Any]) -> None:
    """What the gateway answers by itself stands in the template, with status and detail."""
    details = {
        response["example"]["detail"]
        for each in described["components"]["responses"].values()
        for response in each["content"].values()
    }
    for kind, gateway in read_template(TEMPLATE).responses.items():
        if kind.startswith("DEFAULT") or gateway.body is None:
            continue
        detail = gateway.body.partition('"detail":"')[2].partition('"')[0]
        known = {"There is no such route.", "The body is too large."}
        assert detail in details | known, kind


@pytest.mark.parametrize(("model", "example"), EXAMPLES)
def test_the_examples_are_true(model: type[BaseModel], example: Any) -> None:
    checked = model.model_validate_json(json.dumps(example))

    assert checked.model_dump(mode="json", exclude_unset=True) == example


def test_every_example_stands_in_the_document(described: dict[str, Any]) -> None:
    for _, _, operation in operations(described):
        for content in operation["responses"]["200"]["content"].values():
            assert content["example"]
        if "requestBody" in operation:
            (content,) = operation["requestBody"]["content"].values()
            assert content["example"]


@pytest.mark.parametrize("model", MODELS)
def test_every_field_is_explained(model: type[BaseModel]) -> None:
    assert FIELDS[model].keys() == model.model_fields.keys()


def test_the_explanations_are_in_the_document(described: dict[str, Any]) -> None:
    for model, texts in FIELDS.items():
        schema = described["components"]["schemas"].get(model.__name__)
        for name, text in texts.items() if schema else ():
            assert schema["properties"][name]["description"] == text


def test_no_word_of_a_newer_dialect_is_left(described: dict[str, Any]) -> None:
    for schema in walk(described["components"]["schemas"]):
        assert schema.keys().isdisjoint({"const", "prefixItems", "$defs", "examples", "title"})
        assert not isinstance(schema.get("type"), list)
        assert schema.get("type") != "null"
        assert "nullable" not in schema or "type" in schema or "oneOf" in schema


def test_what_may_be_null_is_told(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]

    assert schemas["FetchResponse"]["properties"]["next_offset"]["nullable"] is True
    assert schemas["Source"]["properties"]["confidence"]["enum"][-1] is None
    language = schemas["QueryRequest"]["properties"]["language"]
    assert [each["type"] for each in language["anyOf"]] == ["integer", "string"]
    assert all(each["nullable"] for each in language["anyOf"])


def test_the_address_is_put_in_where_it_is_known() -> None:
    assert document("https://api.example.org/v1")["servers"] == [
        {"url": "https://api.example.org/v1"}
    ]


def test_the_function_serves_it(described: dict[str, Any]) -> None:
    recorded = event("openapi")
    recorded["requestContext"]["authorizer"]["exp"] = str(NOW * 2)

    response = load("openapi")(recorded, None)

    assert response["statusCode"] == 200
    address = "https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/v1"
    assert json.loads(response["body"]) == described | {"servers": [{"url": address}]}


def test_where_no_domain_is_told_no_address_is() -> None:
    assert server_of({"resource": "/openapi.json", "requestContext": {"path": "/x"}}) is None


def test_the_function_serves_nobody_without_a_token() -> None:
    assert load("openapi")(event("openapi", requestContext={}), None)["statusCode"] == 401


# --- for Amazon Bedrock ----------------------------------------------------------------------

BEDROCK_SCHEMA_WORDS = {"type", "properties", "required", "items", "description"}
MAX_OPERATIONS = 11
MAX_FUNCTION = 1200  # characters of a description
MAX_PARAMETER = 500


def restrictions(described: dict[str, Any]) -> Iterator[str]:
    """What in *described* an action group of Amazon Bedrock would not take."""
    if described["openapi"] not in ("3.0.0", "3.0.3"):
        yield "the version of OpenAPI"
    if "$ref" in json.dumps(described):
        yield "a reference"
    found = list(operations(described))
    if len(found) > MAX_OPERATIONS:
        yield "too many operations"
    for path, _, operation in found:
        yield from (f"{path}: {each}" for each in of_operation(operation))


def of_operation(operation: dict[str, Any]) -> Iterator[str]:
    if not operation.get("operationId", "").replace("_", "").isalnum():
        yield "the operation's id"
    if not 0 < len(operation.get("description", "")) <= MAX_FUNCTION:
        yield "the description"
    body = operation["requestBody"]["content"]
    if list(body) != ["application/json"]:
        yield "the content type"
    asked = body["application/json"]["schema"]
    answered = operation["responses"]["200"]["content"]["application/json"]["schema"]
    for schema in (*walk(asked), *walk(answered)):
        yield from of_schema(schema)
    for name, parameter in asked["properties"].items():
        if parameter.get("type") not in ("string", "number", "integer", "boolean"):
            yield f"the type of {name}"
        if not parameter.get("description"):
            yield f"{name} has no description"


def of_schema(schema: dict[str, Any]) -> Iterator[str]:
    if not schema.keys() <= BEDROCK_SCHEMA_WORDS:
        yield f"{schema.keys() - BEDROCK_SCHEMA_WORDS}"
    if not isinstance(schema.get("type"), str):
        yield "a type"
    if len(schema.get("description", "")) > MAX_PARAMETER:
        yield "a parameter's description"


def walk(node: Any) -> Iterator[dict[str, Any]]:
    """Every schema in a schema, or in a mapping of them."""
    if isinstance(node, list):
        for each in node:
            yield from walk(each)
    elif isinstance(node, dict):
        if {"type", "$ref", "anyOf", "oneOf", "allOf", "properties", "enum"} & node.keys():
            yield node
        for name, each in node.items():
            if name == "properties":
                for schema in each.values():
                    yield from walk(schema)
            elif name not in ("example", "required"):
                yield from walk(each)


def test_bedrocks_document_keeps_its_restrictions() -> None:
    assert list(restrictions(bedrock_document())) == []
    OpenAPIV30SpecValidator(bedrock_document()).validate()


SCHEMA = ("requestBody", "content", "application/json", "schema")


@pytest.mark.parametrize(
    ("place", "value", "complaint"),
    [
        (("openapi",), "3.1.0", "version"),
        (("paths", "/query", "post", "description"), "x" * 1201, "description"),
        (("paths", "/query", "post", "operationId"), "a b", "id"),
        (("paths", "/query", "post", *SCHEMA, "enum"), ["a"], "enum"),
        (("paths", "/query", "post", *SCHEMA, "properties", "site"), {"$ref": "#/x"}, "reference"),
        (("paths", "/query", "post", *SCHEMA, "nullable"), True, "nullable"),
    ],
)
def test_the_checker_finds_what_bedrock_would_not_take(
    place: tuple[str, ...], value: object, complaint: str
) -> None:
    described: Any = bedrock_document()
    node = described
    for name in place[:-1]:
        node = node[name]
    node[place[-1]] = value

    assert complaint in " ".join(restrictions(described))


def test_bedrocks_document_has_the_tools() -> None:
    described = bedrock_document()

    assert [operation["operationId"] for _, _, operation in operations(described)] == [
        tool.name for tool in SITE_TOOLS
    ]
    assert set(described["paths"]) <= set(document()["paths"])


def test_values_that_there_are_stand_in_the_description() -> None:
    text = json.dumps(bedrock_document())

    assert "How much of the question's meaning the source covers: high, medium, low" in text


def test_bedrocks_document_is_the_same_as_yaml() -> None:
    assert yaml.safe_load(json.dumps(bedrock_document())) == bedrock_document()
