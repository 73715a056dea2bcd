"""Detection of running processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from brvtui.disk.locks import identity_of, is_running, own_identity


def test_process_is_distinguished_from_a_later_one_with_the_same_id() -> None:
    own = own_identity()
    assert own
    assert identity_of(os.getpid()) == own
    assert is_running(os.getpid(), own)
    assert is_running(os.getpid())
    assert not is_running(os.getpid(), f"{own}0")
    assert not is_running(2**22 + 1)
    assert identity_of(2**22 + 1) == ""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system tells of no process's state")
def test_zombie_process_does_not_count_as_running() -> None:
    """This happens in a container whose init process does not reap orphans."""
    other = subprocess.Popen([sys.executable, "-c", "print('here', flush=True); input()"], stdin=-1, stdout=-1)
    assert other.stdout.readline() == b"here\n"
    identity = identity_of(other.pid)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(other.pid, identity)
    assert not is_running(other.pid)
    other.communicate()
