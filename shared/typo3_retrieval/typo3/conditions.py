r"""Conditions of base variants: Symfony's expression language as site configurations use it.

``applicationContext == "Production/Staging"``, ``getenv("HOST") matches "#\.local$#i"``.
Precedence as in Symfony's `ExpressionLanguage\Parser`: ``or`` 10, ``and`` 15, comparisons 20,
``~`` 40, ``not`` 50. So ``not a == b`` reads ``(not a) == b``, there as here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.typo3.pcre import PatternError, compile_delimited

# What an expression can hold. An unset environment variable is False, as PHP's getenv() has it.
Value: TypeAlias = str | int | float | bool | list["Value"] | None

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?)
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<word>(?:not\s+in|starts\s+with|ends\s+with)\b|[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<sign>===|!==|==|!=|<=|>=|&&|\|\||[<>!()\[\],?:~-])
    )""",
    re.VERBOSE | re.DOTALL,
)
_OR, _AND, _COMPARISON, _CONCATENATION, _NOT = 10, 15, 20, 40, 50
_CONSTANTS: dict[str, Value] = {"true": True, "false": False, "null": None}
_MAX_DEPTH = 50  # nested parentheses; a condition is one line


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Literal["number", "string", "word", "sign", "end"]
    text: str


def evaluate_condition(condition: str, *, context: str, environment: Mapping[str, str]) -> bool:
    """Tell whether *condition* holds.

    Args:
        condition: the expression of a base variant.
        context: TYPO3's application context, e.g. ``Production/Staging``.
        environment: what ``getenv()`` reads.

    Raises:
        ConfigurationError: the expression is broken or uses a name that is not known here.
    """
    parser = _Parser(_tokens(condition), condition, context, environment)
    value = parser.expression(0)
    parser.expect("")
    return _truth(value)


def _tokens(condition: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    text = condition.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ConfigurationError(f"condition {condition!r}: unexpected {text[position:]!r}")
        kind = match.lastgroup
        assert kind in {"number", "string", "word", "sign"}  # noqa: S101  # the groups above
        value = match.group(kind)
        if kind == "word" and " " in " ".join(value.split()):
            tokens.append(_Token("sign", " ".join(value.split())))
        elif kind == "word" and value in {"and", "or", "not", "in", "matches", "contains"}:
            tokens.append(_Token("sign", value))
        else:
            tokens.append(_Token(kind, value))  # type: ignore[arg-type]  # asserted above
        position = match.end()
    return [*tokens, _Token("end", "")]


class _Parser:
    """Evaluates while it reads. Nothing here has an effect, so nothing needs to be lazy."""

    def __init__(
        self,
        tokens: list[_Token],
        condition: str,
        context: str,
        environment: Mapping[str, str],
    ) -> None:
        self._tokens = tokens
        self._position = 0
        self._condition = condition
        self._context = context
        self._environment = environment
        self._depth = 0

    def expression(self, precedence: int) -> Value:
        """Read operators that bind at least as tight as *precedence*."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error("is nested too deep")
        left = self._operand()
        while (operator := _BINARY.get(self._sign())) and operator[0] >= precedence:
            self._take()
            left = self._apply(operator[1], left, self.expression(operator[0] + 1))
        if precedence == 0 and self._sign() == "?":
            left = self._choice(left)
        self._depth -= 1
        return left

    def expect(self, text: str) -> None:
        """Take the sign *text*, or the end."""
        token = self._take()
        if token.text != text or token.kind not in {"sign", "end"}:
            wanted = repr(text) if text else "its end"
            raise self._error(f"expects {wanted} instead of {token.text or 'its end'!r}")

    def _operand(self) -> Value:
        token = self._take()
        if token.kind == "sign" and token.text in {"not", "!"}:
            return not _truth(self.expression(_NOT))
        if token.kind == "sign" and token.text == "-":
            return -_number(self.expression(_NOT * 10))
        if token.kind == "sign" and token.text == "(":
            value = self.expression(0)
            self.expect(")")
            return value
        if token.kind == "sign" and token.text == "[":
            return self._list("]")
        if token.kind == "number":
            return float(token.text) if "." in token.text else int(token.text)
        if token.kind == "string":
            return re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.DOTALL)
        if token.kind == "word":
            return self._named(token.text)
        raise self._error(f"has an unexpected {token.text or 'end'!r}")

    def _named(self, name: str) -> Value:
        if name.lower() in _CONSTANTS:
            return _CONSTANTS[name.lower()]
        if name == "applicationContext":
            return self._context
        if name == "getenv" and self._sign() == "(":
            self._take()
            arguments = self._list(")")
            if len(arguments) != 1 or not isinstance(arguments[0], str):
                raise self._error("calls getenv() with something else than one name")
            return self._environment.get(arguments[0], False)
        raise self._error(
            f'uses "{name}", which is not known here; applicationContext and getenv() are'
        )

    def _list(self, end: str) -> list[Value]:
        values: list[Value] = []
        while self._sign() != end:
            if values:
                self.expect(",")
            values.append(self.expression(0))
        self._take()
        return values

    def _choice(self, condition: Value) -> Value:
        self.expect("?")
        if self._sign() == ":":
            self.expect(":")
            other = self.expression(0)
            return condition if _truth(condition) else other
        yes = self.expression(0)
        no: Value = ""
        if self._sign() == ":":
            self.expect(":")
            no = self.expression(0)
        return yes if _truth(condition) else no

    def _apply(self, function: Callable[[Value, Value], Value], left: Value, right: Value) -> Value:
        try:
            return function(left, right)
        except PatternError as error:
            raise self._error(f"has a pattern that cannot be run: {error}") from error
        except TypeError as error:
            raise self._error("compares what cannot be compared") from error

    def _sign(self) -> str:
        token = self._tokens[self._position]
        return token.text if token.kind == "sign" else ""

    def _take(self) -> _Token:
        token = self._tokens[self._position]
        self._position = min(self._position + 1, len(self._tokens) - 1)
        return token

    def _error(self, what: str) -> ConfigurationError:
        return ConfigurationError(f"condition {self._condition!r} {what}.")


def _truth(value: Value) -> bool:
    return bool(value) and value != "0"  # PHP: the string "0" is false


def _text(value: Value) -> str:
    """PHP's string of a scalar."""
    if isinstance(value, list):
        raise TypeError
    if value is None or isinstance(value, bool):
        return "1" if value else ""
    return str(value)


def _number(value: Value) -> int | float:
    if isinstance(value, list):
        raise TypeError
    try:
        return float(value) if isinstance(value, str) else value or 0
    except ValueError:
        return 0


def _equal(left: Value, right: Value) -> bool:
    """PHP 8's ``==``."""
    if isinstance(left, bool) or isinstance(right, bool):
        return _truth(left) == _truth(right)
    if left is None or right is None:
        return not left and not right
    if isinstance(left, str) and isinstance(right, str) and not _both_numeric(left, right):
        return left == right
    if isinstance(left, list) or isinstance(right, list):
        return left == right
    if _both_numeric(left, right):
        return float(left) == float(right)
    return _text(left) == _text(right)


def _both_numeric(left: Value, right: Value) -> bool:
    return all(
        not isinstance(each, str) or re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", each) is not None
        for each in (left, right)
    )


def _identical(left: Value, right: Value) -> bool:
    return type(left) is type(right) and left == right


def _in(left: Value, right: Value) -> bool:
    if not isinstance(right, list):
        raise TypeError
    return any(_identical(left, each) for each in right)


def _less(left: Value, right: Value) -> bool:
    if isinstance(left, str) and isinstance(right, str) and not _both_numeric(left, right):
        return left < right
    return _number(left) < _number(right)


_BINARY: dict[str, tuple[int, Callable[[Value, Value], Value]]] = {
    "or": (_OR, lambda a, b: _truth(a) or _truth(b)),
    "||": (_OR, lambda a, b: _truth(a) or _truth(b)),
    "and": (_AND, lambda a, b: _truth(a) and _truth(b)),
    "&&": (_AND, lambda a, b: _truth(a) and _truth(b)),
    "==": (_COMPARISON, _equal),
    "!=": (_COMPARISON, lambda a, b: not _equal(a, b)),
    "===": (_COMPARISON, _identical),
    "!==": (_COMPARISON, lambda a, b: not _identical(a, b)),
    "<": (_COMPARISON, _less),
    ">": (_COMPARISON, lambda a, b: _less(b, a)),
    "<=": (_COMPARISON, lambda a, b: not _less(b, a)),
    ">=": (_COMPARISON, lambda a, b: not _less(a, b)),
    "in": (_COMPARISON, _in),
    "not in": (_COMPARISON, lambda a, b: not _in(a, b)),
    "matches": (
        _COMPARISON,
        lambda a, b: compile_delimited(_text(b)).search(_text(a)) is not None,
    ),
    "contains": (_COMPARISON, lambda a, b: _text(b) in _text(a)),
    "starts with": (_COMPARISON, lambda a, b: _text(a).startswith(_text(b))),
    "ends with": (_COMPARISON, lambda a, b: _text(a).endswith(_text(b))),
    "~": (_CONCATENATION, lambda a, b: _text(a) + _text(b)),
}
