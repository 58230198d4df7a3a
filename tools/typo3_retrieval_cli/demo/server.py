"""The local server in a process of its own, as an operator would start it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

STOP_SECONDS = 10


class ServerFailed(Exception):
    """The server did not start; the message is what it wrote."""


@contextmanager
def running(
    environment: Mapping[str, str], *arguments: str, log: Path
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Run ``typo3-retrieval serve`` on a free port; yield its URL and process.

    Args:
        environment: the settings; other RETRIEVAL_* variables are not handed on.
        arguments: for the command.
        log: the file for what it writes on stderr.

    Raises:
        ServerFailed: it does not start.
    """
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("RETRIEVAL_")
    }
    command = [sys.executable, "-m", "typo3_retrieval_cli", "serve", "--port=0", "--json"]
    with log.open("w", encoding="utf-8") as stderr:
        # S603: our own module, with the same interpreter.
        process = subprocess.Popen(  # noqa: S603
            [*command, *arguments],
            env={**inherited, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    try:
        yield _url(process, log), process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _url(process: "subprocess.Popen[str]", log: Path) -> str:
    """Read the line that the server prints when it listens, or when it cannot."""
    line = process.stdout.readline() if process.stdout is not None else ""
    answer = json.loads(line) if line else {"error": log.read_text(encoding="utf-8").strip()}
    if "url" not in answer:
        raise ServerFailed(answer["error"])
    return str(answer["url"])
