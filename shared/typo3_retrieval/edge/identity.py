"""Who acts, on the entrances that have no authorizer before them: found out by the same code.

Nothing that a model chose has a say in it: neither a tool's arguments nor the prompt.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol

from typo3_retrieval.core.access import AccessContext, BackendUser
from typo3_retrieval.core.errors import RetrievalError
from typo3_retrieval.edge.authorizer import Users
from typo3_retrieval.edge.caller import NotAuthenticated
from typo3_retrieval.edge.http import Refused
from typo3_retrieval.edge.log import logger
from typo3_retrieval.edge.tokens import InvalidToken

TOKEN_ATTRIBUTES = ("authorization", "token")  # of a session; in any case

# The authorizer answers for the stage of an API; what it says of the user is all that counts.
_ANY_ROUTE = "arn:aws:execute-api:local:000000000000:agent/agent/POST/tools"


class PolicyMaker(Protocol):
    """The authorizer, as far as it is needed here."""

    def policy(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Answer as a TOKEN authorizer."""


def access_by_session(attributes: object, authorizer: PolicyMaker) -> AccessContext:
    """The right to read of the user whose token the application put into the session.

    Args:
        attributes: the session's attributes, which no model sees or sets.
        authorizer: checks token and user.

    Raises:
        NotAuthenticated: there is no valid token.
        Refused: its user is not active, or that could not be found out.
    """
    given = attributes.items() if isinstance(attributes, Mapping) else ()
    tokens = [value for name, value in given if str(name).lower() in TOKEN_ATTRIBUTES]
    if len(tokens) != 1 or not isinstance(tokens[0], str):
        raise NotAuthenticated("not exactly one token in the session")
    event = {
        "type": "TOKEN",
        "authorizationToken": f"Bearer {tokens[0].removeprefix('Bearer ')}",
        "methodArn": _ANY_ROUTE,
    }
    try:
        policy = authorizer.policy(event)
    except InvalidToken as error:
        raise NotAuthenticated(str(error)) from None
    except RetrievalError as error:
        raise _unknown(error) from error
    effects = [statement["Effect"] for statement in policy["policyDocument"]["Statement"]]
    if effects != ["Allow"]:
        raise Refused(HTTPStatus.FORBIDDEN, "The token names no active backend user.")
    return AccessContext.public_only(BackendUser(policy["principalId"]))


def access_by_gateway(gateway: object, trusted: Mapping[str, int], users: Users) -> AccessContext:
    """The right to read of the user for whom a gateway asks, whose own sign-in is trusted.

    Args:
        gateway: id of the gateway, as the platform tells it.
        trusted: backend user by gateway, from the settings.
        users: who is active.

    Raises:
        Refused: the gateway is not named in the settings, its user is not active, or that could
            not be found out.
    """
    user = trusted.get(gateway) if isinstance(gateway, str) else None
    if user is None:
        raise Refused(HTTPStatus.UNAUTHORIZED, "This gateway is not trusted.")
    try:
        active = users.is_active(user)
    except RetrievalError as error:
        raise _unknown(error) from error
    if not active:
        raise Refused(HTTPStatus.FORBIDDEN, "The gateway asks for no active backend user.")
    return AccessContext.public_only(BackendUser(str(user)))


def _unknown(error: RetrievalError) -> Refused:
    """Nobody gets in, and nobody is told that he may not."""
    logger.warning("who calls is not known", extra={"reason": str(error)})
    return Refused(
        HTTPStatus.SERVICE_UNAVAILABLE, "Who calls cannot be found out now; try again later."
    )
