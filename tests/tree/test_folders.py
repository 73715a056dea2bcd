"""Moves of folders, and removal of empty ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.tree.saving.folders import is_empty_folder, move_folder, remove_empty
from brvtui.tree.saving.note_files import SaveError, read_file_on_disk
from tests.tree.conftest import NOTE, OLD


def test_folder_moves_with_its_contents(root: Path, either_way: str) -> None:
    (root / "auth/jwt/plan.png").write_bytes(b"png")
    before = read_file_on_disk(root, NOTE).version
    move_folder(root, "auth/jwt", "new/place/tokens")
    assert read_file_on_disk(root, "new/place/tokens/note.md").version == before
    assert (root / "new/place/tokens/plan.png").exists()
    assert not (root / "auth/jwt").exists()


@pytest.mark.parametrize(
    ("path", "target", "message"),
    [
        ("auth/jwt", "taken", "already exists"),
        ("auth", "auth/jwt/deep", "is the folder auth or a place inside it"),
        ("auth", "auth", "is the folder auth or a place inside it"),
        ("auth/gone", "new", "auth/gone: "),
        (NOTE, "new", "not a folder"),
        ("link", "new", "not a folder"),
        ("auth", "link/new", "not a folder of the tree"),
        ("auth", "../new", "points outside the tree"),
        ("auth", "/new", "points outside the tree"),
        ("../tree", "new", "points outside the tree"),
        ("auth", ".new", "begins with a dot"),
        ("auth", "a//b", "not the path"),
    ],
)
def test_impossible_folder_moves_are_refused(root: Path, either_way: str, path: str, target: str, message: str) -> None:
    (root / "taken").mkdir()
    (root / "taken/n.md").write_bytes(b"theirs")
    (root / "link").symlink_to(root.parent)
    with pytest.raises(SaveError, match=message):
        move_folder(root, path, target)
    assert (root / NOTE).read_bytes() == OLD
    assert (root / "taken/n.md").read_bytes() == b"theirs"


@pytest.mark.parametrize("target", ["empty", "empty/inner"])
def test_folder_can_replace_an_empty_folder(root: Path, either_way: str, target: str) -> None:
    (root / "empty/inner/deep").mkdir(parents=True)
    (root / "empty/other").mkdir()
    move_folder(root, "auth/jwt", target)
    assert (root / target / "note.md").read_bytes() == OLD
    assert sorted(path.name for path in root.iterdir()) == ["empty"]


def test_only_folders_without_files_count_as_empty(root: Path) -> None:
    (root / "empty/inner").mkdir(parents=True)
    (root / "linked").mkdir()
    (root / "linked/out").symlink_to(root.parent)
    (root / "link").symlink_to(root / "empty")
    (root / "hidden").mkdir()
    (root / "hidden/.keep").touch()
    names = ("empty", "empty/inner", "linked", "link", "hidden", "auth", NOTE, "gone")
    assert [name for name in names if is_empty_folder(root, name)] == ["empty", "empty/inner"]


def test_empty_parent_folders_are_removed(root: Path) -> None:
    (root / "a/b/c").mkdir(parents=True)
    remove_empty(root, "a/b/c")
    assert sorted(path.name for path in root.iterdir()) == ["auth"]
    for path in ("auth/jwt", "gone/deep", "", "../tree", ".hidden"):
        remove_empty(root, path)
    assert (root / NOTE).exists()
    (root / "link").symlink_to(root.parent / "outside")
    (root.parent / "outside/empty").mkdir(parents=True)
    remove_empty(root, "link/empty")
    assert (root.parent / "outside/empty").exists()
