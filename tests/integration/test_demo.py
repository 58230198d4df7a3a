"""`make demo`, and commands that only a real process shows: streams, signals, pipes."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from typo3_retrieval_cli.demo import site
from typo3_retrieval_cli.demo.server import ServerFailed, running

COMMAND = [sys.executable, "-m", "typo3_retrieval_cli"]


def test_the_demo_shows_cited_evidence_and_leaves_nothing(tmp_path: Path) -> None:
    shown = subprocess.run(
        [*COMMAND, "demo"],
        env={**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert "401 Unauthorized" in shown.stdout
    assert "https://www.lindenau.example/citizen-services/waste-collection" in shown.stdout
    assert "/de/buergerservice/reisepass-und-personalausweis" in shown.stdout
    assert "no plastic bags" in shown.stdout
    assert "No evidence" in shown.stdout
    assert not list(tmp_path.iterdir())


def test_a_kept_demo_can_be_used(tmp_path: Path) -> None:
    folder = tmp_path / "lindenau"

    shown = subprocess.run(
        [*COMMAND, "demo", "--keep", str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert "POST /query 200" in (folder / "server.log").read_text()
    lines = [line.strip() for line in shown.stderr.splitlines() if "export " in line]
    settings = dict(line.removeprefix("export ").split("=", 1) for line in lines)
    asked = subprocess.run(
        [*COMMAND, "ask", "Hundesteuer", "--language=de", "--json"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(asked.stdout)["sources"][0]["page_uid"] == 7


@pytest.mark.parametrize("variable", ["RETRIEVAL_TOKEN_SECRET", "RETRIEVAL_TYPO3_SECRET"])
def test_a_server_that_cannot_start_says_why(tmp_path: Path, variable: str) -> None:
    environment = {**site.create(tmp_path), variable: "file:///nowhere.json"}

    with (
        pytest.raises(ServerFailed, match=variable),
        running(environment, log=tmp_path / "server.log"),
    ):
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_stops_cleanly_though_a_connection_is_kept(
    tmp_path: Path, number: signal.Signals
) -> None:
    with running(site.create(tmp_path), log=tmp_path / "server.log") as (url, process):
        address = urlsplit(url)
        with socket.create_connection((address.hostname, address.port), timeout=10) as kept:
            kept.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            kept.recv(100)
            process.send_signal(number)

            assert process.wait(timeout=10) == 0


def test_a_demo_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "demo", "--serve"],
        env={**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        words = (word for line in process.stdout for word in line.split())
        url = next(word for word in words if word.startswith("http://127.0.0.1"))
        process.terminate()
        process.wait(timeout=20)

    address = urlsplit(url)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        started = subprocess.run(
            [*COMMAND, "serve", "--port", str(taken.getsockname()[1])],
            env={**os.environ, **site.create(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert started.returncode == 1
    assert "cannot be listened on" in started.stderr


def test_a_token_is_not_put_into_a_page_that_others_reach(tmp_path: Path) -> None:
    started = subprocess.run(
        [*COMMAND, "serve", "--host=0.0.0.0", "--port=0", "--demo-token=10"],
        env={**os.environ, **site.create(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert started.returncode == 2
    assert "loopback" in started.stderr


def test_who_waits_for_each_answer_of_a_batch_gets_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "visible", "--batch"],
        env={**os.environ, **site.create(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for page in (3, 40):
            process.stdin.write(f'{{"page": {page}}}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["visible"] is (page == 3)


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    asked = subprocess.run(
        [*COMMAND, "ask", "Prüfung wiederholen", "--language=de"],
        env={**os.environ, **site.create(tmp_path), "LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert "Prüfungsordnung" in asked.stdout.decode("utf-8")
