"""Many requests at once while the servers behind are killed and started again.

An execution environment of Lambda has one request at a time, so each worker is one: services of
its own, one connection to the database, one client of Solr.
"""

import itertools
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.contract.site import CONTENT, PAGES
from tests.contract.solr_documents import documents
from tests.contract.tables import create_statements, insert_statement
from tests.integration.faults import Answer, Entrances, entrances, solr_at
from tests.servers import mariadb, solr
from tests.servers.mariadb import HOST, ROOT, MariaDb
from typo3_retrieval.adapters.mysql import MysqlDatabase
from typo3_retrieval.core.secrets import Credentials

NAME, CORE = "chaos", "core_en"
QUESTIONS = ("When is bulky waste collected?", "waste", "public toys", "depot waste")
DEADLINE = 8.0  # seconds; the service's own default
UNSEARCHED = "Freshness was not checked: no database is reachable."


@dataclass
class Killable:
    """A server on a port that stays, whatever happens to its process."""

    start: "Callable[[], subprocess.Popen[bytes]]"
    process: "subprocess.Popen[bytes] | None" = None

    def up(self) -> None:
        self.process = self.start()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@contextmanager
def killable_mariadb() -> Iterator[tuple[int, Killable]]:
    programs = mariadb.installation()
    with tempfile.TemporaryDirectory(prefix="mariadb-") as scratch:
        folder = Path(scratch)
        mariadb._initialise(programs, folder)
        port = mariadb._free_port()

        def start() -> "subprocess.Popen[bytes]":
            process = mariadb._launch(programs, folder, port, folder / "server.log")
            assert mariadb._answers(process, port, time.monotonic() + mariadb.START_TIMEOUT)
            return process

        server = Killable(start)
        server.up()
        try:
            yield port, server
        finally:
            server.kill()


@contextmanager
def killable_solr() -> Iterator[tuple[int, Killable]]:
    library, plugins = solr.installation()
    cores = {CORE: solr.Core()}
    home = Path(tempfile.mkdtemp(prefix="solr-"))
    solr._furnish(home, plugins, cores, basic_auth=False)
    # The tests' Solr has its index in memory, where a kill would empty it.
    config = home / CORE / "conf" / "solrconfig.xml"
    on_disk = config.read_text().replace("ByteBuffersDirectoryFactory", "MMapDirectoryFactory")
    config.write_text(on_disk)
    port = solr._free_port()

    def start() -> "subprocess.Popen[bytes]":
        process = solr._launch(home, library, port, home / "server.log")
        assert solr._answers(process, port, cores, time.monotonic() + solr.START_TIMEOUT)
        return process

    server = Killable(start)
    try:
        server.up()
        yield port, server
    finally:
        server.kill()
        shutil.rmtree(home, ignore_errors=True)


@dataclass(kw_only=True)
class Outcome:
    """What came of a run."""

    statuses: Counter[str] = field(default_factory=Counter)  # "query 200"
    backends: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    silent: int = 0  # answers that say "nothing found" though there is something
    recoveries: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def percentile(self, share: float) -> float:
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def summary(self) -> dict[str, Any]:
        return {
            "requests": len(self.seconds),
            "statuses": dict(self.statuses),
            "backends": dict(self.backends),
            "silent": self.silent,
            "p50": round(self.percentile(0.5), 3),
            "p95": round(self.percentile(0.95), 3),
            "p99": round(self.percentile(0.99), 3),
            "max": round(max(self.seconds), 3),
            "recovery": {
                name: [round(each, 1) for each in all_] for name, all_ in self.recoveries.items()
            },
        }


@dataclass
class Run:
    """The requests, and what is done to the servers meanwhile."""

    requests: int
    kills: int
    outcome: Outcome = field(default_factory=Outcome)
    _asked: "itertools.count[int]" = field(default_factory=itertools.count)
    _last_bad: dict[str, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def work(self, stack: Entrances) -> None:
        while not self.over.is_set():
            number = next(self._asked)
            if number >= self.requests and self.kills_done:
                break
            self._note(*self._ask(stack, number))

    kills_done = False

    def _ask(self, stack: Entrances, number: int) -> tuple[str, Answer]:
        if number % 7 == 5:
            return "keywords", stack.keywords("waste")
        if number % 7 == 6:
            return "fetch", stack.fetch(("solr:main:pages:2:0", "database:2:0")[number % 2])
        return "query", stack.query(QUESTIONS[number % len(QUESTIONS)])

    def _note(self, kind: str, answer: Answer) -> None:
        now, body = time.monotonic(), answer.body
        with self._lock:
            self.outcome.statuses[f"{kind} {answer.status}"] += 1
            self.outcome.seconds.append(answer.seconds)
            if kind == "query" and answer.status == 200:
                self.outcome.backends[body["backend"]] += 1
                self.outcome.silent += not body["sources"] and not body["degraded"]
                if body["backend"] != "solr":
                    self._last_bad["solr"] = now
                if UNSEARCHED in body["notes"] or body["backend"] == "none":
                    self._last_bad["mariadb"] = now
            if kind == "keywords" and answer.status == 200:
                self.outcome.silent += not body["hits"] and not body["degraded"]

    def torment(self, servers: Sequence[tuple[str, Killable]]) -> None:
        """Kill each server as often as was said, and start it again."""
        try:
            for _ in range(self.kills):
                for name, server in servers:
                    time.sleep(2)
                    server.kill()
                    time.sleep(3)
                    server.up()
                    ready = time.monotonic()
                    self._wait_for_recovery(name, ready)
                    late = self._last_bad.get(name, 0.0) - ready
                    self.outcome.recoveries[name].append(max(0.0, late))
        finally:
            self.kills_done = True

    def _wait_for_recovery(self, name: str, ready: float) -> None:
        """Until nobody has missed the server for three seconds."""
        give_up = ready + 30
        while time.monotonic() < give_up:
            time.sleep(0.5)
            if time.monotonic() - max(ready, self._last_bad.get(name, 0.0)) > 3:
                return


def chaos(requests: int, *, concurrency: int, kills: int) -> Outcome:
    """Ask at least *requests* times, until every server was killed *kills* times."""
    run = Run(requests, kills)
    with ExitStack() as stack:
        database_port, database = stack.enter_context(killable_mariadb())
        solr_port, engine = stack.enter_context(killable_solr())
        _fill(database_port, solr_port)
        workers = [
            threading.Thread(
                target=run.work,
                args=(stack.enter_context(_environment(database_port, solr_port)),),
            )
            for _ in range(concurrency)
        ]
        tormentor = threading.Thread(
            target=run.torment, args=([("solr", engine), ("mariadb", database)],)
        )
        for thread in (*workers, tormentor):
            thread.start()
        tormentor.join()
        for thread in workers:
            thread.join()
    return run.outcome


@contextmanager
def _environment(database_port: int, solr_port: int) -> Iterator[Entrances]:
    database = MysqlDatabase(
        host=HOST,
        port=database_port,
        name=NAME,
        credentials=lambda _: Credentials(username=ROOT.username, password=ROOT.password),
    )
    with entrances(
        database,
        solr_at(solr_port, core=CORE),
        deadline=DEADLINE,
        cool_down=5,
        solr_cool_down=15,  # the defaults
        now=lambda: int(time.time()),
    ) as stack:
        yield stack
    database.close()


def _fill(database_port: int, solr_port: int) -> None:
    server = MariaDb(port=database_port, origin="", client=Path())
    server.create_database(NAME)
    server.execute(*create_statements(), database=NAME)
    with server.connect(NAME) as connection, connection.cursor() as cursor:
        for table, rows in (("pages", PAGES), ("tt_content", CONTENT)):
            for row in rows:
                cursor.execute(insert_statement(table, row, "%s"), tuple(row.values()))
    found = [document for core, document in documents() if core == CORE]
    url = f"http://{HOST}:{solr_port}/solr/{CORE}/update?commit=true"
    httpx.post(url, json=found, timeout=60, trust_env=False).raise_for_status()
