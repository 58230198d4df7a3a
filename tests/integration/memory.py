"""``python -m tests.integration.memory CALLS``: one warm environment; prints what it took as JSON.

A process of its own, because a test runner keeps every line that is logged.
"""

import gc
import json
import os
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path

from tests.contract.site import CONTENT, PAGES
from tests.contract.tables import write_sqlite
from tests.integration.faults import Entrances, entrances, solr_at
from tests.integration.solr.raw import nobody
from typo3_retrieval.adapters.sqlite import SqliteDatabase
from typo3_retrieval.core.deadline import seconds_left

WARM_UP = 500  # calls until caches are full and allocators have grown
SAMPLES = 4
WORDS = ("waste", "toys", "office", "depot", "Tuesday", "parts", "home", "hours")


def main(calls: int) -> None:
    """Ask, and look at this process now and then."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        path = write_sqlite(folder / "site.sqlite", {"pages": PAGES, "tt_content": CONTENT})
        database = SqliteDatabase(path)
        stack.callback(database.close)
        port = stack.enter_context(nobody())  # so that each call has a failure, too
        service = stack.enter_context(entrances(database, solr_at(port)))
        samples = []
        for number in range(WARM_UP + calls):
            if number >= WARM_UP and (number - WARM_UP) % (calls // SAMPLES) == 0:
                samples.append(sample())
            ask(service, number)
        samples.append(sample())
    json.dump({"calls": calls, "samples": samples, "left": repr(seconds_left())}, sys.stdout)


def ask(service: Entrances, number: int) -> None:
    """One request, each a little different."""
    question = f"{WORDS[number % 8]} {WORDS[number // 8 % 8]} {number}"
    if number % 5 == 4:
        assert service.fetch("database:2:0").status == 200
    elif number % 5 == 3:
        assert service.keywords(question).body["available"]
    else:
        assert service.query(question).body["backend"] == "database"


def sample() -> dict[str, int]:
    """Bytes in memory by Linux's account, threads, open files."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {
        "resident": pages * os.sysconf("SC_PAGE_SIZE"),
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
    }


if __name__ == "__main__":
    main(int(sys.argv[1]))
