"""Secrets from a file or from AWS Secrets Manager, remembered for some minutes."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from typo3_retrieval.adapters.secrets_extension import secret_string
from typo3_retrieval.core.errors import BackendUnavailable, ConfigurationError
from typo3_retrieval.core.secrets import MAX_AGE, REFUSED, SecretReference

if TYPE_CHECKING:
    from types_boto3_secretsmanager import SecretsManagerClient

MAX_BYTES = 64 * 1024  # Secrets Manager's own limit
CONNECT_SECONDS = 2
READ_SECONDS = 3

# Errors of its API that pass; every other one is a wrong setting or a missing right.
_PASSING = {
    "InternalFailure",
    "InternalServiceError",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "Throttling",
    "ThrottlingException",
}


def boto3_client(region: str | None) -> "SecretsManagerClient":
    """Make a client of Secrets Manager; None takes the region of the environment."""
    import boto3  # here: it costs a cold start more than all the rest, and files need none
    from botocore.config import Config

    limits = Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"total_max_attempts": 2, "mode": "standard"},
    )
    return boto3.client("secretsmanager", region_name=region, config=limits)


class Secrets:
    """A `SecretSource`.

    Args:
        now: UNIX epoch, seconds. Not a monotonic clock: that one may stand still while
            Lambda keeps an environment frozen.
        client: makes a client of Secrets Manager for a region.
        environ: AWS's own variables, which tell whether the extension is there.
    """

    def __init__(
        self,
        *,
        now: Callable[[], int],
        client: Callable[[str | None], "SecretsManagerClient"] = boto3_client,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._environ = environ
        self._now = now
        self._client = client
        self._clients: dict[str | None, SecretsManagerClient] = {}
        self._remembered: dict[str, tuple[int, Mapping[str, object]]] = {}

    def read(self, reference: SecretReference, *, max_age: int = MAX_AGE) -> Mapping[str, object]:
        """See `SecretSource.read`."""
        now = self._now()
        since, known = self._remembered.get(reference.reference, (0, None))
        if known is not None and now - since < max_age:
            return known
        # The extension has a memory of its own, which is no help when ours is not believed.
        document = self._fetched(reference, extension=max_age >= MAX_AGE)
        if max_age == REFUSED and document == known:
            # What was refused is still current. A rotation changes the server's password first
            # and makes it current then: in between, it is the pending one.
            document = self._pending(reference) or document
        self._remembered[reference.reference] = (now, document)
        return document

    def _fetched(self, reference: SecretReference, *, extension: bool) -> Mapping[str, object]:
        text = self._from_extension(reference) if extension else None
        if text is None:
            is_file = _is_file(reference)
            text = _from_file(reference) if is_file else self._from_manager(reference, "AWSCURRENT")
        document = _parsed(text)
        if not isinstance(document, dict):
            raise ConfigurationError(f"The secret of {reference.setting} is no JSON object.")
        return document

    def _pending(self, reference: SecretReference) -> Mapping[str, object] | None:
        if _is_file(reference):
            return None
        try:
            document = _parsed(self._from_manager(reference, "AWSPENDING"))
        except (BackendUnavailable, ConfigurationError):  # no rotation is under way
            return None
        return document if isinstance(document, dict) else None

    def _from_extension(self, reference: SecretReference) -> str | None:
        is_file = _is_file(reference)
        return None if is_file else secret_string(reference.reference, self._environ)

    def _from_manager(self, reference: SecretReference, stage: str) -> str:
        from botocore.exceptions import (  # here: as boto3
            BotoCoreError,
            ClientError,
            ConnectionError,
            HTTPClientError,
        )

        try:
            value = self._client_for(reference).get_secret_value(
                SecretId=reference.reference, VersionStage=stage
            )
        except ClientError as error:
            code = error.response["Error"]["Code"]
            raise (_passing if code in _PASSING else _lasting)(reference, code) from error
        except (ConnectionError, HTTPClientError) as error:
            raise _passing(reference, type(error).__name__) from error
        except BotoCoreError as error:  # such as no credentials, no region
            raise _lasting(reference, type(error).__name__) from error
        return value.get("SecretString", "")  # a binary secret is none of ours

    def _client_for(self, reference: SecretReference) -> "SecretsManagerClient":
        parts = reference.reference.split(":")
        region = parts[3] if parts[0] == "arn" and len(parts) > 3 else None
        if region not in self._clients:
            self._clients[region] = self._client(region)
        return self._clients[region]


def _is_file(reference: SecretReference) -> bool:
    return reference.reference.startswith("file:")


def _from_file(reference: SecretReference) -> str:
    path = Path(unquote(urlsplit(reference.reference).path))
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            f"{reference.setting} names the file {path}, which cannot be read: {error.strerror}."
        ) from error
    return "" if len(content) > MAX_BYTES else content.decode("utf-8", "replace")


def _parsed(text: str) -> object:
    """The JSON value, None when it is none. The parser's error would carry the text along."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _passing(reference: SecretReference, code: str) -> BackendUnavailable:
    return BackendUnavailable(
        f"Secrets Manager did not give the secret of {reference.setting}: {code}",
        reason="secret store unavailable",
    )


def _lasting(reference: SecretReference, code: str) -> ConfigurationError:
    return ConfigurationError(
        f"{reference.setting} names a secret that Secrets Manager does not give: {code}."
    )
