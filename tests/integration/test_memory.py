"""A warm environment that answers thousands of requests stays as it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = int(os.environ.get("TEST_MEMORY_CALLS", "1000"))  # the long run: 20000
LIMIT = 4_000_000  # bytes of growth: allocators breathe


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux's own account is read")
@pytest.mark.timeout(3600)
def test_memory_threads_and_files_stay() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.integration.memory", str(CALLS)],
        cwd=Path(__file__).parents[2],
        env={
            **os.environ,
            "POWERTOOLS_METRICS_DISABLED": "true",
            "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    sys.stderr.write(done.stdout)
    found = json.loads(done.stdout)
    first, last = found["samples"][0], found["samples"][-1]
    assert last["resident"] - first["resident"] < LIMIT
    assert last["threads"] <= first["threads"]
    assert last["files"] <= first["files"]
    assert found["left"] == "inf"  # nothing of a request is left
