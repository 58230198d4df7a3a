"""Route paths such as ``/archive/{year}/{month}``: parsed once, built and matched from tokens.

Rules: Symfony's `RouteCompiler` and `UrlGenerator`, which TYPO3 builds on. An optional variable at
the end is cut together with the separator before it; a text behind it keeps it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from typo3_retrieval.typo3.pcre import PatternError, compile_pcre

SEPARATORS = "/,;.:-_~+*=@|"  # RouteCompiler::SEPARATORS
ANYTHING = ".+"  # requirement of a variable with an aspect
_VARIABLE = re.compile(r"\{(?P<important>!)?(?P<name>\w+)\}", re.ASCII)
_PLACEHOLDER = re.compile(r"\{\w+\}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Variable:
    """A placeholder and the separator before it, which vanishes with it."""

    name: str
    separator: str
    requirement: str  # PCRE without delimiters
    important: bool  # written {!name}: never cut


class RequirementError(ValueError):
    """A value does not fit the requirement of its variable."""

    def __init__(self, name: str, requirement: str, value: str) -> None:
        super().__init__(f'Parameter "{name}" must match "{requirement}" ("{value}" given)')
        self.name = name
        self.requirement = requirement
        self.value = value


@dataclass(frozen=True)
class RoutePath:
    """A parsed route path.

    Args:
        tokens: texts and variables in order.
        defaults: values that variables have when none is given, as they stand in a URL.
    """

    tokens: tuple[str | Variable, ...]
    optional: frozenset[str] = frozenset()  # variables that have a default

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables, in order."""
        return tuple(token.name for token in self.tokens if isinstance(token, Variable))

    def build(self, values: Mapping[str, str | None], defaults: Mapping[str, str]) -> str:
        """Fill in *values*, not percent-encoded.

        Args:
            values: of every variable that has no default; None is PHP's null.
            defaults: values of variables that may be cut from the end.

        Raises:
            RequirementError: a value does not fit, TYPO3 raises then, too.
            PatternError: a requirement uses what cannot be run here.
        """
        path = ""
        cutting = True
        for token in reversed(self.tokens):
            if isinstance(token, str):
                path, cutting = token + path, False
                continue
            value = values.get(token.name, defaults.get(token.name))
            is_default = token.name in defaults and value in (None, defaults[token.name])
            if cutting and is_default and not token.important:
                continue
            _check(token, value or "")
            path, cutting = token.separator + (value or "") + path, False
        return path or "/"

    def match(self, path: str) -> dict[str, str] | None:
        """The values that *path* holds, not percent-encoded; variables cut from it are missing.

        Raises:
            PatternError: a requirement uses what cannot be run here.
        """
        found = compile_pcre(self._expression, "s").fullmatch(path)
        if found is None:
            return None
        groups = found.groupdict()
        values = {name: groups[f"v{index}"] for index, name in enumerate(self.variables)}
        return {name: value for name, value in values.items() if value is not None}

    @cached_property
    def _expression(self) -> str:
        first_optional = len(self.tokens)
        for index in range(len(self.tokens) - 1, -1, -1):
            token = self.tokens[index]
            if isinstance(token, str) or token.important or token.name not in self.optional:
                break
            first_optional = index
        expression, number = "", 0
        for index, token in enumerate(self.tokens):
            if isinstance(token, str):
                expression += re.escape(token)
                continue
            opening = "(?:" if index >= first_optional else ""
            requirement = _without_groups(token.requirement)
            expression += f"{opening}{re.escape(token.separator)}(?P<v{number}>{requirement})"
            number += 1
        return expression + ")?" * (len(self.tokens) - first_optional)


def parse_route_path(
    literal: str,
    pattern: str,
    requirements: Mapping[str, str],
    optional: frozenset[str] = frozenset(),
) -> RoutePath:
    """Parse *pattern*, with the page's path as a literal text before it.

    Args:
        literal: the page's path, in which braces mean nothing.
        pattern: ``/{year}/{month}.html``.
        requirements: PCRE by variable; a missing one means "no separator that follows".
        optional: variables that have a default.
    """
    text, tokens, position = literal, list[str | Variable](), 0
    for match in _VARIABLE.finditer(pattern):
        text += pattern[position : match.start()]
        position = match.end()
        separator = text[-1:] if text and text[-1] in SEPARATORS else ""
        if text := text.removesuffix(separator):
            tokens.append(text)
        text = ""
        name = match["name"]
        tokens.append(
            Variable(
                name=name,
                separator=separator,
                requirement=requirements.get(name) or _default_requirement(pattern[position:]),
                important=match["important"] is not None,
            )
        )
    if text := text + pattern[position:]:
        tokens.append(text)
    return RoutePath(tuple(tokens), optional)


def stripped_requirement(requirement: str) -> str:
    """Drop the anchors that Symfony drops, too: a requirement always means the whole value."""
    requirement = requirement.removeprefix("^").removeprefix("\\A")
    return requirement.removesuffix("$").removesuffix("\\z")


def _default_requirement(following: str) -> str:
    """Anything but a slash and the next separator."""
    following = _PLACEHOLDER.sub("", following)
    separator = following[:1] if following[:1] in SEPARATORS else ""
    excluded = "/" if separator in ("", "/") else f"/{re.escape(separator)}"
    return f"[^{excluded}]+"


def _check(variable: Variable, value: str) -> None:
    """Symfony's check when it builds: without case, and without what looks around."""
    pattern = compile_pcre("^" + _without_lookaround(variable.requirement) + "$", "iu")
    if not pattern.search(value):
        raise RequirementError(variable.name, variable.requirement, value)


def _without_lookaround(pattern: str) -> str:
    """Remove groups that look ahead or behind, which see more than the value when matching."""
    while match := re.search(r"\(\?(?:=|<=|!|<!)", pattern):
        end = _end_of_group(pattern, match.start())
        pattern = pattern[: match.start()] + pattern[end:]
    return pattern


def _end_of_group(pattern: str, start: int) -> int:
    depth, index = 0, start
    while index < len(pattern):
        if pattern[index] == "\\":
            index += 1
        elif pattern[index] == "(":
            depth += 1
        elif pattern[index] == ")":
            depth -= 1
            if not depth:
                return index + 1
        index += 1
    raise PatternError("a group is not closed")


def _without_groups(pattern: str) -> str:
    """Make capturing groups non-capturing: the numbers belong to the route."""
    return re.sub(r"\\.|\((?![?*])", lambda m: m[0] if m[0] != "(" else "(?:", pattern, flags=re.S)
