"""The TOKEN authorizer: a verified token of an active backend user, or nobody gets in."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from typo3_retrieval.core.errors import RetrievalError
from typo3_retrieval.core.secrets import ANEW, MAX_AGE, TokenKeys
from typo3_retrieval.edge.log import log_unexpected, logger
from typo3_retrieval.edge.tokens import MAX_BYTES, Claims, InvalidToken, UnknownKey, verify

# Seconds between two readings of the keys for ids that stayed unknown. Short, because a new key
# signs as soon as it is there; not 0, because anybody may invent ids.
UNKNOWN_KEY_SECONDS = 1

# Case matters: RFC 6750 lets a scheme be written in any case, this API has one spelling.
_BEARER = re.compile(r"Bearer ([^\s,]+)")
_METHOD_ARN = re.compile(r"(arn:[^/]+/[^/]+)/.+")  # captures API and stage


class Users(Protocol):
    """Who is an active backend user."""

    def is_active(self, uid: int) -> bool:
        """Whether the user may ask now.

        Raises:
            BackendError: that could not be found out.
        """


class Undecided(Exception):
    """It could not be found out who calls: the gateway answers 503."""


class EveryTokenHolder:
    """Believes the signature alone, for installations whose tokens are short-lived."""

    def is_active(self, uid: int) -> bool:
        """Whoever signed the token knew the user a short time ago."""
        return True


class Authorizer:
    """Decides about a caller.

    Args:
        keys: gives the token keys, at most that many seconds old.
        users: who is active.
        now: UNIX epoch, seconds.
    """

    def __init__(
        self, *, keys: Callable[[int], TokenKeys], users: Users, now: Callable[[], int]
    ) -> None:
        self._keys = keys
        self._users = users
        self._now = now
        self._unknown_at = -UNKNOWN_KEY_SECONDS  # when the keys were read in vain; epoch, seconds

    def policy(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Answer API Gateway.

        Args:
            event: of a TOKEN authorizer.

        Returns:
            A policy for every route of the API's stage, because API Gateway caches it for
            all of them: Allow for an active user, else Deny.

        Raises:
            InvalidToken: no valid token → 401.
            RetrievalError: it could not be found out → 503.
        """
        stage = _METHOD_ARN.fullmatch(str(event.get("methodArn", "")))
        if stage is None:
            raise InvalidToken("no methodArn")
        claims = self.verified(event.get("authorizationToken"))
        active = self._users.is_active(int(claims.subject))
        return {
            "principalId": claims.subject,
            "policyDocument": {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Action": "execute-api:Invoke",
                        "Effect": "Allow" if active else "Deny",
                        "Resource": [f"{stage[1]}/*/*"],
                    }
                ],
            },
            "context": {"sub": claims.subject, "exp": str(claims.expires_at)},
        }

    def verified(self, header: object) -> Claims:
        """Check an Authorization header.

        Raises:
            InvalidToken: it holds no valid token.
            RetrievalError: the keys could not be read.
        """
        if not isinstance(header, str) or len(header) > MAX_BYTES:
            raise InvalidToken("no header of acceptable length")
        bearer = _BEARER.fullmatch(header)
        if bearer is None:
            raise InvalidToken("no bearer token")
        try:
            claims = verify(bearer[1], self._keys(MAX_AGE), now=self._now())
        except UnknownKey:
            claims = self._verified_anew(bearer[1])
        logger.info("token verified", extra={"token": claims.token_id, "key": claims.key_id})
        return claims

    def _verified_anew(self, token: str) -> Claims:
        """Verify with keys that are read now: one may just have been added."""
        now = self._now()
        if now - self._unknown_at < UNKNOWN_KEY_SECONDS:
            raise UnknownKey("unknown key id")
        try:
            return verify(token, self._keys(ANEW), now=now)
        except UnknownKey:
            self._unknown_at = now
            raise


def authorizer_handler(
    authorizer: Authorizer,
) -> Callable[[Mapping[str, Any], object], dict[str, Any]]:
    """Wrap *authorizer* as a Lambda handler, with the errors that API Gateway understands."""

    def lambda_handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
        try:
            policy = authorizer.policy(event)
        except InvalidToken as error:
            logger.info("token refused", extra={"reason": str(error)})
            # This very text makes API Gateway answer 401; any other error, 500.
            raise Exception("Unauthorized") from None
        except Exception as error:  # noqa: BLE001  # the border: fail closed, and quietly
            if isinstance(error, RetrievalError):
                logger.error("caller not checked", extra={"reason": str(error)})
            else:
                log_unexpected(error)
            # A stranger's message and its causes may quote a token or a user's name, and Lambda
            # would log them.
            raise Undecided("it cannot be found out who calls") from None
        effect = policy["policyDocument"]["Statement"][0]["Effect"]
        logger.info("token accepted", extra={"user": policy["principalId"], "effect": effect})
        return policy

    return lambda_handler
