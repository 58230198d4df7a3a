"""What `make demo` shows."""

import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.text import Text

from typo3_retrieval.adapters.secrets import Secrets
from typo3_retrieval.bootstrap import token_keys
from typo3_retrieval.edge import tokens
from typo3_retrieval.edge.models import FetchResponse, QueryResponse
from typo3_retrieval.edge.settings import Settings
from typo3_retrieval_cli import views
from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.demo.server import ServerFailed, running
from typo3_retrieval_cli.output import FAILED, fail, show, tell

ENGLISH = {"question": "When is bulky waste collected?"}
GERMAN = {"question": "Wie viel kostet ein Reisepass?", "language": "de"}
HIDDEN = {"question": "budget draft"}  # the title of a hidden page
SECONDS = 30  # for one request
TOKEN_SECONDS = 3600


def tour(folder: Path, *, stay: bool = False, kept: bool = False) -> None:
    """Make the demo site in *folder* and show what the system does with it.

    Args:
        folder: for the site, its secrets and the server's log.
        stay: leave the server running until Ctrl-C.
        kept: *folder* stays when this is over.

    Raises:
        typer.Exit: the server did not start or did not answer as it should.
    """
    environment = site.create(folder)
    tell(f"Made the TYPO3 site of the town of Lindenau in {folder}", style="dim")
    arguments = (f"--demo-token={site.EDITOR}",) if stay else ()
    with ExitStack() as stack:
        try:
            with Console(stderr=True).status("Starting the local server …"):
                url, server = stack.enter_context(
                    running(environment, *arguments, log=folder / "server.log")
                )
            client = stack.enter_context(httpx.Client(base_url=url, timeout=SECONDS))
            _ask(client, _token(environment))
        except ServerFailed as error:
            fail(str(error), FAILED)
        except httpx.HTTPError as error:
            fail(f"The server did not answer as it should: {error}", FAILED)
        if stay:
            _stay(url, server)
    if kept:
        _tell_settings(environment)


def _ask(client: httpx.Client, token: str) -> None:
    """Ask over HTTP, as any client of the API would.

    Raises:
        httpx.HTTPError: an answer is missing or reports an error.
    """
    refused = client.post("query", json=ENGLISH)
    _title(f"Without a token: {refused.status_code} {refused.reason_phrase}")
    client.headers["Authorization"] = f"Bearer {token}"

    best = _query(client, ENGLISH)
    _query(client, GERMAN)
    if best.sources:
        _fetch(client, {"source_id": best.sources[0].source_id})
    _query(client, HIDDEN)
    show(Text("That page is there, but hidden in TYPO3: it is in no answer.", style="italic"))


def _query(client: httpx.Client, request: Mapping[str, Any]) -> QueryResponse:
    answer = QueryResponse.model_validate(_post(client, "query", request))
    views.evidence(answer)
    return answer


def _fetch(client: httpx.Client, request: Mapping[str, Any]) -> None:
    views.document(FetchResponse.model_validate(_post(client, "fetch-source", request)))


def _post(client: httpx.Client, route: str, request: Mapping[str, Any]) -> Any:
    started = time.monotonic()
    response = client.post(route, json=request)
    milliseconds = round((time.monotonic() - started) * 1000)
    shown = ", ".join(f"{name}: {value}" for name, value in request.items())
    _title(f"POST /{route}  {shown}  ({response.status_code}, {milliseconds} ms)")
    return response.raise_for_status().json()


def _token(environment: Mapping[str, str]) -> str:
    """A token for the demo's editor, as `typo3-retrieval token mint` makes it."""
    now = int(time.time())
    keys = token_keys(Settings.from_environment(environment), Secrets(now=lambda: now))
    return tokens.mint(site.EDITOR, keys, now=now, ttl=TOKEN_SECONDS)


def _stay(url: str, server: "subprocess.Popen[str]") -> None:
    _title(f"Try it in a browser: {url}  (stop with Ctrl-C)")
    with suppress(KeyboardInterrupt):
        server.wait()


def _tell_settings(environment: Mapping[str, str]) -> None:
    tell("\nThe site stays. To use it:", style="dim")
    for name, value in environment.items():
        tell(f"  export {name}={value}", style="dim")


def _title(text: str) -> None:
    show("", Text(text, style="bold blue"))
