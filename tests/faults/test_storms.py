"""More events than the system stores: no change is missed. FAULTS_IN_FULL=1 makes 200,000 events."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.support.trees import Tree

IN_FULL = bool(os.environ.get("FAULTS_IN_FULL"))
FILES = 200
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")
pytestmark = [pytest.mark.long, pytest.mark.skipif(not QUEUE.exists(), reason="inotify is Linux's")]


@contextmanager
def stopped(process: subprocess.Popen[str]) -> Iterator[None]:
    """Pauses the process in the block, so that events accumulate."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def touched(tree: Tree, events: int) -> None:
    """Changes modification times of files in turn, ``events`` in all, so that no event equals the previous one."""
    places = [tree.tree / f"pad/p{number:03d}.md" for number in range(FILES)]
    for number in range(events):
        os.utime(places[number % FILES], ns=(number, number))


def test_event_queue_overflow_loses_no_change(tree: Tree) -> None:
    tree.notes(FILES)
    tree.note("auth/a.md", "Before")
    events = 200_000 if IN_FULL else int(QUEUE.read_text()) + 2_000
    command = [sys.executable, "-m", "tests.faults.follower", str(tree.root)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as follower:
        assert follower.stdin is not None
        assert follower.stdout.readline() == "ready\n"
        with stopped(follower):
            touched(tree, events)
            tree.note("auth/lost.md", "Lost")
            (tree.tree / "auth/a.md").unlink()
        if IN_FULL:  # the same number of events again while the process is running
            touched(tree, events)
        tree.note("auth/last.md", "Last")
        follower.stdin.write("auth/lost.md\nauth/last.md\n")
        follower.stdin.flush()
        answers = [json.loads(follower.stdout.readline()) for _ in range(2)]
        follower.stdin.close()
    fresh = tree.session().snapshot
    assert [came for came, *_ in answers] == [True, True]
    assert answers[-1][1:3] == [fresh.fingerprint, len(fresh.notes)]
    assert "auth/a.md" not in fresh.by_path
