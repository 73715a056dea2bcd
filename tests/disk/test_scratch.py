"""Copies in a scratch folder."""

from __future__ import annotations

import os
from pathlib import Path

from brvtui.disk.scratch import copy_folder, remove_copy, scratch_folder


def test_scratch_copy_has_the_same_bytes_and_times(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a/b").mkdir(parents=True)
    (source / "a/b/note.md").write_bytes(b"\xff text")
    os.utime(source / "a/b/note.md", ns=(1, 1_700_000_000_123_456_789))
    (source / "near.md").symlink_to("a/b/note.md")
    (source / "absolute.md").symlink_to(source / "a/b/note.md")
    (source / "outside.md").symlink_to("/nowhere/at/all.md")
    os.mkfifo(source / "pipe")
    with scratch_folder() as scratch:
        copy = scratch / "copy"
        copy_folder(source, copy)
        assert (copy / "a/b/note.md").read_bytes() == b"\xff text"
        assert (copy / "a/b/note.md").stat().st_mtime_ns == 1_700_000_000_123_456_789
        links = {name: (copy / name).readlink() for name in ("near.md", "absolute.md", "outside.md")}
        assert links == {
            "near.md": Path("a/b/note.md"),
            "absolute.md": copy / "a/b/note.md",
            "outside.md": Path("/nowhere/at/all.md"),
        }
        assert not (copy / "pipe").exists()
        remove_copy(copy)
        remove_copy(copy)
        assert list(scratch.iterdir()) == []
    assert not scratch.exists()
    assert (source / "a/b/note.md").exists()
