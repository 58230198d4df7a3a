"""The gateway's side of a TOKEN authorizer: when to ask it, and how to read its policy."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from typo3_retrieval_cli.server.functions import UNAUTHORIZED, Functions, HandlerFailed
from typo3_retrieval_cli.server.template import Authorizer

MAX_CACHED = 1000  # answers; a local server needs no more

Context = Mapping[str, str]


class Refused(Exception):
    """The gateway answers by itself, with the gateway response of this type."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the authorizer said about one token."""

    principal: str
    statements: Sequence[Mapping[str, Any]]
    context: Context
    expires: float  # monotonic seconds

    def allows(self, arn: str) -> bool:
        """Whether the policy allows the call of *arn*: a Deny wins, silence refuses."""
        effects = {
            statement.get("Effect")
            for statement in self.statements
            if _matches(statement.get("Action", ()), "execute-api:Invoke")
            and _matches(statement.get("Resource", ()), arn)
        }
        return effects == {"Allow"}


@dataclass(slots=True)
class TokenCheck:
    """Asks the authorizer's function about a token, and remembers its answer for a while."""

    authorizer: Authorizer
    functions: Functions
    clock: Callable[[], float] = time.monotonic
    _answers: dict[str, _Answer] = field(default_factory=dict)

    def context(self, token: str | None, arn: str) -> Context:
        """Return the authorizer's context for a call of *arn*, if it may be called.

        Raises:
            Refused: with the type of the gateway's answer.
            TimeoutError: the function took too long.
        """
        # The gateway refuses what has not the right form without asking anybody.
        if token is None or not re.fullmatch(self.authorizer.validation, token):
            raise Refused("UNAUTHORIZED")
        answer = self._answers.get(token)
        if answer is None or answer.expires <= self.clock():
            answer = self._ask(token, arn)
            self._remember(token, answer)
        if not answer.allows(arn):
            raise Refused("ACCESS_DENIED")
        return {**answer.context, "principalId": answer.principal}

    def _ask(self, token: str, arn: str) -> _Answer:
        event = {"type": "TOKEN", "authorizationToken": token, "methodArn": arn}
        try:
            said = self.functions.call(self.authorizer.function, event)
        except HandlerFailed as error:
            kind = "UNAUTHORIZED" if str(error) == UNAUTHORIZED else "AUTHORIZER_FAILURE"
            raise Refused(kind) from error
        try:
            return _Answer(
                principal=str(said["principalId"]),
                statements=said["policyDocument"]["Statement"],
                context={key: _scalar(value) for key, value in said.get("context", {}).items()},
                expires=self.clock() + self.authorizer.cache,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise Refused("AUTHORIZER_CONFIGURATION_ERROR") from error

    def _remember(self, token: str, answer: _Answer) -> None:
        if self.authorizer.cache:
            while len(self._answers) >= MAX_CACHED:
                del self._answers[next(iter(self._answers))]
            self._answers[token] = answer


def _scalar(value: object) -> str:
    """The string as which a context value reaches the handlers."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError("a context value must be a scalar")


def _matches(patterns: str | Sequence[str], text: str) -> bool:
    """Whether one of IAM's patterns fits: ``*`` is any text, ``?`` one character."""
    wanted = (patterns,) if isinstance(patterns, str) else patterns
    return any(
        re.fullmatch(re.escape(each).replace(r"\*", ".*").replace(r"\?", "."), text)
        for each in wanted
    )
