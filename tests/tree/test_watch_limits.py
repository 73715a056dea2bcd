"""Polling takes over where the system's own events are not to be had: limits that are reached, network disks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from brvtui.tree.watching import watch
from brvtui.tree.watching.watch import Polling, Watcher, network_disk
from tests.docs.pages import ROOT
from tests.support.namespaces import CANNOT

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


def with_few(name: str, most: int, tree: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.few_watches", name, str(most), str(tree)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode == CANNOT:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr
    made: dict[str, Any] = json.loads(done.stdout)
    return made


@linux_only
def test_no_instance_is_left(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    found = with_few("max_inotify_instances", 0, tmp_path / "tree")
    why, seconds = found["begun"]
    assert seconds > 0
    assert "no inotify instance is left; raise fs.inotify.max_user_instances" in why
    assert found["saw"]


@linux_only
def test_not_enough_watches_for_all_folders(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"tree/f{number}").mkdir(parents=True)
    found = with_few("max_inotify_watches", 8, tmp_path / "tree")
    assert found["begun"][0] == "no inotify watch is left; raise fs.inotify.max_user_watches"
    assert found["saw"]


@linux_only
def test_the_watches_run_out_later(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    found = with_few("max_inotify_watches", 30, tmp_path / "tree")
    assert found["begun"] == ["", 0.0]
    ((why, seconds),) = found["told"]
    assert why == "no inotify watch is left; raise fs.inotify.max_user_watches"
    assert seconds > 0
    assert found["saw"]


def test_polling_sees_every_kind_of_change(tmp_path: Path) -> None:
    tree, other = tmp_path / "tree", tmp_path / "missing/other"
    (tree / "a/b").mkdir(parents=True)
    for name in ("a/one.md", "a/two.md", "a/b/three.md"):
        (tree / name).write_text("text")
    polling = Polling([tree, other])
    assert polling.look() == set()
    (tree / "a/one.md").write_text("longer text")
    (tree / "a/two.md").rename(tree / "a/b/two.md")
    (tree / "a/new").mkdir()
    os.utime(tree / "a/b/three.md", ns=(1, 1))
    names = ("a/one.md", "a/two.md", "a/b/two.md", "a/new", "a/b/three.md")
    assert polling.look() == {str(tree / name) for name in names}
    assert polling.look() == set()
    other.mkdir(parents=True)
    (other / "x").write_text("x")
    assert polling.look() == {str(other), str(other / "x")}


def test_a_text_that_was_replaced_under_its_old_time_and_size_is_seen(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("old")
    os.utime(tmp_path / "n.md", ns=(1, 1))
    polling = Polling([tmp_path])
    (tmp_path / "n.md").write_text("new")
    os.utime(tmp_path / "n.md", ns=(1, 1))
    assert polling.look() == {str(tmp_path / "n.md")}


def test_a_large_tree_is_looked_at_less_often(tmp_path: Path) -> None:
    """One look takes at most a hundredth of the time."""
    for number in range(300):
        (tmp_path / f"n{number}.md").touch()
    polling = Polling([tmp_path], least_seconds=0.0)
    assert 0.01 < polling.pause <= 30


MOUNTS = r"""22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home/me/work rw,nosuid shared:1 - nfs4 server:/work rw
31 30 0:41 / /home/me/work/local rw - ext4 /dev/vdb rw
32 22 0:42 / /mnt/with\040space rw - fuse.sshfs me@there:/ rw
garbage
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/work/.brv", "nfs4"),
        ("/home/me/work/local/.brv", ""),
        ("/home/me/workshop", ""),
        ("/mnt/with space/x", "fuse.sshfs"),
        ("/", ""),
    ],
)
def test_disks_that_others_write_to(tmp_path: Path, folder: str, kind: str) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert network_disk(Path(folder), tmp_path / "mounts") == kind


def test_without_a_table_of_mounts_no_disk_is_a_network_disk(tmp_path: Path) -> None:
    assert network_disk(tmp_path, tmp_path / "none") == ""


def test_on_a_network_disk_files_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 0 0:1 / {os.path.realpath(tmp_path)} rw - nfs server:/ rw\n")
    monkeypatch.setattr(watch, "network_disk", lambda folder: network_disk(folder, mounts))
    noticed = threading.Event()
    watcher = Watcher([tmp_path / "tree"], lambda _: noticed.set(), poll_seconds=0.01)
    begun = watcher.start()
    assert begun.why == "a disk of type nfs does not tell what others change"
    assert begun.poll_seconds >= 0.01
    try:
        (tmp_path / "tree").mkdir()
        assert noticed.wait(30)
    finally:
        watcher.stop()
