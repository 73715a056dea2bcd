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


def huge_gitfile(own: Path, foreign: Path) -> None:
    gitfile(own, foreign)
    (own / ".git").write_text((own / ".git").read_text() + "\n" * 70_000)


def gitfile_with_a_blank(own: Path, foreign: Path) -> None:
    (own / ".git").rename(own / ".g")
    (own / ".g ").symlink_to(foreign / ".git")
    (own / ".git").write_text("gitdir: .g \n")


def gitfile_with_a_tab(own: Path, foreign: Path) -> None:
    (own / ".git").rename(own / ".g")
    (own / "\t.g").symlink_to(foreign / ".git")
    (own / ".git").write_text("gitdir: \t.g\r\n")


def gitfile_with(text: bytes) -> Callable[[Path, Path], None]:
    def plant(own: Path, foreign: Path) -> None:
        (own / ".git").rename(own / "kept")
        (own / ".git").write_bytes(text)

    return plant


def linked_alternates(own: Path, foreign: Path) -> None:
    alternates(own, foreign)
    (own / ".git" / "objects" / "info" / "alternates").rename(own / ".git" / "alt")
    (own / ".git" / "objects" / "info" / "alternates").symlink_to("../../alt")


def huge_alternates(blanks: int) -> Callable[[Path, Path], None]:
    def plant(own: Path, foreign: Path) -> None:
        alternates(own, foreign)
        with (own / ".git" / "objects" / "info" / "alternates").open("a") as file:
            file.write("\n" * blanks)

    return plant


def alternates_of_a_return(own: Path, foreign: Path) -> None:
    alternates(own, foreign)
    info = own / ".git" / "objects" / "\r" / "info"
    info.mkdir(parents=True)
    (own / ".git" / "objects" / "info" / "alternates").rename(info / "alternates")
    (own / ".git" / "objects" / "info" / "alternates").write_bytes(b"\r\n")


def unreadable_commondir(size: int) -> Callable[[Path, Path], None]:
    def plant(own: Path, foreign: Path) -> None:
        gitfile_through_the_inside(own, foreign)
        (own / "kept" / "commondir").write_text(f"{foreign}/.git" + "\n" * size)

    return plant


def commondir_with_a_nul(own: Path, foreign: Path) -> None:
    (own / ".git" / "commondir").write_bytes(b"%b/.git\0" % bytes(foreign))


def linked_refs_of_hooks(own: Path, foreign: Path) -> None:
    (own / ".git" / "refs" / "heads" / "hooks").symlink_to(foreign / ".git" / "refs" / "heads")


def linked_refs_of_a_module(own: Path, foreign: Path) -> None:
    heads = own / ".git" / "modules" / "part" / "refs" / "heads"
    heads.mkdir(parents=True)
    (heads / "hooks").symlink_to(foreign / ".git" / "refs" / "heads")


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
    "gitfile of 70,000 lines": huge_gitfile, "gitfile with a blank": gitfile_with_a_blank,
    "gitfile with a tab": gitfile_with_a_tab, "gitfile with a NUL": gitfile_with(b"gitdir: kept\0b"),
    "gitfile without a word": gitfile_with(b"kept\n"), "empty gitfile": gitfile_with(b""),
    "gitfile of 2 MiB": gitfile_with(b"gitdir: kept" + b"\n" * (2 << 20)),
    "alternates behind a link": linked_alternates, "alternates of 70,000 lines": huge_alternates(70_000),
    "alternates of 2 MiB": huge_alternates(2 << 20), "alternates of a return": alternates_of_a_return,
    "commondir of 70,000 lines": unreadable_commondir(70_000), "commondir of 2 MiB": unreadable_commondir(2 << 20),
    "commondir with a NUL": commondir_with_a_nul, "refs named hooks": linked_refs_of_hooks,
    "refs of a module named hooks": linked_refs_of_a_module,
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
    for hooks in ("modules/deep/part/hooks", "modules/deep/part/modules/x/hooks"):
        (outer / ".git" / hooks).mkdir(parents=True, exist_ok=True)
        (outer / ".git" / hooks / "pre-commit").unlink(missing_ok=True)
        (outer / ".git" / hooks / "pre-commit").symlink_to(tmp_path / "my-hooks")
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
    with pytest.raises(RevisionError, match=r"does not point back, .* move the repository into the folder"):
        read(separate)


@pytest.mark.parametrize("folder", ["pa:r/own", "own:", ":/own", "a:b/c:d"])
def test_a_colon_in_a_path_leads_to_no_repository_above(folder: str, tmp_path: Path) -> None:
    above = repository(tmp_path / "above")
    (above / "pa" / folder / ".git").mkdir(parents=True)
    with pytest.raises(RevisionError, match=r"above a path with a colon|not a git repository"):
        read(above / "pa" / folder)
    own = repository(tmp_path / "free" / folder)
    assert read(own) == ["note.md"]
