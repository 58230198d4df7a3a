"""JSON Schemas of the wire models: self-contained, and in the narrow dialects that clients know.

A schema here is a tree without `$ref`. A field that may be null has ``"type": [X, "null"]`` (or
`null` among an `anyOf`); the functions below say it the way a dialect does.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from typo3_retrieval.edge.wire_texts import FIELDS

Schema = dict[str, Any]

_KEPT = ("type", "anyOf", "items", "properties", "required", "enum", "description")
_NULL = {"type": "null"}


def schema_of(model: type[BaseModel]) -> Schema:
    """The schema of *model*, with each field's meaning, in JSON Schema 2020-12."""
    document = model.model_json_schema(mode="serialization")
    meanings = {each.__name__: texts for each, texts in FIELDS.items()}
    return _tidied(document, document.get("$defs", {}), meanings)


def _tidied(node: Schema, definitions: Schema, meanings: Mapping[str, Mapping[str, str]]) -> Schema:
    """Resolve references, drop what only decorates, put in the fields' meanings."""
    if "$ref" in node:
        node = definitions[node["$ref"].rpartition("/")[2]]
    title = str(node.get("title", ""))
    tidy: Schema = {name: node[name] for name in _KEPT if name in node}
    tidy.pop("description", None)  # the model's docstring, for its readers
    if "items" in tidy:
        tidy["items"] = _tidied(tidy["items"], definitions, meanings)
    if "anyOf" in tidy:
        tidy = _joined([_tidied(each, definitions, meanings) for each in tidy["anyOf"]])
    for name, field in tidy.get("properties", {}).items():
        text = meanings.get(title, {}).get(name)
        described = _tidied(field, definitions, meanings)
        tidy["properties"][name] = described | ({"description": text} if text else {})
    return tidy


def _joined(branches: list[Schema]) -> Schema:
    """One of several types; X or null is one schema with two types."""
    others = [each for each in branches if each != _NULL]
    if len(others) == len(branches):
        return {"anyOf": branches}
    if len(others) > 1:
        return {"anyOf": branches}
    joined = dict(others[0])
    joined["type"] = [joined["type"], "null"]
    if "enum" in joined:
        joined["enum"] = [*joined["enum"], None]
    return joined


def is_nullable(schema: Schema) -> bool:
    """Whether null is among what *schema* takes."""
    kinds = schema.get("type")
    return (isinstance(kinds, list) and "null" in kinds) or _NULL in schema.get("anyOf", ())


def without_null(schema: Schema) -> Schema:
    """The same but for null."""
    plain = dict(schema)
    if isinstance(plain.get("type"), list):
        plain["type"] = next(kind for kind in plain["type"] if kind != "null")
    if "enum" in plain:
        plain["enum"] = [value for value in plain["enum"] if value is not None]
    if "anyOf" in plain:
        plain["anyOf"] = [each for each in plain["anyOf"] if each != _NULL]
        if len(plain["anyOf"]) == 1:
            only: Schema = plain.pop("anyOf")[0]
            return only | plain
    return plain


def mapped(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """*schema* with *change* made to it and to every schema within, from the outside in."""
    changed = change(dict(schema))
    if "properties" in changed:
        changed["properties"] = {
            name: mapped(each, change) for name, each in changed["properties"].items()
        }
    if "items" in changed:
        changed["items"] = mapped(changed["items"], change)
    if "anyOf" in changed:
        changed["anyOf"] = [mapped(each, change) for each in changed["anyOf"]]
    return changed


def plain(schema: Schema) -> Schema:
    """For readers that know type, properties, required, items and description, and no null.

    What may be null is not required; of several types text stands for all; the values of an
    enumeration go into the description.
    """

    def change(node: Schema) -> Schema:
        nullable = {name for name, it in node.get("properties", {}).items() if is_nullable(it)}
        node = without_null(node)
        if "anyOf" in node:
            del node["anyOf"]
            node["type"] = "string"
        if "enum" in node:
            values = ", ".join(map(str, node.pop("enum")))
            node["description"] = f"{node.get('description', 'One of these')}: {values}"
        if "required" in node:
            node["required"] = [name for name in node["required"] if name not in nullable]
        return node

    return mapped(schema, change)
