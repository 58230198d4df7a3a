"""Argument maps: nested as in PHP's `$_GET`, or flat by path.

`flattened` and `nested` are inverse, but for empty arrays, which a URL cannot carry.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from typo3_retrieval.typo3.php import MAX_NESTING, Arguments, Scalar
from typo3_retrieval.typo3.routing.model import RoutingError

Path: TypeAlias = tuple[str, ...]  # ("tx_news", "item") is tx_news[item]


def normalised(arguments: Mapping[str, Any]) -> Arguments:
    """Copy *arguments*: keys become strings, lists become mappings.

    Raises:
        RoutingError: a value that no URL can carry, or nesting beyond 64 levels.
    """
    return _normalised(arguments, 0)


def _normalised(value: Any, depth: int) -> Arguments:
    if depth > MAX_NESTING:
        raise RoutingError(f"The arguments are nested deeper than {MAX_NESTING} levels.")
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    result: Arguments = {}
    for key, each in items:
        name = _encodable(str(key))
        if isinstance(each, Mapping | list | tuple):
            result[name] = _normalised(each, depth + 1)
        elif isinstance(each, str):
            result[name] = _encodable(each)
        elif each is None or isinstance(each, bool | int | float):
            result[name] = each
        else:
            raise RoutingError(
                f'Argument "{name}" is of type {type(each).__name__}, which a URL cannot carry.'
            )
    return result


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RoutingError("The arguments hold text that is no valid Unicode.") from None
    return text


def flattened(arguments: Arguments) -> dict[Path, Scalar]:
    """Every value that is no array, by its path."""
    return dict(_leaves(arguments, ()))


def _leaves(arguments: Arguments, prefix: Path) -> Iterable[tuple[Path, Scalar]]:
    for key, value in arguments.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*prefix, key))
        else:
            yield (*prefix, key), value


def nested(values: Mapping[Path, Scalar]) -> Arguments:
    """Build the nested map of these values; a value gives way to an array of the same name."""
    result: Arguments = {}
    for path, value in values.items():
        target = result
        for key in path[:-1]:
            inner = target.get(key)
            if not isinstance(inner, dict):
                inner = {}
                target[key] = inner
            target = inner
        target.setdefault(path[-1], value)
    return result


def merged(below: Arguments, above: Arguments) -> Arguments:
    """Lay *above* over *below*, on every level."""
    result = dict(below)
    for key, value in above.items():
        known = result.get(key)
        both = isinstance(known, dict) and isinstance(value, dict)
        result[key] = merged(known, value) if both else value  # type: ignore[arg-type]  # both
    return result
