"""Fresh keys for tokens, as the secret that RETRIEVAL_TOKEN_SECRET names holds them."""

import json
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typo3_retrieval.core.secrets import Algorithm

SECRET_BYTES = 48  # of an HS256 key, before Base64: 1.5 times the hash, no entropy is lost
RSA_BITS = 3072

Secret = Mapping[str, Any]


class NoSecret(Exception):
    """What is to get a new key is no secret with token keys."""


def new_secret(algorithm: "Algorithm", kid: str) -> dict[str, Any]:
    """A secret with one key, which signs.

    Raises:
        ConfigurationError: what *algorithm* needs is not installed.
    """
    if algorithm == "HS256":
        return {"keys": {kid: secrets.token_urlsafe(SECRET_BYTES)}, "active": kid}
    return {"keys": [{**_private_jwk(algorithm), "kid": kid}], "active": kid}


def with_new_key(
    secret: Secret, algorithm: "Algorithm", kid: str, *, drop: Sequence[str] = ()
) -> dict[str, Any]:
    """The secret with one more key, which signs from now on; the others still verify.

    Args:
        secret: as it was.
        algorithm: of the keys in it.
        kid: of the new key.
        drop: ids of keys to remove: their tokens have run out.

    Raises:
        NoSecret: *secret* holds no such keys, or has this id already.
        ConfigurationError: what *algorithm* needs is not installed.
    """
    old, new = secret.get("keys"), new_secret(algorithm, kid)
    if kid in ids(secret):
        raise NoSecret(f"there is a key {kid} already")
    if isinstance(old, dict) and algorithm == "HS256":
        keys: Any = {name: key for name, key in old.items() if name not in drop} | new["keys"]
    elif isinstance(old, list) and algorithm != "HS256":
        keys = [jwk for jwk in old if _id(jwk) not in drop] + new["keys"]
    else:
        raise NoSecret(f'it has no "keys" for {algorithm}')
    return {**secret, "keys": keys, "active": kid}


def ids(secret: Secret) -> list[str]:
    """The ids of the keys in a secret."""
    keys = secret.get("keys")
    if isinstance(keys, dict):
        return list(keys)
    return [_id(jwk) for jwk in keys] if isinstance(keys, list) else []


def read(text: str) -> Secret:
    """Parse a secret.

    Raises:
        NoSecret: it is no JSON object. Its text is not repeated.
    """
    found: object = None
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
    if not isinstance(found, dict):
        raise NoSecret("it is no JSON object")
    return found


def write(path: Path, secret: Secret) -> None:
    """Replace the file in one step; who may read it stays as it was, at first its owner."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "w") as file:
            json.dump(secret, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)  # a server that reads meanwhile has the old content or the new one
    finally:
        new.unlink(missing_ok=True)


def _id(jwk: object) -> str:
    return str(jwk.get("kid", "")) if isinstance(jwk, dict) else ""


def _private_jwk(algorithm: "Algorithm") -> dict[str, Any]:
    from typo3_retrieval.core.errors import ConfigurationError

    try:
        from cryptography.hazmat.primitives.asymmetric import ec, rsa
        from jwt.algorithms import ECAlgorithm, RSAAlgorithm
    except ImportError:
        raise ConfigurationError(
            f"{algorithm} needs the package cryptography: see docs/tokens.md."
        ) from None
    if algorithm == "ES256":
        jwk = ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()), as_dict=True)
    else:
        key = rsa.generate_private_key(public_exponent=65537, key_size=RSA_BITS)
        jwk = RSAAlgorithm.to_jwk(key, as_dict=True)
    jwk.pop("key_ops", None)  # "sign" alone, which would be wrong of the public part
    return {**jwk, "use": "sig", "alg": algorithm}
