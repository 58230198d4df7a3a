"""The wire models' schemas in the dialect of OpenAPI 3.0.3, which is no JSON Schema of today.

Null is no type there but ``nullable``, beside a `$ref` nothing counts, and there is no `const`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from typo3_retrieval.edge.wire_texts import FIELDS

Schema = dict[str, Any]

_NULL = {"type": "null"}
_DROPPED = ("title", "default")
# What the code checks beyond the types, where the dialect can say it.
_LIMITS: Mapping[tuple[str, str], Schema] = {
    ("QueryRequest", "question"): {"minLength": 2},
    ("FetchRequest", "source_id"): {
        "maxLength": 200,
        "pattern": "^[a-z][a-z0-9_]{0,30}(:[A-Za-z0-9_.-]{1,64}){1,4}$",
    },
}


def component_schemas(models: Iterable[type[BaseModel]]) -> dict[str, Schema]:
    """The schemas of *models* and of all that they hold, by name, for `components`."""
    wanted: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        (model, "serialization") for model in models
    ]
    _, document = models_json_schema(wanted, ref_template="#/components/schemas/{model}")
    texts = {model.__name__: fields for model, fields in FIELDS.items()}
    components = {}
    for name, schema in document["$defs"].items():
        component = _converted(schema, document["$defs"])
        for field, described in component.get("properties", {}).items():
            described |= _LIMITS.get((name, field), {})
            text = texts.get(name, {}).get(field)
            component["properties"][field] = _with_description(described, text)
        components[name] = component
    return components


def _converted(node: Any, definitions: Mapping[str, Schema]) -> Any:
    """*node* without what 3.0.3 does not know."""
    if isinstance(node, list):
        return [_converted(each, definitions) for each in node]
    if not isinstance(node, dict):
        return node
    schema = {
        name: {key: _converted(each, definitions) for key, each in value.items()}
        if name == "properties"  # whose keys are names, not keywords
        else _converted(value, definitions)
        for name, value in node.items()
        if name not in _DROPPED
    }
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    branches = schema.get("anyOf", [])
    if _NULL not in branches:
        return schema
    del schema["anyOf"]
    others = [_nullable(each, definitions) for each in branches if each != _NULL]
    return schema | (others[0] if len(others) == 1 else {"anyOf": others})


def _nullable(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """*schema* or null: `nullable` counts beside a type only, an enumeration must hold null too."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = _converted(definitions[name], definitions)
    enum = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **enum, "nullable": True}


def _with_description(schema: Schema, text: str | None) -> Schema:
    if text is None:
        return schema
    if "$ref" in schema:
        schema = {"allOf": [schema]}
    return schema | {"description": text}
