"""Servers die and come back while many ask: nobody gets an error that is not documented."""

import json
import os
import sys

from tests.integration.chaos import DEADLINE, chaos

# The long run: TEST_CHAOS_REQUESTS=5000 TEST_CHAOS_KILLS=5
REQUESTS = int(os.environ.get("TEST_CHAOS_REQUESTS", "300"))
KILLS = int(os.environ.get("TEST_CHAOS_KILLS", "1"))
EXPECTED = {"query 200", "keywords 200", "fetch 200", "fetch 503"}


def test_killed_servers_are_survived() -> None:
    outcome = chaos(REQUESTS, concurrency=8, kills=KILLS)
    sys.stderr.write(json.dumps(outcome.summary()) + "\n")
    assert set(outcome.statuses) <= EXPECTED
    assert outcome.silent == 0
    assert outcome.percentile(0.99) < DEADLINE
    assert len(outcome.seconds) >= REQUESTS
    for name, seconds in outcome.recoveries.items():
        assert len(seconds) == KILLS, name
        assert max(seconds) < 18, name  # Solr's own pause is fifteen seconds
