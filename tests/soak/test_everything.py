"""A short run of everything at once on one tree (``tests/soak/everything.py``). Runs when ``BRV_TUI_SOAK`` is set.

It takes minutes, and waits for apps that compete for the processor with other running programs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT
from tests.support.namespaces import CANNOT

_SECONDS, _PART = 60, 30


@pytest.mark.long
@pytest.mark.skipif("BRV_TUI_SOAK" not in os.environ, reason="set BRV_TUI_SOAK to run it")
@pytest.mark.timeout(600)
def test_no_data_is_lost_under_all_disturbances() -> None:
    command = [sys.executable, "-m", "tests.soak.everything", "--seconds", f"{_SECONDS}", "--part", f"{_PART}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=580)
    if done.returncode == CANNOT:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    did = json.loads(done.stdout.splitlines()[-1])
    assert did["acknowledged"] > 10
    assert did["foreign"] > 10
    assert did["savers"]["kills"] > 2
    assert did["full"] > 0
    assert did["clock"] > 2
    assert did["one"]["saves"] > 0
