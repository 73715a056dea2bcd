"""What killed processes left: thrown away when it is old and known, kept when it may be somebody else's text."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brvtui.tree.saving import leftovers
from brvtui.tree.saving.file_version import digest
from brvtui.tree.saving.leftovers import OLD_SECONDS, remove_leftovers
from tests.support.trees import Tree

LATER = time.time() + OLD_SECONDS + 86_400


def dead_process() -> int:
    """The id of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def left_by(folder: Path, name: str, data: bytes, process: int) -> Path:
    """A file of a save by ``process``."""
    file = folder / name.replace(f"-{os.getpid()}-", f"-{process}-")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def test_old_leftovers_of_known_texts_are_thrown_away(tmp_path: Path) -> None:
    dead = dead_process()
    known = leftovers.whole_name(digest(b"new"), digest(b"old"))
    part = left_by(tmp_path / "a", leftovers.part_name(), b"ne", dead)
    new = left_by(tmp_path / "a" / "b", known, b"new", dead)
    old = left_by(tmp_path, known, b"old", dead)
    found = remove_leftovers(tmp_path, LATER)
    assert found.kept == ()
    assert sorted(found.removed) == sorted(file.relative_to(tmp_path).as_posix() for file in (part, new, old))
    assert not any(file.exists() for file in (part, new, old))


def test_opening_a_project_cleans_it_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: LATER)
    dead = dead_process()
    tree.note("auth/a.md", "A")
    gone = left_by(tree.tree / "auth", leftovers.part_name(), b"", dead)
    kept = left_by(tree.tree / "auth", leftovers.whole_name(digest(b"new")), b"theirs", dead)
    session = tree.session()
    assert not gone.exists()
    assert session.snapshot.notices == (
        f"auth/{kept.name}: another program's text, caught in a save that was killed; read it, then remove it",
    )
    later = left_by(tree.tree / "auth", leftovers.part_name(), b"", dead)
    session.load()
    assert later.exists()


def test_a_text_that_is_not_known_is_kept(tmp_path: Path) -> None:
    file = left_by(tmp_path, leftovers.whole_name(digest(b"new")), b"somebody else's", dead_process())
    assert remove_leftovers(tmp_path, LATER).kept == (file.name,)
    assert file.read_bytes() == b"somebody else's"


def test_what_is_young_or_of_a_living_process_stays(tmp_path: Path) -> None:
    young = left_by(tmp_path, leftovers.part_name(), b"", dead_process())
    os.utime(young, (1, 1))
    assert remove_leftovers(tmp_path, time.time()).removed == ()
    mine = left_by(tmp_path, leftovers.part_name(), b"", os.getpid())
    assert remove_leftovers(tmp_path, LATER).removed == (young.name,)
    assert mine.exists()


def test_only_our_own_names_are_touched(tmp_path: Path) -> None:
    others = (
        ".brv-tui-1-abc.part",
        ".brv-tui-x-01234567.part",
        ".brv-tui-1-01234567.part.md",
        "brv-tui-1-01234567.part",
        ".brv-tui.toml",
        "note.md",
        ".note.md.swp",
        ".brv-tui-1-01234567-abc.whole",
    )
    for name in others:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".git").mkdir()
    left_by(tmp_path / ".git", leftovers.part_name(), b"", dead_process())
    (tmp_path / "link").symlink_to(tmp_path / ".git")
    (tmp_path / f".brv-tui-{10**30}-01234567.part").write_bytes(b"")
    (tmp_path / f".brv-tui-{dead_process()}-01234567.whole").mkdir()
    assert remove_leftovers(tmp_path, LATER).removed == (f".brv-tui-{10**30}-01234567.part",)
    assert {file.name for file in tmp_path.iterdir()} >= set(others)
    assert remove_leftovers(tmp_path / "missing", LATER) == leftovers.RemovedLeftovers((), ())
