"""What every entrance must hold: nobody reaches the cascade but an acting backend user.

A subclass says how to ask through its entrance, as the verified user 10 and as those who are
not to get in; the tests are here. An entrance is whatever turns somebody's request into a call
of the cascade: HTTP, MCP, a Bedrock action group, an AgentCore gateway, the command line.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tests.contract.witness import Witness
from typo3_retrieval.core.access import ANONYMOUS_GROUPS, AccessContext, BackendUser

ACTING_USER = BackendUser("10")

# What a caller, or a model that was talked into it, might say to be somebody else.
CLAIMS: Mapping[str, Any] = {
    "user": "1",
    "sub": "1",
    "acting_user": "1",
    "backend_user": 1,
    "access": {"acting_user": "1", "frontend_groups": [1, 2]},
    "frontend_groups": [0, -1, -2, 1],
    "authorizer": {"sub": "1", "exp": "9999999999"},
}


class EntranceContract(ABC):
    """The tests of one entrance."""

    acting_user = ACTING_USER  # who asks when a verified one does

    @abstractmethod
    def ask(self, witness: Witness, caller: Any, claims: Mapping[str, Any]) -> object:
        """Ask the question "waste" through the entrance.

        Args:
            witness: the one backend of the system behind the entrance.
            caller: what `verified` or `others` gave.
            claims: further fields, put where the entrance takes a caller's own words.

        Returns:
            What the entrance answers. It may raise instead.
        """

    @abstractmethod
    def verified(self) -> Any:
        """What the entrance knows of `acting_user` after it verified him."""

    @abstractmethod
    def others(self) -> Mapping[str, Any]:
        """The same of those who are not to get in, by what is wrong with them."""

    def test_a_verified_user_reaches_the_cascade_as_himself(self) -> None:
        witness = Witness()
        self.ask(witness, self.verified(), {})
        assert witness.seen == [AccessContext(self.acting_user)]
        assert witness.seen[0].frontend_groups == ANONYMOUS_GROUPS

    def test_nobody_else_reaches_the_cascade(self) -> None:
        others = self.others()
        assert others
        for wrong, caller in others.items():
            witness = Witness()
            with suppress(Exception):  # refusing is as good as raising: what counts is below
                self.ask(witness, caller, {})
            assert witness.seen == [], wrong

    def test_nobody_becomes_another_user_by_saying_so(self) -> None:
        for name, value in CLAIMS.items():
            witness = Witness()
            with suppress(Exception):
                self.ask(witness, self.verified(), {name: value})
            assert witness.seen in ([], [AccessContext(self.acting_user)]), name

    def test_nobody_gets_in_by_saying_who_he_is(self) -> None:
        for wrong, caller in self.others().items():
            witness = Witness()
            with suppress(Exception):
                self.ask(witness, caller, CLAIMS)
            assert witness.seen == [], wrong
