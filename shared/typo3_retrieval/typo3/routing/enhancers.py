r"""Route enhancers: which arguments of a page become segments of its path.

An enhancer is parsed once per language. For the arguments of one URL it offers candidates; the
router takes the best one. Rules: `TYPO3\CMS\Core\Routing\Enhancer` and `ExtbasePluginEnhancer`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from typo3_retrieval.typo3.php import Arguments, Scalar, is_empty, to_string
from typo3_retrieval.typo3.routing.arguments import Path, flattened, normalised
from typo3_retrieval.typo3.routing.aspects import (
    Mapper,
    StaticMapper,
    UnknownAspect,
    parse_mapper,
    parse_modifier,
)
from typo3_retrieval.typo3.routing.model import RoutingError
from typo3_retrieval.typo3.routing.patterns import ANYTHING, stripped_requirement
from typo3_retrieval.typo3.sites import SiteLanguage

_LEVEL = "__"  # VariableProcessor::LEVEL_DELIMITER
_PLACEHOLDER = re.compile(r"\{(!?)([^{}]+)\}")
_PLAIN_PLACEHOLDER = re.compile(r"\{(!?)(\w+)\}", re.ASCII)  # all that Symfony sees by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One `routePath` of an enhancer, in one language.

    Its variables are renamed to v0, v1, …: *paths* tells which argument each one stands for.
    """

    pattern: str  # begins with a slash; locale modifiers are printed
    paths: Mapping[str, Path]
    rename: Mapping[str, str]  # first-level argument -> `_arguments` target
    defaults: Mapping[Path, Scalar] = field(default_factory=dict)  # of path variables only
    requirements: Mapping[str, str] = field(default_factory=dict)  # PCRE by variable
    mappers: Mapping[Path, Mapper] = field(default_factory=dict)  # static ones first
    controller: tuple[str, str] | None = None  # Extbase: controller and action

    def requirements_for_building(self) -> dict[str, str]:
        """An aspect decides alone whether a value may stand in a URL."""
        return {
            name: ANYTHING if path in self.mappers else self.requirements.get(name, "")
            for name, path in self.paths.items()
        }

    def requirements_for_matching(self) -> dict[str, str]:
        """A configured requirement holds for the segment, with an aspect or without."""
        return {
            name: self.requirements.get(name) or (ANYTHING if path in self.mappers else "")
            for name, path in self.paths.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A route together with the arguments that would fill it."""

    key: str  # a later candidate replaces an earlier one of the same key
    enhancer: str  # its name in the configuration; empty for the bare page
    route: Route | None  # None: the bare page
    arguments: Arguments  # renamed; what the path does not take goes into the query

    @property
    def given(self) -> dict[Path, Scalar]:
        """The arguments by path."""
        return flattened(self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingEnhancer:
    """Simple, Plugin or Extbase."""

    name: str
    kind: str
    pages: frozenset[int] | None  # limitToPages: uids of default-language pages
    namespace: str = ""
    routes: tuple[Route, ...] = ()
    default_controller: tuple[str, str] | None = None

    def candidates(self, arguments: Arguments) -> list[Candidate]:
        """The routes that these arguments could fill, in configured order."""
        if self.kind != "Simple" and not isinstance(arguments.get(self.namespace), dict):
            return []
        found: list[Candidate] = []
        for route in self.routes:
            left = self._arguments_for(route, arguments)
            if left is None:
                continue
            given = flattened(left)
            missing = [
                path
                for path in route.paths.values()
                if path not in given and path not in route.defaults
            ]
            # An Extbase route may have no variables: its controller and action are the match.
            if not missing and (route.paths or self.kind == "Extbase"):
                # Extbase names its routes by plugin and number: two enhancers of one plugin
                # on a page replace each other's routes, there as here.
                key = f"{self.namespace}_{len(found)}" if self.kind == "Extbase" else self.name
                found.append(Candidate(key=key, enhancer=self.name, route=route, arguments=left))
        return found

    def _arguments_for(self, route: Route, arguments: Arguments) -> Arguments | None:
        """The arguments in the route's own names; None when another action is meant."""
        if self.kind == "Simple":
            return _renamed(arguments, route.rename)
        own = arguments[self.namespace]
        assert isinstance(own, dict)  # noqa: S101  # checked by candidates()
        if self.kind == "Extbase":
            if self._action(own) != route.controller or route.controller is None:
                return None
            own = {key: each for key, each in own.items() if key not in ("controller", "action")}
        return {**arguments, self.namespace: _renamed(own, route.rename)}

    def _action(self, own: Arguments) -> tuple[object, object]:
        """Controller and action of the plugin's arguments, completed by `defaultController`."""
        controller, action = own.get("controller"), own.get("action")
        default = self.default_controller
        if default is None or (not is_empty(controller) and not is_empty(action)):
            return controller, action
        if is_empty(action) and controller == default[0]:
            return controller, default[1]
        if is_empty(controller) and not is_empty(action):
            return default[0], action
        return default


@dataclass(frozen=True, slots=True, kw_only=True)
class PageType:
    """PageType decorator: the suffix that stands for `type`."""

    name: str
    pages: frozenset[int] | None
    default: str = ""
    index: str = "index"
    suffixes: Mapping[str, str] = field(default_factory=dict)  # type by suffix

    def suffix(self, given: Scalar | Arguments) -> str | None:
        """The suffix of a type, None when the type stays in the query.

        Raises:
            RoutingError: *given* is an array.
        """
        if isinstance(given, dict):
            raise RoutingError('Argument "type" must be one value.')
        kind = None if given is None else to_string(given)
        found = [suffix for suffix, each in self.suffixes.items() if each == kind]
        suffix = found[0] if found else self.default
        if not is_empty(kind) and suffix in ("", self.default):
            return None
        return suffix

    def decorated(self, path: str, suffix: str) -> str:
        """*path* with *suffix*; a trailing slash gives way even to an empty suffix."""
        path = path.rstrip("/")
        if suffix and suffix[0] in ".-_/":
            return (path or self.index) + suffix
        return f"{path}/{suffix}" if suffix else path


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEnhancer:
    """An enhancer that cannot be used; its arguments go into the query, which TYPO3 accepts."""

    name: str
    pages: frozenset[int] | None
    reason: str


Enhancer: TypeAlias = RoutingEnhancer | PageType | UnknownEnhancer


def parse_enhancers(
    configuration: Mapping[str, Mapping[str, Any]], language: SiteLanguage
) -> tuple[Enhancer, ...]:
    """Parse `routeEnhancers` for one language. What cannot be used becomes an UnknownEnhancer."""
    return tuple(_parse(name, settings, language) for name, settings in configuration.items())


def _parse(name: str, settings: Mapping[str, Any], language: SiteLanguage) -> Enhancer:
    kind = settings.get("type")
    try:
        pages = _pages(settings.get("limitToPages"))
    except UnknownAspect as error:
        return UnknownEnhancer(name=name, pages=None, reason=str(error))
    try:
        if kind == "PageType":
            return _page_type(name, settings, pages)
        if kind in ("Simple", "Plugin", "Extbase"):
            return _routing_enhancer(name, kind, settings, pages, language)
    except (UnknownAspect, RoutingError, TypeError, AttributeError) as error:
        return UnknownEnhancer(name=name, pages=pages, reason=str(error))
    return UnknownEnhancer(name=name, pages=pages, reason=f'type "{kind}" is not known here')


def _pages(value: object) -> frozenset[int] | None:
    """The uids of `limitToPages`; None: every page."""
    if not isinstance(value, list):
        return None
    try:
        return frozenset(int(str(each)) for each in value)
    except ValueError:
        # TYPO3 14 takes expressions, too.
        raise UnknownAspect("limitToPages holds an expression, which is not known here") from None


def _page_type(name: str, settings: Mapping[str, Any], pages: frozenset[int] | None) -> PageType:
    suffixes = settings.get("map")
    if not isinstance(suffixes, Mapping):
        raise UnknownAspect("map is missing")
    index = settings.get("index")
    return PageType(
        name=name,
        pages=pages,
        default=to_string(settings.get("default")),
        index="index" if index is None else to_string(index),
        suffixes={to_string(suffix): to_string(each) for suffix, each in suffixes.items()},
    )


def _routing_enhancer(
    name: str,
    kind: str,
    settings: Mapping[str, Any],
    pages: frozenset[int] | None,
    language: SiteLanguage,
) -> RoutingEnhancer:
    namespace = _namespace(kind, settings)
    if kind != "Simple" and not namespace:
        raise UnknownAspect("namespace is missing")
    configured: Iterable[Mapping[str, Any]] = (settings,)
    if kind == "Extbase":
        routes = settings.get("routes") or []
        configured = routes.values() if isinstance(routes, Mapping) else routes
    return RoutingEnhancer(
        name=name,
        kind=kind,
        pages=pages,
        namespace=namespace,
        routes=tuple(_route(each, settings, namespace, language) for each in configured),
        default_controller=_controller(settings.get("defaultController")),
    )


def _namespace(kind: str, settings: Mapping[str, Any]) -> str:
    """The key under which a plugin's arguments stand: configured, or made of Extbase's names."""
    extension, plugin = settings.get("extension"), settings.get("plugin")
    if kind == "Extbase" and extension is not None and plugin is not None:
        # "blog_example" and "BlogExample" are the same extension.
        return f"tx_{to_string(extension).replace('_', '').replace(' ', '')}_{plugin}".lower()
    return "" if kind == "Simple" else to_string(settings.get("namespace"))


def _route(
    route: Mapping[str, Any],
    settings: Mapping[str, Any],
    namespace: str,
    language: SiteLanguage,
) -> Route:
    rename = {str(key): to_string(each) for key, each in (route.get("_arguments") or {}).items()}

    def path_of(name: str) -> Path:
        own = tuple(rename.get(name, name).replace("/", _LEVEL).split(_LEVEL))
        return (namespace, *own) if namespace else own

    modifiers, mappers = _aspects(settings.get("aspects") or {}, language)
    text = route["routePath"] if isinstance(route.get("routePath"), str) else ""
    if not text:
        raise UnknownAspect("routePath is missing")
    for name, printed in modifiers.items():
        for placeholder in (f"{{{name}}}", f"{{!{name}}}"):
            text = text.replace(placeholder, printed)
    variable = _PLACEHOLDER if namespace or rename else _PLAIN_PLACEHOLDER
    names = [match[2] for match in variable.finditer(text)]
    if len(set(names)) < len(names):
        raise UnknownAspect("routePath holds a variable twice")
    count = iter(range(len(names)))
    pattern = variable.sub(lambda match: f"{{{match[1]}v{next(count)}}}", text)
    paths = {f"v{index}": path_of(name) for index, name in enumerate(names)}
    by_path = {path: variable for variable, path in paths.items()}
    requirements = {
        by_path[path_of(str(name))]: stripped_requirement(to_string(each))
        for name, each in (settings.get("requirements") or {}).items()
        if path_of(str(name)) in by_path
    }
    defaults = {
        path_of(name): each
        for name, each in normalised(settings.get("defaults") or {}).items()
        if path_of(name) in by_path and not isinstance(each, dict)
    }
    return Route(
        pattern="/" + pattern.lstrip("/"),
        paths=paths,
        rename=rename,
        defaults=defaults,
        requirements=requirements,
        mappers={path_of(name): mapper for name, mapper in mappers.items()},
        controller=_controller(route.get("_controller")),
    )


def _aspects(
    configured: Mapping[str, Mapping[str, Any]], language: SiteLanguage
) -> tuple[dict[str, str], dict[str, Mapper]]:
    """Texts of locale modifiers, and mappers: those that need no database come first."""
    modifiers: dict[str, str] = {}
    mappers: dict[str, Mapper] = {}
    for name, settings in configured.items():
        if not isinstance(settings, Mapping):
            raise UnknownAspect(f'aspect "{name}" is no mapping')
        try:
            if settings.get("type") != "LocaleModifier":
                mappers[str(name)] = parse_mapper(settings, language)
            elif (printed := parse_modifier(settings, language)) is not None:
                modifiers[str(name)] = printed
        except UnknownAspect as error:
            raise UnknownAspect(f'aspect "{name}": {error}') from error
    ordered = sorted(mappers.items(), key=lambda item: not isinstance(item[1], StaticMapper))
    return modifiers, dict(ordered)


def _controller(value: object) -> tuple[str, str] | None:
    """Controller and action of ``Blog::list``."""
    controller, colons, action = to_string(value if isinstance(value, str) else "").partition("::")
    return (controller, action) if colons else None


def _renamed(arguments: Arguments, rename: Mapping[str, str]) -> Arguments:
    """Give first-level arguments the names that `_arguments` maps them to.

    ``record/number`` names a nested argument; both of a clash are kept, the later value wins.
    """
    result: Arguments = {}
    for key, value in arguments.items():
        target = result
        *parents, last = rename.get(key, key).split("/") if key in rename else [key]
        for parent in parents:
            inner = target.get(parent)
            if not isinstance(inner, dict):
                inner = {}
            target[parent] = inner = dict(inner)
            target = inner
        target[last] = value
    return result


def applicable(enhancers: Sequence[Enhancer], page_uid: int) -> list[Enhancer]:
    """The enhancers that take part for this page."""
    return [each for each in enhancers if each.pages is None or page_uid in each.pages]
