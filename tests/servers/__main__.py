"""``python -m tests.servers fetch``: download them; ``run``: start them until interrupted."""

import contextlib
import json
import signal
import sys
import tempfile
import threading
from pathlib import Path

from tests.servers import TRUTH, mariadb, solr
from tests.servers.artifacts import ServerUnavailable
from tests.servers.mariadb import TRUTH_DATABASE, TRUTH_READER


def main(arguments: list[str]) -> int:
    """Do what the one argument says; the exit status says how it went."""
    try:
        match arguments:
            case ["fetch"]:
                mariadb.installation()
                solr.installation()
            case ["run"]:
                run()
            case _:
                print("usage: python -m tests.servers fetch|run", file=sys.stderr)
                return 2
    except ServerUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def run() -> None:
    """Start the servers, print one JSON line with their addresses, wait for SIGINT or SIGTERM.

    ``mariadb`` and ``secret`` are for RETRIEVAL_DATABASE_URL and RETRIEVAL_DATABASE_SECRET. The
    account in the secret may read every database; root, without a password, may do the rest.
    ``solr`` is the address below which the cores lie. The recorded site is loaded when it is
    there.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(mariadb.running())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="servers-")))
        server.create_database(TRUTH_DATABASE)
        if TRUTH.is_dir():
            server.load_dump(TRUTH / "mariadb.sql.gz", TRUTH_DATABASE)
        server.create_reader(TRUTH_READER)
        secret = server.write_secret(folder, TRUTH_READER)
        search = stack.enter_context(solr.running())
        if TRUTH.is_dir():
            search.load_by_core(solr.recorded_documents(TRUTH))
        addresses = {
            "mariadb": server.url(TRUTH_DATABASE),
            "secret": secret,
            "solr": search.url,
        }
        print(json.dumps(addresses), flush=True)
        origins = f"{server.origin} and {solr.describe()}"
        print(f"{origins} run until you press Ctrl-C.", file=sys.stderr, flush=True)
        stop.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
