"""The kept index: what is read from it equals what a fresh reading gives; damage is noticed and mended."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.byterover.profile import Profile
from brvtui.loading import load
from brvtui.publishing import publisher
from brvtui.snapshot import Snapshot
from brvtui.store.kept_index import KeptIndex, Unusable
from brvtui.tree.reading.project import find_project
from tests.support.comparing import same
from tests.support.generated import generated
from tests.support.trees import BRV3, NOW_MS, Tree, changed
from tests.test_loading import edit


def kept(tree: Tree, profile: Profile = BRV3) -> KeptIndex:
    """The index of ``tree``, written."""
    index = KeptIndex(tree.tree)
    assert index.write(tree.snapshot(profile), profile)
    index.close()
    return index


def from_kept(tree: Tree) -> Snapshot:
    """The tree as a new process reads it."""
    known = KeptIndex(tree.tree).read(BRV3)
    assert known is not None
    made = load(find_project(tree.root), BRV3, NOW_MS, tree.layers(), kept=known)
    assert made is not None
    return made


@pytest.mark.parametrize("seed", range(6))
def test_what_is_kept_equals_a_fresh_reading(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    tree = generated(tmp_path / "project", seed)
    kept(tree)
    same(from_kept(tree), tree.snapshot(), pick)
    for _ in range(4):
        edit(tree, pick)
    same(from_kept(tree), tree.snapshot(), pick)


def test_only_changed_files_are_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(6)
    kept(tree)
    tree.file("pad/p003.md", "# Other\n", 1)
    read: list[str] = []
    real = publisher.load.__globals__["read_file"]

    def counting(root: Path, alias: str, file: object, *rest: object) -> object:
        read.append(file.path)  # type: ignore[attr-defined]  # a TreeFile
        return real(root, alias, file, *rest)

    monkeypatch.setitem(publisher.load.__globals__, "read_file", counting)
    from_kept(tree)
    assert read == ["pad/p003.md"]


def test_other_limits_and_nothing_kept_are_no_index(tree: Tree) -> None:
    tree.notes(3)
    assert KeptIndex(tree.tree).read(BRV3) is None
    assert KeptIndex(tree.tree).info().bytes == 0
    index = kept(tree)
    assert index.read(changed(BRV3, limits={"max_lines": 3})) is None
    assert index.info().notes == 3
    assert index.clear() > 0
    assert index.read(BRV3) is None


def test_what_cannot_be_removed_is_named_with_its_folder(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(3)
    index = kept(tree)

    def refuses(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "lock")

    monkeypatch.setattr(shutil, "rmtree", refuses)
    with pytest.raises(PermissionError) as refused:
        index.clear()
    assert refused.value.filename == str(index.folder)


@pytest.mark.parametrize("name", ["rows.npy", "terms", "files", "slots.npy", "state.json"])
@pytest.mark.parametrize("how", ["cut", "flip", "gone"])
def test_damage_is_noticed(tree: Tree, name: str, how: str) -> None:
    tree.notes(4)
    index = kept(tree)
    (file,) = index.folder.rglob(name)
    data = file.read_bytes()
    if how == "gone":
        file.unlink()
    elif how == "cut":
        file.write_bytes(data[: len(data) // 2])
    else:
        middle = len(data) // 2
        file.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    if name == "state.json" and how == "gone":
        assert index.read(BRV3) is None
        return
    if name == "state.json" and how == "flip":
        return  # any bit of it may as well be white space; what it names is checked above
    with pytest.raises(Unusable):
        index.read(BRV3)
    assert index.info().problem


def test_another_version_or_tree_is_unusable(tree: Tree) -> None:
    tree.notes(2)
    index = kept(tree)
    state = index.folder / "state.json"
    value = json.loads(state.read_text())
    for key, other in (("format", 0), ("version", "0.0.0"), ("tree", "00"), ("generation", 99), ("checksums", [])):
        state.write_text(json.dumps({**value, key: other}))
        with pytest.raises(Unusable):
            index.read(BRV3)


def test_one_process_writes_and_the_other_reads(tree: Tree) -> None:
    tree.notes(3)
    first, second = KeptIndex(tree.tree), KeptIndex(tree.tree)
    assert first.write(tree.snapshot(), BRV3)
    assert not second.write(tree.snapshot(), BRV3)
    assert second.read(BRV3) is not None
    first.close()
    assert second.write(tree.snapshot(), BRV3)
    second.close()


@pytest.fixture
def always_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "WORTH_KEEPING", 0)
    monkeypatch.setattr(publisher, "_FEW", 0)


@pytest.mark.usefixtures("always_kept")
def test_a_session_keeps_what_it_read_and_says_when_it_was_broken(tree: Tree) -> None:
    tree.notes(5)
    first = tree.session()
    assert first.keep()
    assert not first.keep()
    first.close()
    second = tree.session()
    assert second.project.notices == ()
    assert not second.keep()
    second.close()
    (rows,) = KeptIndex(tree.tree).folder.rglob("rows.npy")
    rows.write_bytes(b"junk")
    third = tree.session()
    assert any("the kept index is made anew: rows.npy is damaged" in notice for notice in third.project.notices)
    assert third.snapshot.notes == second.snapshot.notes
    assert third.keep()
    third.close()
    assert tree.session().project.notices == ()


@pytest.mark.usefixtures("always_kept")
def test_a_cache_folder_that_cannot_be_written_is_an_error_of_keeping_alone(
    tree: Tree, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.notes(2)
    blocked = own_data_folders / "blocked"
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("a file where a folder is wanted")
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(blocked))
    session = tree.session()
    assert len(session.snapshot.notes) == 2
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        session.keep()


@pytest.mark.parametrize("after", [0, 1, 3, 6, 9, 11])
def test_a_process_that_dies_while_writing_leaves_a_usable_index(tree: Tree, after: int) -> None:
    tree.notes(4)
    kept(tree)
    tree.file("pad/new.md", "# New\n\nwords\n", 1)
    snapshot = tree.snapshot()
    child = os.fork()
    if child == 0:
        left, opening = [after], Path.open

        def dying(path: Path, *args: Any, **kwargs: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return opening(path, *args, **kwargs)

        Path.open = dying  # type: ignore[method-assign]  # in this child alone
        KeptIndex(tree.tree).write(snapshot, BRV3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    same(from_kept(tree), snapshot, random.Random(0))
    again = KeptIndex(tree.tree)
    assert again.write(snapshot, BRV3)
    again.close()
    same(from_kept(tree), snapshot, random.Random(0))


def test_a_generation_that_is_read_is_removed_only_afterwards(tree: Tree) -> None:
    tree.notes(3)
    index = kept(tree)
    (held,) = index.folder.glob("g*")
    reader = os.open(held, os.O_RDONLY)
    fcntl.flock(reader, fcntl.LOCK_SH)
    assert index.write(tree.snapshot(), BRV3)
    assert len(list(index.folder.glob("g*"))) == 2
    assert held.joinpath("terms").exists()
    os.close(reader)
    assert index.write(tree.snapshot(), BRV3)
    assert len(list(index.folder.glob("g*"))) == 1
    index.close()
