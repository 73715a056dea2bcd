"""Random changes with queries running (``tests/soak/random_changes.py``), in short."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT
from tests.soak.random_changes import MEMORY_IS_KNOWN


@pytest.mark.skipif(not MEMORY_IS_KNOWN, reason="the memory of a process is read from Linux's /proc")
def test_the_live_index_equals_a_fresh_one() -> None:
    """Twenty seconds. The machine may be busy, so more time is given to see the last changes than in the long form."""
    options = ["--seconds", "12", "--parts", "3", "--notes", "200", "--within", "20", "--growth", "1.25"]
    command = [sys.executable, "-m", "tests.soak.random_changes", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads(done.stdout)
    assert sum(measured["changes"].values()) > 600
    assert measured["questions"]["probe"] > 50
    assert measured["snapshots"] > 10
