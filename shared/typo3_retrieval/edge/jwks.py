"""Keys of ES256 and RS256. Whoever imports this needs cryptography; HS256 does without."""

import json
from functools import lru_cache
from typing import Any

import jwt
from jwt.exceptions import MissingCryptographyError

from typo3_retrieval.core.errors import ConfigurationError
from typo3_retrieval.core.secrets import Algorithm, TokenKeys

# A private part must not even reach what verifies.
_PUBLIC = ("kty", "crv", "x", "y", "n", "e")


def check(keys: TokenKeys) -> None:
    """See that every key can be used.

    Raises:
        ConfigurationError: cryptography is missing, or a key is none.
    """
    for key in keys.keys.values():
        verifying_key(key, keys.algorithm)


@lru_cache(maxsize=32)
def verifying_key(key: str, algorithm: Algorithm) -> Any:
    """The public key in a JWK.

    Raises:
        ConfigurationError: there is none, or cryptography is missing.
    """
    return _key(public_part(key), algorithm)


def signing_key(key: str, algorithm: Algorithm) -> Any:
    """The private key in a JWK.

    Raises:
        ConfigurationError: there is none, or cryptography is missing.
    """
    members = json.loads(key)
    if "d" not in members:
        raise ConfigurationError("The active token key is public: it cannot sign.")
    return _key(members, algorithm)


def public_part(key: str) -> dict[str, str]:
    """A JWK's members that anybody may see."""
    return {name: value for name, value in json.loads(key).items() if name in _PUBLIC}


def _key(jwk: dict[str, str], algorithm: Algorithm) -> Any:
    try:
        return jwt.PyJWK(jwk, algorithm=algorithm).key
    except MissingCryptographyError:
        raise ConfigurationError(
            f"{algorithm} needs the package cryptography, which is not in the default layer: "
            f"see docs/tokens.md."
        ) from None
    except (jwt.PyJWKError, jwt.InvalidKeyError):
        # from None: the cause quotes the key.
        raise ConfigurationError(f"A token key is no JWK for {algorithm}.") from None
