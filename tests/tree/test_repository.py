"""The repository that git reads is the folder's own: no link, pointer or borrowed object leads to another."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.tree.history import repository as checked
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.revision import Revision

_IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")


def git(folder: Path, *words: str) -> str:
    ended = subprocess.run(("git", *_IDENTITY, "-C", str(folder), *words), check=True, capture_output=True, text=True)
    return ended.stdout.strip()


def repository(folder: Path, text: str = "secret") -> Path:
    folder.mkdir(parents=True)
    (folder / "note.md").write_text(f"# Note\n\n{text}\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "notes")
    return folder


def read(folder: Path) -> list[str]:
    checked._checked.cache_clear()
    return sorted(Revision(folder, "HEAD").files)


def whole_link(own: Path, foreign: Path) -> None:
    shutil.rmtree(own / ".git")
    (own / ".git").symlink_to(foreign / ".git")


def gitfile(own: Path, foreign: Path) -> None:
    shutil.rmtree(own / ".git")
    (own / ".git").write_text(f"gitdir: {foreign}/.git\n")


def gitfile_through_the_inside(own: Path, foreign: Path) -> None:
    (own / ".git").rename(own / "kept")
    (own / "kept" / "commondir").write_text(f"{foreign}/.git\n")
    (own / "kept" / "gitdir").write_text(f"{own}/.git\n")
    (own / ".git").write_text("gitdir: kept\n")


def linked_gitfile(own: Path, foreign: Path) -> None:
    shutil.rmtree(own / ".git")
    (own / "hop").symlink_to(foreign / ".git")
    (own / ".git").write_text("gitdir: hop\n")


def worktree_of_another(own: Path, foreign: Path) -> None:
    git(foreign, "worktree", "add", "-q", str(foreign.parent / "theirs"))
    shutil.rmtree(own / ".git")
    shutil.copy(foreign.parent / "theirs" / ".git", own / ".git")


def commondir(own: Path, foreign: Path) -> None:
    (own / ".git" / "commondir").write_text(f"{foreign}/.git\n")


def relative_commondir(own: Path, foreign: Path) -> None:
    (own / ".git" / "commondir").write_text(f"../../{foreign.name}/.git\n")


def alternates(own: Path, foreign: Path) -> None:
    (own / ".git" / "objects" / "info" / "alternates").write_text(f"{foreign}/.git/objects\n")
    (own / ".git" / "refs" / "heads" / "main").write_text(git(foreign, "rev-parse", "HEAD"))


def linked_part(name: str) -> Callable[[Path, Path], None]:
    def plant(own: Path, foreign: Path) -> None:
        git(foreign, "pack-refs", "--all")
        place = own / ".git" / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.symlink_to(foreign / ".git" / name)

    return plant


PLANTS = {
    "the whole": whole_link, "gitfile": gitfile, "commondir": commondir, "relative commondir": relative_commondir,
    "gitfile with commondir": gitfile_through_the_inside, "gitfile to a link": linked_gitfile,
    "worktree of another": worktree_of_another, "alternates": alternates,
    **{name: linked_part(name) for name in (
        "objects", "objects/pack", "objects/info", "refs", "refs/heads", "packed-refs", "HEAD", "config", "logs")},
}  # fmt: skip


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
def test_a_foreign_repository_is_refused(plant: Callable[[Path, Path], None], tmp_path: Path) -> None:
    own, foreign = repository(tmp_path / "own", "ours"), repository(tmp_path / "foreign")
    plant(own, foreign)
    with pytest.raises(RevisionError, match="so its history is not read") as refusal:
        read(own)
    assert "\n" not in str(refusal.value)
    assert str(own) in str(refusal.value) or str(foreign) in str(refusal.value)


def test_a_repository_in_a_folder_that_is_none_is_not_looked_for_above(tmp_path: Path) -> None:
    above = repository(tmp_path / "above")
    (above / "inner" / ".git").mkdir(parents=True)
    with pytest.raises(RevisionError, match="not a git repository"):
        read(above / "inner")


def test_ordinary_repositories_are_read(tmp_path: Path) -> None:
    own = repository(tmp_path / "own")
    (tmp_path / "my-hooks").mkdir()
    (own / ".git" / "hooks").mkdir(exist_ok=True)
    (own / ".git" / "hooks" / "pre-commit").symlink_to(tmp_path / "my-hooks")
    (tmp_path / "named").symlink_to(own)
    git(tmp_path, "clone", "-q", str(own), str(tmp_path / "clone"))
    git(own, "worktree", "add", "-q", str(tmp_path / "worktree"))
    git(own, "worktree", "add", "-q", str(own / "inside"))
    outer = repository(tmp_path / "outer")
    git(outer, "submodule", "add", "-q", str(own), "deep/part")
    git(outer, "commit", "-q", "-m", "part")
    git(outer, "worktree", "add", "-q", str(tmp_path / "outer-tree"))
    git(tmp_path / "outer-tree", "submodule", "update", "--init", "-q")
    separate = tmp_path / "separate"
    git(tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "separate.git"), str(own), str(separate))
    for folder in (
        "own",
        "named",
        "clone",
        "worktree",
        "own/inside",
        "outer",
        "outer/deep/part",
        "outer-tree/deep/part",
    ):
        assert "note.md" in read(tmp_path / folder), folder
    with pytest.raises(RevisionError, match="does not point back"):
        read(separate)
