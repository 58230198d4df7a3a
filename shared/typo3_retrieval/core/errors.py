"""What can go wrong, and whose fault it is.

RetrievalError
├─ InvalidInput            the caller's value is out of grammar or range → 400
├─ SourceNotFound          unknown, gone or not public: never told apart → 404
├─ ConfigurationError      the operator's setting; raised at the start   → start stops
└─ BackendError            one engine did not answer
   ├─ BackendUnavailable      refused, timed out, HTTP 5xx               → next backend
   └─ BackendProtocolError    answered, but not in the agreed shape      → next backend
"""


class RetrievalError(Exception):
    """Base of everything that this package raises on purpose."""


class InvalidInput(RetrievalError, ValueError):
    """The caller's value is outside the documented grammar or range."""


class SourceNotFound(RetrievalError, LookupError):
    """No public source has this id. Why is not told: absence must not reveal existence."""


class ConfigurationError(RetrievalError):
    """The operator's setting is missing or wrong; its message names the setting."""


class BackendError(RetrievalError):
    """One engine did not answer. The cascade knows which one it asked.

    Args:
        message: what happened, for the operator's log.
        reason: one or two words for the attempt list; no host, no secret.
        cools_down: whether the backend should not be asked again for a while: what failed is
            the engine, and not this one question, language or site.
    """

    reason = "failed"
    cools_down = False

    def __init__(
        self, message: str, *, reason: str | None = None, cools_down: bool | None = None
    ) -> None:
        super().__init__(message)
        if reason is not None:
            self.reason = reason
        if cools_down is not None:
            self.cools_down = cools_down


class BackendUnavailable(BackendError):
    """The engine could not be reached: refused, timed out, or HTTP 5xx."""

    reason = "unavailable"
    cools_down = True


class BackendProtocolError(BackendError):
    """The engine answered, but not in the shape that its protocol promises."""

    reason = "protocol error"
