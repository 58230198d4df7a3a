"""How PHP writes values, splits queries and orders keys. URLs and hashes depend on it.

`build_query` and `parse_query` are inverse, but for what PHP itself changes: dots and blanks in
names become underscores, null vanishes.
"""

import math
import re
from collections.abc import Iterable, Mapping
from functools import cmp_to_key
from typing import TypeAlias
from urllib.parse import quote, unquote_plus

Scalar: TypeAlias = str | int | float | bool | None
# A PHP array: a list is a mapping of "0", "1", …
Arguments: TypeAlias = dict[str, "Scalar | Arguments"]

MAX_NESTING = 64  # levels; php.ini max_input_nesting_level
_INTEGER_KEY = re.compile(r"0|-?[1-9][0-9]{0,17}")  # an array key that PHP turns into an integer
_NUMERIC = re.compile(
    r"[ \t\n\r\v\f]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t\n\r\v\f]*", re.A
)
_LEADING_INTEGER = re.compile(r"[ \t\n\r\v\f]*([+-]?[0-9]{1,18})")


def to_string(value: Scalar) -> str:
    """``(string)$value``: true is "1", false and null are empty."""
    if value is None or isinstance(value, bool):
        return "1" if value else ""
    if isinstance(value, float):
        return _float_to_string(value)
    return str(value)


def to_int(value: object) -> int:
    """``(int)$value``: leading digits of a string count, an array is 1, an empty one 0."""
    if isinstance(value, str):
        match = _LEADING_INTEGER.match(value)
        return int(match[1]) if match else 0
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else 0
    if isinstance(value, int):
        return int(value)
    return int(bool(value))


def is_empty(value: object) -> bool:
    """``empty($value)``: "0" is empty, too."""
    return not value or value == "0"


def integer_key(key: str) -> int | None:
    """The integer that PHP makes of this array key, None when it stays a string."""
    return int(key) if _INTEGER_KEY.fullmatch(key) else None


def raw_url_encode(text: str) -> str:
    """``rawurlencode()``: everything but unreserved characters (RFC 3986)."""
    return quote(text, safe="")


def build_query(arguments: Mapping[str, "Scalar | Arguments"]) -> str:
    """``http_build_query(…, PHP_QUERY_RFC3986)``."""
    return "&".join(_pairs(arguments, ""))


def _pairs(arguments: Mapping[str, "Scalar | Arguments"], prefix: str) -> Iterable[str]:
    for key, value in arguments.items():
        name = f"{prefix}%5B{raw_url_encode(key)}%5D" if prefix else raw_url_encode(key)
        if isinstance(value, dict):
            yield from _pairs(value, name)
        elif isinstance(value, bool):
            yield f"{name}={int(value)}"
        elif value is not None:
            yield f"{name}={raw_url_encode(to_string(value))}"


def parse_query(query: str) -> Arguments:
    """``parse_str()``: ``a[b]=c`` becomes ``{"a": {"b": "c"}}``; the last of a name wins."""
    arguments: Arguments = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        # PHP copies the name as a C string: it ends at a NUL byte.
        steps = _steps(unquote_plus(name).partition("\0")[0].lstrip(" "))
        if steps:
            _put(arguments, steps, unquote_plus(value))
    return arguments


def _steps(name: str) -> list[str]:
    """Split ``a[b][]`` into its keys; an empty one appends. No keys: PHP ignores the name."""
    head, bracket, rest = name.partition("[")
    if not head:
        return []
    steps: list[str] = []
    while bracket:
        key, closing, rest = rest.partition("]")
        if not closing:
            # An opening bracket without its closing one is an underscore.
            if steps:
                break
            return [re.sub(r"[ .\[]", "_", name)]
        steps.append(key)
        if len(steps) > MAX_NESTING or not rest.startswith("["):
            break
        rest = rest[1:]
    return [re.sub(r"[ .]", "_", head), *steps]


def _put(arguments: Arguments, steps: list[str], value: str) -> None:
    target = arguments
    for step in steps[:-1]:
        key = step or _next_index(target)
        inner = target.get(key)
        if not isinstance(inner, dict):
            inner = {}
            target[key] = inner
        target = inner
    target[steps[-1] or _next_index(target)] = value


def _next_index(arguments: Arguments) -> str:
    integers = [number for key in arguments if (number := integer_key(key)) is not None]
    return str(max(integers, default=-1) + 1)


def sorted_by_key(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """``ksort()``: numeric keys by their number, others by their bytes."""
    return {key: values[key] for key in sorted(values, key=cmp_to_key(_compare_keys))}


def _compare_keys(left: str, right: str) -> int:
    if _NUMERIC.fullmatch(left) and _NUMERIC.fullmatch(right):
        return _sign(float(left) - float(right))
    return _order(left.encode(), right.encode())


def naturally_sorted(arguments: Arguments) -> Arguments:
    """Drop empty arrays and sort by ``strnatcasecmp()``, on every level.

    Source: `PageArguments::sort`.
    """
    kept: Arguments = {}
    for key in sorted(arguments, key=cmp_to_key(_compare_naturally)):
        value = arguments[key]
        inner = naturally_sorted(value) if isinstance(value, dict) else value
        if inner != {}:
            kept[key] = inner
    return kept


def _compare_naturally(left: str, right: str) -> int:
    """Runs of digits compare as numbers, letters without case."""
    one, two = _natural_parts(left), _natural_parts(right)
    for a, b in zip(one, two, strict=False):
        if a.isdigit() and b.isdigit() and a.isascii() and b.isascii():
            order = _compare_digits(a, b)
        else:
            order = _order(a.upper().encode(), b.upper().encode())
        if order:
            return order
    return _sign(len(one) - len(two))


def _natural_parts(text: str) -> list[str]:
    """Runs of digits whole, other characters one by one, blanks left out."""
    return re.findall(r"[0-9]+|[^\s0-9]", text.lstrip("0") if text.strip("0") else text)


def _compare_digits(left: str, right: str) -> int:
    if left.startswith("0") or right.startswith("0"):
        return _order(left.encode(), right.encode())  # as a fraction: digit by digit
    return _sign(len(left) - len(right)) or _order(left.encode(), right.encode())


def _order(left: bytes, right: bytes) -> int:
    return (left > right) - (left < right)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _float_to_string(value: float) -> str:
    """14 digits (php.ini precision), with PHP's names for infinity and exponents."""
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else ("INF" if value > 0 else "-INF")
    mantissa, exponent, power = format(value, ".14G").partition("E")
    if not exponent:
        return mantissa
    return f"{mantissa}{'' if '.' in mantissa else '.0'}E{int(power):+d}"
