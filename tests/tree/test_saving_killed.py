"""A save that is killed or disturbed at any of its system calls (a short form of ``tests/soak/killed_saves.py``)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT
from tests.soak.killed_saves import CANNOT_TRACE

MEMORY = Path("/dev/shm")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux's ptrace is needed")


def run(tmp_path: Path, *options: str) -> list[dict[str, Any]]:
    """The number of attempts in a run, with the system call that swaps two files and without it."""
    place = MEMORY if os.access(MEMORY, os.W_OK) else tmp_path
    command = [sys.executable, "-m", "tests.soak.killed_saves", "--in", str(place), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    if done.returncode == CANNOT_TRACE:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("edits", [20, pytest.param(300, marks=pytest.mark.long)])
def test_killed_save_leaves_the_old_or_the_new_file(tmp_path: Path, edits: int) -> None:
    swapped, other = run(tmp_path, "--edits", str(edits), "--killed-at-one", "--rounds", "0")
    assert (swapped["edits"], swapped["kills"]) == (edits, edits)
    assert (other["edits"], other["kills"]) == (edits // 10, edits // 10)
    assert swapped["states"] > edits * 15


@pytest.mark.parametrize("edits", [1, pytest.param(10, marks=pytest.mark.long)])
def test_save_survives_a_kill_after_every_call(tmp_path: Path, edits: int) -> None:
    swapped, other = run(tmp_path, "--edits", str(edits), "--rounds", "0")
    for tried in (swapped, other):
        assert tried["kills"] == tried["states"] > 15


@pytest.mark.parametrize(
    ("stride", "disturbed", "kills"), [(20, 50, 8), pytest.param(3, 300, 50, marks=pytest.mark.long)]
)
def test_save_keeps_texts_from_other_writers(tmp_path: Path, stride: int, disturbed: int, kills: int) -> None:
    swapped, _ = run(tmp_path, "--edits", "1", "--killed-at-one", "--rounds", "1", "--stride", str(stride))
    assert swapped["disturbed"] > disturbed
    assert swapped["disturbed_kills"] > kills
    assert set(swapped["outcomes"]) == {"saved", "conflict", "killed"}
