"""serve: the template's API on this machine."""

import logging
import os
import signal
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from typo3_retrieval_cli.options import Json, system_of
from typo3_retrieval_cli.output import FAILED, WRONG_USAGE, fail, show, tell, write_json

if TYPE_CHECKING:
    from typo3_retrieval_cli.server.functions import Functions
    from typo3_retrieval_cli.server.page import Page
    from typo3_retrieval_cli.server.template import Template
    from typo3_retrieval_cli.server.web import LocalServer
    from typo3_retrieval_cli.system import System

LOOPBACK = "127.0.0.1"
TOKEN_SECONDS = 8 * 3600  # a page that stays open for a working day

# For the handlers of this process, unless the environment says otherwise: the server writes
# its own line for each request, and nobody collects metrics here.
_QUIET = {"POWERTOOLS_LOG_LEVEL": "WARNING", "POWERTOOLS_METRICS_DISABLED": "true"}


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8080,
    template: Annotated[
        Path | None, typer.Option(help="The SAM template.", show_default="template.yaml")
    ] = None,
    demo_token: Annotated[
        int | None,
        typer.Option(
            metavar="UID",
            min=1,
            help="Put a token for this backend user into the page; on loopback only.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Serve template.yaml's routes through its authorizer, and a page at / to try them.

    It behaves as API Gateway and Lambda would, on one machine: one request at a time, in one
    process.
    """
    from typo3_retrieval_cli.server.functions import Functions
    from typo3_retrieval_cli.server.gateway import Gateway
    from typo3_retrieval_cli.server.web import LocalServer

    system = system_of(context)
    _log_requests()
    functions = Functions()
    # What handlers print must not mix with this command's result.
    with redirect_stdout(sys.stderr):
        read = _template(template)
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        page = _page(system, demo_token)
        _load(functions, read)
    try:
        server = LocalServer(host, port, Gateway(read, functions), page)
    except OSError as error:
        fail(f"{host}:{port} cannot be listened on: {error.strerror}.", FAILED)
    if demo_token is not None and not server.is_loopback():
        server.server_close()
        fail("--demo-token is for loopback hosts only.", WRONG_USAGE)
    if as_json:
        write_json({"url": server.url})
    else:
        show(server.url)
    _tell_how_to_use(server, demo_token)
    with redirect_stdout(sys.stderr):
        _run(server)
    functions.close()


def _log_requests() -> None:
    """Write the server's own lines to stderr.

    By a handler of its own: Powertools keeps everything from the root's handlers whose name
    begins as its own logger's, and ours do.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log = logging.getLogger("typo3_retrieval_cli.server")
    log.handlers = [handler]
    log.setLevel(logging.INFO)
    log.propagate = False


def _run(server: "LocalServer") -> None:
    """Serve until Ctrl-C or SIGTERM."""
    # Both by name: a shell may have started this process with SIGINT ignored.
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        tell("Stopped.", style="dim")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        server.server_close()


def _template(path: Path | None) -> "Template":
    from typo3_retrieval_cli.server.template import TemplateError, read_template

    try:
        return read_template(path or _default_template())
    except TemplateError as error:
        fail(f"{error} Name another with --template.", WRONG_USAGE)


def _default_template() -> Path:
    """template.yaml here, or that of the checkout this command was installed from."""
    here = Path("template.yaml")
    checkout = Path(__file__).parents[3] / "template.yaml"
    return checkout if not here.is_file() and checkout.is_file() else here


def _page(system: "System", user: int | None) -> "Page":
    """The page; building the system for it finds wrong settings before the first request."""
    from typo3_retrieval.edge import tokens
    from typo3_retrieval_cli.server.page import Page

    sites = system.services().sites
    keys = system.token_keys()
    languages = {language.code for site in sites for language in site.languages if language.enabled}
    token = ""
    if user is not None:
        token = tokens.mint(user, keys, now=system.now(), ttl=TOKEN_SECONDS)
    return Page(sites=[site.identifier for site in sites], languages=sorted(languages), token=token)


def _load(functions: "Functions", template: "Template") -> None:
    from typo3_retrieval.core.errors import ConfigurationError
    from typo3_retrieval_cli.server.functions import HandlerFailed

    wanted = {route.function.name: route.function for route in template.routes}
    if template.authorizer is not None:
        wanted[template.authorizer.function.name] = template.authorizer.function
    try:
        for function in wanted.values():
            functions.load(function)
    except HandlerFailed as error:
        is_setting = isinstance(error.__cause__, ConfigurationError)
        fail(str(error), WRONG_USAGE if is_setting else FAILED)


def _tell_how_to_use(server: "LocalServer", demo_token: int | None) -> None:
    if not server.is_loopback():
        tell("Others on your network can reach this address.", style="yellow")
    if demo_token is None:
        tell("Every route needs a token: typo3-retrieval token mint --user UID", style="dim")
    tell("Stop with Ctrl-C.", style="dim")
