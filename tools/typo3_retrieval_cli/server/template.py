"""Reads from template.yaml what a local server needs to know."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

DEFAULT_TIMEOUT = 3  # seconds; Lambda's own default
DEFAULT_CACHE = 300  # seconds; API Gateway's own default for ReauthorizeEvery
ANY_TOKEN = ".*"  # noqa: S105  # a pattern, not a password

Node = Mapping[str, Any]


class TemplateError(Exception):
    """The template cannot be read, or says something that this server does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One AWS::Serverless::Function."""

    name: str  # its logical id
    code: Path  # the folder that CodeUri names
    handler: str  # "module.function"
    timeout: int = DEFAULT_TIMEOUT  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One Api event of a function."""

    method: str  # upper case, or ANY
    path: str
    function: Function
    authorized: bool = True  # through the authorizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorizer:
    """The API's default authorizer, of type TOKEN."""

    function: Function
    header: str = "Authorization"
    validation: str = ANY_TOKEN  # pattern of the whole header
    cache: int = DEFAULT_CACHE  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayResponse:
    """What the gateway answers by itself; None leaves its own default."""

    status: int | None = None
    body: str | None = None  # with $context variables
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """All that the local server serves."""

    routes: tuple[Route, ...]
    authorizer: Authorizer | None
    responses: Mapping[str, GatewayResponse]  # by type, such as UNAUTHORIZED


def read_template(path: Path) -> Template:
    """Read the template at *path*.

    Raises:
        TemplateError: there is none, or it has no API that could be served.
    """
    document = _Document(_decode(path), path.parent)
    routes = tuple(document.routes())
    if not routes:
        raise TemplateError(f"{path}: no function has an event of type Api.")
    return Template(
        routes=routes,
        authorizer=document.authorizer(),
        responses=dict(document.responses()),
    )


def _decode(path: Path) -> Node:
    if not path.is_file():
        raise TemplateError(f"{path}: there is no such template.")
    try:
        document = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506  # a safe one
    except yaml.YAMLError as error:
        raise TemplateError(f"{path}: {error}") from error
    if not isinstance(document, Mapping):
        raise TemplateError(f"{path}: no template.")
    return document


class _Loader(yaml.SafeLoader):
    """A safe loader that knows CloudFormation's short forms.

    cfn-lint has one too, but takes four seconds of processor time to be imported.
    """


def _long_form(loader: _Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    """``!Ref x`` is ``{Ref: x}``, ``!GetAtt a.b`` is ``{Fn::GetAtt: a.b}``."""
    value: Any = None
    match node:
        case yaml.ScalarNode():
            value = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case yaml.MappingNode():
            value = loader.construct_mapping(node, deep=True)
    return {name if name in ("Ref", "Condition") else f"Fn::{name}": value}


_Loader.add_multi_constructor("!", _long_form)


class _Document:
    """The decoded template, with Globals and parameters' defaults put in."""

    def __init__(self, document: Node, root: Path) -> None:
        self._root = root
        self._globals: Node = document.get("Globals", {})
        self._resources: Node = document.get("Resources", {})
        self._conditions: Node = document.get("Conditions", {})
        self._defaults = {
            name: parameter["Default"]
            for name, parameter in document.get("Parameters", {}).items()
            if "Default" in parameter
        }

    def routes(self) -> Iterator[Route]:
        for name, properties in self._functions():
            for event in properties.get("Events", {}).values():
                if event.get("Type") == "Api":
                    asked = event["Properties"]
                    yield Route(
                        method=str(asked["Method"]).upper(),
                        path=asked["Path"],
                        function=self._function(name),
                        authorized=asked.get("Auth", {}).get("Authorizer") != "NONE",
                    )

    def authorizer(self) -> Authorizer | None:
        auth = self._api().get("Auth", {})
        name = auth.get("DefaultAuthorizer")
        if not name:
            return None
        settings = auth["Authorizers"][name]
        if settings.get("FunctionPayloadType", "TOKEN") != "TOKEN":
            raise TemplateError(f"Authorizer {name}: only FunctionPayloadType TOKEN is served.")
        identity = settings.get("Identity", {})
        return Authorizer(
            function=self._function(_logical_id(settings["FunctionArn"])),
            header=identity.get("Header", "Authorization"),
            validation=identity.get("ValidationExpression", ANY_TOKEN),
            cache=int(self._value(identity.get("ReauthorizeEvery", DEFAULT_CACHE)) or 0),
        )

    def responses(self) -> Iterator[tuple[str, GatewayResponse]]:
        for kind, response in self._api().get("GatewayResponses", {}).items():
            bodies = response.get("ResponseTemplates", {})
            parameters = response.get("ResponseParameters", {}).get("Headers", {})
            headers = dict(
                _headers({name: self._value(value) for name, value in parameters.items()})
            )
            status = response.get("StatusCode")
            # API Gateway picks a template by the Accept header; ours write one.
            content_type, body = next(iter(bodies.items()), ("", None))
            if content_type:
                headers.setdefault("content-type", content_type)
            yield (
                kind,
                GatewayResponse(
                    status=None if status is None else int(status), body=body, headers=headers
                ),
            )

    def _function(self, name: str) -> Function:
        properties = dict(self._functions()).get(name)
        if properties is None:
            raise TemplateError(f"Function {name} is not in the template.")
        return Function(
            name=name,
            code=self._root / str(properties["CodeUri"]),
            handler=properties["Handler"],
            timeout=int(self._value(properties.get("Timeout", DEFAULT_TIMEOUT)) or DEFAULT_TIMEOUT),
        )

    def _functions(self) -> Iterator[tuple[str, Node]]:
        for name, resource in self._resources.items():
            if resource.get("Type") == "AWS::Serverless::Function":
                yield name, _merged(self._globals.get("Function", {}), resource["Properties"])

    def _api(self) -> Node:
        apis = [
            resource.get("Properties", {})
            for resource in self._resources.values()
            if resource.get("Type") == "AWS::Serverless::Api"
        ]
        if len(apis) > 1:
            raise TemplateError("The template has more than one API.")
        return _merged(self._globals.get("Api", {}), apis[0] if apis else {})

    def _value(self, value: Any) -> Any:
        """Follow !Ref, !Sub and !If with the parameters' defaults; None needs a deployment."""
        match value:
            case {"Ref": name}:
                return self._defaults.get(name)
            case {"Fn::Sub": str(text)}:
                return re.sub(r"\$\{(\w+)\}", lambda it: str(self._defaults.get(it[1])), text)
            case {"Fn::If": [condition, then, otherwise]}:
                return self._value(then if self._holds(condition) else otherwise)
            case Mapping():
                return None
        return value

    def _holds(self, condition: Any) -> bool:
        """Whether a condition, or the one of this name, is true with the parameters' defaults."""
        match condition:
            case str(name) | {"Condition": str(name)}:
                return self._holds(self._conditions.get(name))
            case {"Fn::Equals": [left, right]}:
                return bool(self._value(left) == self._value(right))
            case {"Fn::Not": [other]}:
                return not self._holds(other)
            case {"Fn::And": list(others)}:
                return all(map(self._holds, others))
            case {"Fn::Or": list(others)}:
                return any(map(self._holds, others))
        raise TemplateError(f"Condition {condition!r}: this server does not know it.")


def _merged(common: Node, own: Node) -> dict[str, Any]:
    """Put *own* over *common* as SAM does it for Globals: maps are merged."""
    merged = dict(common)
    for key, value in own.items():
        below = merged.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(below, value) if both else value  # type: ignore[arg-type]  # both
    return merged


def _headers(parameters: Node) -> Iterator[tuple[str, str]]:
    """Yield literal headers: the gateway writes them in single quotes inside the string."""
    for name, value in parameters.items():
        if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == "'":
            yield str(name).lower(), value[1:-1]


def _logical_id(arn: Any) -> str:
    """The function that ``!GetAtt Function.Arn`` names."""
    target = arn.get("Fn::GetAtt") if isinstance(arn, Mapping) else None
    if isinstance(target, str):
        target = target.split(".")
    if not target:
        raise TemplateError("An authorizer's FunctionArn must be !GetAtt <Function>.Arn.")
    return str(target[0])
