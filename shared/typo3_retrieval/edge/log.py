"""The log of functions and local server: JSON lines that carry the request's id.

Questions, tokens and secrets never get in at INFO or above.
"""

import sys
from traceback import extract_tb

from aws_lambda_powertools import Logger


class _Stderr:
    """Today's sys.stderr: stdout belongs to the command line's results."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


# Named like the package, so that the loggers of all its modules write through it.
logger = Logger(service="typo3_retrieval", stream=_Stderr())  # type: ignore[arg-type]  # is enough


def log_unexpected(error: BaseException) -> None:
    """Log where *error* arose, without its message, which may quote a question."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in extract_tb(error.__traceback__)]
    logger.error("unexpected error", extra={"error": type(error).__name__, "at": places})
    logger.debug("unexpected error", exc_info=error)
