"""The AWS Parameters and Secrets Lambda extension: Secrets Manager's answers from localhost.

Its layer is optional. Where it is there, boto3 need not be imported, which costs a cold start
more than all the rest.
"""

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from urllib.parse import quote

PORT = "PARAMETERS_SECRETS_EXTENSION_HTTP_PORT"  # set where the layer is configured
TOKEN = "AWS_SESSION_TOKEN"  # noqa: S105  # the variable's name; its value proves who asks
SECONDS = 2
MAX_BYTES = 256 * 1024  # the secret, quoted once more, and what stands around it


def secret_string(reference: str, environ: Mapping[str, str]) -> str | None:
    """Ask the extension for the current version of a secret.

    Args:
        reference: ARN or name in Secrets Manager.
        environ: that of the Lambda function.

    Returns:
        The secret; None when the extension is not there, not ready (as while Lambda
        initialises), or has no answer. Secrets Manager itself then tells why.
    """
    port, token = environ.get(PORT, ""), environ.get(TOKEN, "")
    if not port.isdecimal() or not token:
        return None
    try:
        path = f"/secretsmanager/get?secretId={quote(reference, safe='')}"
        status, content = _get(int(port), path, token)
        document = json.loads(content) if status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    found = document.get("SecretString") if isinstance(document, dict) else None
    return found if isinstance(found, str) else None


def _get(port: int, path: str, token: str) -> tuple[int, bytes]:
    # http.client and not urllib.request, which would obey a proxy of the environment.
    connection = HTTPConnection("localhost", port, timeout=SECONDS)
    try:
        connection.request("GET", path, headers={"X-Aws-Parameters-Secrets-Token": token})
        response = connection.getresponse()
        return response.status, response.read(MAX_BYTES)
    finally:
        connection.close()
