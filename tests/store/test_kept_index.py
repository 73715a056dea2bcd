"""Stored indexes of notes and code equal fresh ones; damage is detected and repaired."""

from __future__ import annotations

import errno
import gzip
import os
import random
import shutil
import signal
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brvtui.corpus.code.index import CodeIndex, build_index
from brvtui.corpus.code.rules import code_rules
from brvtui.engines.byterover.profile import Profile
from brvtui.loading import load
from brvtui.publishing import publisher
from brvtui.snapshot import Snapshot
from brvtui.store import kept_index
from brvtui.store.kept_code import KeptCode
from brvtui.store.kept_index import KeptIndex, Unusable
from brvtui.tree.reading.project import find_project
from tests.corpus.code.making import limited, read_here, write
from tests.corpus.code.test_incremental import TEXTS, reading
from tests.support.comparing import same
from tests.support.generated import generated
from tests.support.trees import BRV3, NOW_MS, READS_FRONTMATTER, Tree, changed
from tests.test_loading import edit


def kept(tree: Tree, profile: Profile = BRV3) -> KeptIndex:
    """Writes the index of ``tree``, and returns it."""
    index = KeptIndex(tree.tree)
    assert index.write(tree.snapshot(profile), profile)
    index.close()
    return index


def from_kept(tree: Tree) -> Snapshot:
    """The tree as a new process reads it."""
    known = KeptIndex(tree.tree).read(BRV3)
    assert known is not None
    result = load(find_project(tree.root), BRV3, NOW_MS, tree.layers(), kept=known)
    assert result is not None
    return result


@pytest.mark.parametrize("seed", range(6))
def test_stored_index_equals_a_fresh_load(tmp_path: Path, seed: int) -> None:
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


def test_stored_index_requires_a_file_with_the_same_limits(tree: Tree) -> None:
    tree.notes(3)
    assert KeptIndex(tree.tree).read(BRV3) is None
    assert KeptIndex(tree.tree).info().bytes == 0
    index = kept(tree)
    assert index.read(changed(BRV3, limits={"max_lines": 3})) is None
    assert index.read(READS_FRONTMATTER) is None
    assert index.info().notes == 3
    assert index.clear() > 0
    assert index.read(BRV3) is None


def test_failed_removal_names_files_and_folder(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(3)
    index = kept(tree)

    def refuses(_: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "lock")

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", refuses)
        with pytest.raises(PermissionError) as refused:
            index.clear()
    assert refused.value.filename == str(index.folder)


def kept_file(tree: Tree) -> Path:
    """The file with the stored index of ``tree``."""
    return KeptIndex(tree.tree).folder / "kept"


def test_stored_index_is_private(tree: Tree) -> None:
    tree.notes(2)
    kept(tree)
    assert [stat.S_IMODE(place.stat().st_mode) for place in (kept_file(tree), kept_file(tree).parent)] == [0o600, 0o700]


def test_any_damage_is_detected(tree: Tree) -> None:
    """Damage is a changed bit, a missing end, extra bytes, or anything but a regular file."""
    tree.notes(4)
    index, pick = kept(tree), random.Random(1)
    file, data = kept_file(tree), kept_file(tree).read_bytes()
    damaged = [b"", b"junk", data[: len(data) // 2], data[:-1], data + b"\0"]
    places = (0, len(data) - 1, *pick.sample(range(len(data)), 60))
    damaged += [data[:at] + bytes([data[at] ^ 1 << pick.randrange(8)]) + data[at + 1 :] for at in places]
    for broken in damaged:
        file.write_bytes(broken)
        with pytest.raises(Unusable, match="it is damaged"):
            index.read(BRV3)
        assert index.info().problem == "it is damaged"
    file.unlink()
    assert index.read(BRV3) is None
    file.mkdir()
    with pytest.raises(Unusable, match="cannot be read"):
        index.read(BRV3)
    assert index.clear() >= 0
    assert index.info().problem == ""


def test_loaded_index_survives_truncation_of_its_file(tree: Tree) -> None:
    """Reading a truncated memory-mapped file would end the process (SIGBUS)."""
    tree.notes(4)
    kept(tree)
    known = KeptIndex(tree.tree).read(BRV3)
    os.truncate(kept_file(tree), 0)
    assert known.postings.base.notes.rows.sum() > 0


@pytest.mark.parametrize("what", ["FORMAT", "__version__"])
def test_index_from_another_version_is_rejected(tree: Tree, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    tree.notes(2)
    index = kept(tree)
    monkeypatch.setattr(kept_index, what, "other")
    with pytest.raises(Unusable, match="another version"):
        index.read(BRV3)


def test_index_for_another_tree_is_rejected(tree: Tree, tmp_path: Path) -> None:
    tree.notes(2)
    index, other = kept(tree), KeptIndex(tmp_path / "other/.brv/context-tree")
    shutil.copytree(index.folder, other.folder)
    with pytest.raises(Unusable, match="another tree"):
        other.read(BRV3)


def test_only_one_process_writes_the_index(tree: Tree) -> None:
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
def test_session_stores_its_index_and_reports_a_damaged_one(tree: Tree) -> None:
    tree.notes(5)
    first = tree.session()
    assert first.keep()
    assert not first.keep()
    first.close()
    second = tree.session()
    assert second.project.notices == ()
    assert not second.keep()
    second.close()
    kept_file(tree).write_bytes(b"junk")
    third = tree.session()
    assert any("the saved index is rebuilt: it is damaged" in notice for notice in third.project.notices)
    assert third.snapshot.notes == second.snapshot.notes
    assert third.keep()
    third.close()
    assert tree.session().project.notices == ()


@pytest.mark.usefixtures("always_kept")
def test_unwritable_cache_folder_prevents_only_storing(
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


@pytest.mark.parametrize("after", [0, 1, 3, 6, 10])
def test_process_killed_while_writing_leaves_a_usable_index(tree: Tree, after: int) -> None:
    tree.notes(4)
    kept(tree)
    tree.file("pad/new.md", "# New\n\nwords\n", 1)
    snapshot = tree.snapshot()
    child = os.fork()
    if child == 0:
        left, saving = [after], np.save

        def dying(*args: Any, **kwargs: Any) -> Any:
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return saving(*args, **kwargs)

        np.save = dying  # affects only this child process
        KeptIndex(tree.tree).write(snapshot, BRV3)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    same(from_kept(tree), snapshot, random.Random(0))
    again = KeptIndex(tree.tree)
    assert len(list(again.folder.iterdir())) == 3
    assert again.write(snapshot, BRV3)
    again.close()
    assert {place.name for place in again.folder.iterdir()} == {"kept", "lock"}
    same(from_kept(tree), snapshot, random.Random(0))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    root = write(tmp_path / "shop", {path: texts[0] for path, texts in TEXTS.items()})
    (root / "binary.py").write_bytes(b"\0")
    return root


def built(root: Path, before: CodeIndex | None = None) -> CodeIndex:
    return build_index(root, before=before, read=read_here)


def test_stored_code_index_round_trips(root: Path) -> None:
    index, kept = built(root), KeptCode(root)
    assert kept.read() is None
    kept.write(index)
    again = KeptCode(root).read()
    assert again.files == index.files
    paths: list[str] = []
    followed = build_index(root, before=again, read=reading(paths))
    assert followed.graph() == index.graph()
    assert paths == []
    write(root, {"a.py": TEXTS["a.py"][1]})
    assert build_index(root, before=again, read=reading(paths)).graph() == built(root).graph()
    assert paths == ["a.py"]


def test_stored_code_index_is_readable_only_by_its_owner(root: Path) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.path.parent.stat().st_mode) == 0o700


def test_code_index_depends_on_rules_and_folder(root: Path, tmp_path: Path) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    assert KeptCode(root, limited(file_bytes=10_000)).read() is None
    rules = code_rules()
    assert KeptCode(root, replace(rules, python=replace(rules.python, builtins=()))).read() is None
    elsewhere = KeptCode(write(tmp_path / "other", {}))
    elsewhere.path.parent.mkdir(parents=True)
    elsewhere.path.write_bytes(kept.path.read_bytes())
    assert elsewhere.read() is None


@pytest.mark.parametrize("keep", [0, 1, 10, 40, -20, -1])
def test_truncated_code_index_counts_as_missing(root: Path, keep: int) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    kept.path.write_bytes(kept.path.read_bytes()[:keep])
    assert kept.read() is None


@pytest.mark.parametrize("line", ["[]", "{}", "[[1,2,3,4],5,6,7]", '[["a.py",1,1,1],"",null,[1]]', "nonsense", "null"])
def test_code_index_with_invalid_lines_counts_as_missing(root: Path, line: str) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    header, *_ = gzip.decompress(kept.path.read_bytes()).splitlines()
    kept.path.write_bytes(gzip.compress(header + b"\n" + f"{line}\n".encode() * 6))
    assert kept.read() is None


def test_symlinked_code_index_is_not_read(root: Path, tmp_path: Path) -> None:
    kept = KeptCode(root)
    kept.write(built(root))
    other = tmp_path / "elsewhere"
    other.write_bytes(kept.path.read_bytes())
    kept.path.unlink()
    kept.path.symlink_to(other)
    assert kept.read() is None
