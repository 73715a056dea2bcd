"""git over a repository of anybody's: it ends in time, whatever it waits for, and whoever was killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brvtui.tree.history import git as runner
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.history.revision import Revision, listed_files

_ASK = """
from pathlib import Path
from brvtui.tree.history import git
git._PATIENCE_S = {}
git.git(Path({!r}), "rev-parse", "HEAD", most=9)
"""


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """A repository whose settings include a pipe, for which git waits."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "config", "include.path", str(tmp_path / "pipe")], check=True)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def _running(folder: Path) -> list[str]:
    command = ["ps", "-ww", "-eo", "args"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in listed if str(folder) in line and "rev-parse" in line and "python" not in line]


def test_a_git_that_waits_is_ended(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_PATIENCE_S", 0.5)
    with pytest.raises(
        RevisionError, match=r"took more than 0\.5 seconds; is a file .* that git's settings include, a pipe"
    ):
        git(waiting, "rev-parse", "HEAD", most=100)
    with pytest.raises(RevisionError, match=r"took more than 0\.5 seconds"):
        Revision(waiting, "HEAD")
    assert _running(waiting) == []


@pytest.mark.skipif(shutil.which("timeout") is None, reason="there is no timeout on this machine")
def test_a_git_that_waits_ends_in_time_after_its_asker_was_killed(waiting: Path) -> None:
    asker = subprocess.Popen([sys.executable, "-c", _ASK.format(3, str(waiting))])
    end = time.monotonic() + 30
    while not _running(waiting) and time.monotonic() < end:
        time.sleep(0.05)
    assert _running(waiting)
    asker.send_signal(signal.SIGKILL)
    asker.wait()
    while _running(waiting) and time.monotonic() < end:
        time.sleep(0.05)
    assert _running(waiting) == []


_MEMORY = """
import resource, sys
from pathlib import Path
from brvtui.tree.history.git import RevisionError, git
try:
    git(Path(sys.argv[1]), "rev-parse", "HEAD~1", most=100)
except RevisionError:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


@pytest.mark.long
@pytest.mark.skipif(shutil.which("prlimit") is None, reason="there is no prlimit on this machine")
@pytest.mark.parametrize("file", ["info/grafts", "shallow"])
def test_git_reads_no_file_without_end(tmp_path: Path, file: str) -> None:
    own = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(tmp_path))
    subprocess.run(("git", *own, "init", "-q"), check=True)
    for word in ("one", "two"):
        subprocess.run(("git", *own, "commit", "-q", "--allow-empty", "-m", word), check=True)
    (tmp_path / ".git" / file).touch()
    os.truncate(tmp_path / ".git" / file, 1 << 33)
    asked = subprocess.run([sys.executable, "-c", _MEMORY, str(tmp_path)], capture_output=True, text=True, check=True)
    assert 0 < int(asked.stdout) < 1_200


def test_names_that_no_file_system_holds_are_left_out() -> None:
    entry = b"100644 blob " + b"a" * 40 + b" 12\t%b.md\0"
    listed = listed_files(
        entry % (b"n" * 252)
        + entry % (b"n" * 100_000)
        + entry % ("é" * 127 + "/y").encode()
        + entry % ("é" * 128 + "/y").encode()
        + entry % ("漢" * 86).encode()
        + entry % (b"\xff" * 253)
        + entry % b"x/y"
        + entry % (b"d" * 300 + b"/y")
        + entry % b"/etc/y"
        + entry % b"x//y"
        + entry % b"../y"
    )
    assert list(listed) == ["n" * 252 + ".md", "é" * 127 + "/y.md", "x/y.md"]
