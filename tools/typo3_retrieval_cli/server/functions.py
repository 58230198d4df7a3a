"""Loads and calls handlers as Lambda does it, with one difference: one process for all."""

import importlib.util
import logging
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from typo3_retrieval_cli.server.template import Function

log = logging.getLogger(__name__)

Event = dict[str, Any]
Handler = Callable[[Event, "LambdaContext"], Any]

UNAUTHORIZED = "Unauthorized"  # the message by which an authorizer asks for a 401
GATEWAY_TIMEOUT = 29  # seconds; API Gateway waits no longer for an integration


class HandlerFailed(Exception):
    """The handler raised. Lambda tells its caller the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LambdaContext:
    """The object that Lambda hands to a handler beside the event."""

    function_name: str
    timeout: int  # seconds
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 512
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    started: float = field(default_factory=time.monotonic)

    @property
    def invoked_function_arn(self) -> str:
        return f"arn:aws:lambda:local:000000000000:function:{self.function_name}"

    @property
    def log_group_name(self) -> str:
        return f"/aws/lambda/{self.function_name}"

    @property
    def log_stream_name(self) -> str:
        return "local"

    def get_remaining_time_in_millis(self) -> int:
        """Time until Lambda would end this invocation."""
        return max(0, round((self.started + self.timeout - time.monotonic()) * 1000))


class Functions:
    """The functions of one template, each loaded at its first call.

    Lambda gives an execution environment one request at a time, so handlers and their kept
    connections need not be safe for threads. All calls therefore run in one thread, one after
    the other, over all functions: they share this process's modules and connections.
    """

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lambda")

    def call(self, function: Function, event: Event) -> Any:
        """Call a function's handler and return what it returns.

        Raises:
            HandlerFailed: it raised, or could not be loaded.
            TimeoutError: it took longer than its own or the gateway's limit.
        """
        call = self._thread.submit(self._call, function, event)
        return call.result(timeout=min(function.timeout, GATEWAY_TIMEOUT))

    def load(self, function: Function) -> None:
        """Load a function's handler now, so that the first request does not wait for it.

        Raises:
            HandlerFailed: it could not be loaded.
        """
        self._thread.submit(self._handler, function).result()

    def close(self) -> None:
        """Forget what waits; a call that runs ends with the process."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _call(self, function: Function, event: Event) -> Any:
        handler = self._handler(function)
        try:
            return handler(
                event, LambdaContext(function_name=function.name, timeout=function.timeout)
            )
        except Exception as error:
            if str(error) != UNAUTHORIZED:
                log.error("%s raised %s: %s", function.name, type(error).__name__, error)
            log.debug("%s raised", function.name, exc_info=True)
            raise HandlerFailed(str(error)) from error

    def _handler(self, function: Function) -> Handler:
        if function.name not in self._handlers:
            try:
                self._handlers[function.name] = _load(function)
            except Exception as error:
                raise HandlerFailed(f"{function.name} cannot be loaded: {error}") from error
        return self._handlers[function.name]


def _load(function: Function) -> Handler:
    """Import a handler's module from its CodeUri, as Lambda imports it from /var/task.

    Every function's module has the same name, `handler`, and may have neighbours of the same
    names: each is loaded under a name of its own, and its neighbours are forgotten again.
    """
    module_name, _, attribute = function.handler.rpartition(".")
    path = function.code / f"{module_name.replace('.', '/')}.py"
    spec = importlib.util.spec_from_file_location(f"lambda_{function.name}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(f"there is no {path}")
    module = importlib.util.module_from_spec(spec)
    task = str(function.code.resolve())
    known = {*sys.modules, spec.name}
    sys.modules[spec.name] = module
    sys.path.insert(0, task)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(task)
        for name in set(sys.modules) - known:
            if _lies_in(sys.modules[name], task):
                del sys.modules[name]
    handler: Handler = getattr(module, attribute)
    return handler


def _lies_in(module: ModuleType, folder: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.startswith(f"{folder}/")
