"""A short run of random changes during queries (``tests/soak/random_changes.py``)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT
from tests.soak.random_changes import MEMORY_IS_KNOWN


@pytest.mark.long
@pytest.mark.skipif(not MEMORY_IS_KNOWN, reason="the memory of a process is read from Linux's /proc")
@pytest.mark.parametrize(("seconds", "parts"), [(2, 2), pytest.param(12, 3, marks=pytest.mark.long)])
def test_live_index_equals_a_fresh_index(seconds: int, parts: int) -> None:
    """Allows more time for the last changes to arrive than the ten-minute run does, because the machine may be busy."""
    measures = {"seconds": seconds, "parts": parts, "notes": 200, "within": 20, "growth": 1.25}
    options = [word for name, value in measures.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "tests.soak.random_changes", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads(done.stdout)
    assert sum(measured["changes"].values()) > 50 * seconds
    assert measured["questions"]["preview"] > 4 * seconds
    assert measured["snapshots"] > 0.8 * seconds
