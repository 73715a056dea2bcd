"""git reads only the folder's own repository, within a time limit."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.engines.profile_files import tree_profile
from brvtui.engines.registry import DEFAULT_PROFILE
from brvtui.fleet.opening import commit_of, git_snapshot
from brvtui.tree.history import git as runner
from brvtui.tree.history import repository as checked
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.history.revision import Revision, committed_tree

_IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")


def run_git(folder: Path, *words: str) -> str:
    ended = subprocess.run(("git", *_IDENTITY, "-C", str(folder), *words), check=True, capture_output=True, text=True)
    return ended.stdout.strip()


def repository(folder: Path, text: str = "secret") -> Path:
    folder.mkdir(parents=True)
    (folder / "note.md").write_text(f"# Note\n\n{text}\n")
    run_git(folder, "init", "-q", "-b", "main")
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", "notes")
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
    run_git(foreign, "worktree", "add", "-q", str(foreign.parent / "theirs"))
    shutil.rmtree(own / ".git")
    shutil.copy(foreign.parent / "theirs" / ".git", own / ".git")


def commondir(own: Path, foreign: Path) -> None:
    (own / ".git" / "commondir").write_text(f"{foreign}/.git\n")


def relative_commondir(own: Path, foreign: Path) -> None:
    (own / ".git" / "commondir").write_text(f"../../{foreign.name}/.git\n")


def alternates(own: Path, foreign: Path) -> None:
    (own / ".git" / "objects" / "info" / "alternates").write_text(f"{foreign}/.git/objects\n")
    (own / ".git" / "refs" / "heads" / "main").write_text(run_git(foreign, "rev-parse", "HEAD"))


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
        run_git(foreign, "pack-refs", "--all")
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
def test_repository_that_borrows_from_another_is_refused(plant: Callable[[Path, Path], None], tmp_path: Path) -> None:
    own, foreign = repository(tmp_path / "own", "ours"), repository(tmp_path / "foreign")
    plant(own, foreign)
    with pytest.raises(RevisionError, match="so its history is not read") as refusal:
        read(own)
    assert "\n" not in str(refusal.value)
    assert str(own) in str(refusal.value) or str(foreign) in str(refusal.value)


@pytest.mark.parametrize(
    "settings",
    ["[core]\nworktree = /etc", "[core]\nbare = true", "[include]\npath = more", "[extensions]\nworktreeConfig = true"],
)
def test_settings_cannot_name_another_work_tree(settings: str, tmp_path: Path) -> None:
    own = repository(tmp_path / "own")
    (own / "tree").mkdir()
    (own / "tree" / "inner.md").write_text("# Inner\n")
    run_git(own, "add", "-A")
    run_git(own, "commit", "-q", "-m", "tree")
    with (own / ".git" / "config").open("a") as config:
        config.write(f"{settings}\n")
    for name in ("more", "config.worktree"):
        (own / ".git" / name).write_text("[core]\nworktree = /etc\n")
    assert read(own / "tree") == ["inner.md"]
    (own / "tree" / "new.md").write_text("# New\n")
    (own / ".git" / "info" / "exclude").write_text("new.md\n")
    assert Revision(own / "tree", "HEAD").ignored == {"new.md"}
    assert Revision(own / "tree", "HEAD").last_changes(["inner.md"])["inner.md"][0] > 0
    run_git(tmp_path, "clone", "-q", "--bare", str(own / ".git"), str(tmp_path / "bare"))
    with (tmp_path / "bare" / "config").open("a") as config:
        config.write("[core]\nbare = false\nworktree = /etc\n")
    profile = tree_profile(DEFAULT_PROFILE)
    for place in (own, tmp_path / "bare"):
        snapshot = git_snapshot(place, commit_of(place, "main"), "tree", profile, 0.0)
        assert [(note.path, note.mtime_ms > 0) for note in snapshot.notes] == [("inner.md", True)]


def test_broken_repository_does_not_fall_back_to_its_parent(tmp_path: Path) -> None:
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
    run_git(tmp_path, "clone", "-q", str(own), str(tmp_path / "clone"))
    run_git(own, "worktree", "add", "-q", str(tmp_path / "worktree"))
    run_git(own, "worktree", "add", "-q", str(own / "inside"))
    outer = repository(tmp_path / "outer")
    run_git(outer, "submodule", "add", "-q", str(own), "deep/part")
    run_git(outer, "commit", "-q", "-m", "part")
    for hooks in ("modules/deep/part/hooks", "modules/deep/part/modules/x/hooks"):
        (outer / ".git" / hooks).mkdir(parents=True, exist_ok=True)
        (outer / ".git" / hooks / "pre-commit").unlink(missing_ok=True)
        (outer / ".git" / hooks / "pre-commit").symlink_to(tmp_path / "my-hooks")
    run_git(outer, "worktree", "add", "-q", str(tmp_path / "outer-tree"))
    run_git(tmp_path / "outer-tree", "submodule", "update", "--init", "-q")
    separate = tmp_path / "separate"
    run_git(tmp_path, "clone", "-q", "--separate-git-dir", str(tmp_path / "separate.git"), str(own), str(separate))
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
def test_colon_in_a_path_does_not_open_a_parent_repository(folder: str, tmp_path: Path) -> None:
    above = repository(tmp_path / "above")
    (above / "pa" / folder / ".git").mkdir(parents=True)
    with pytest.raises(RevisionError, match=r"the path has a colon|not a git repository"):
        read(above / "pa" / folder)
    own = repository(tmp_path / "free" / folder)
    assert read(own) == ["note.md"]


def test_repository_name_may_contain_a_colon(tmp_path: Path) -> None:
    repository(tmp_path / "above")
    own = repository(tmp_path / "above" / "pro:1")
    assert read(own) == ["note.md"]
    (own / ".git" / "HEAD").write_text("broken")
    with pytest.raises(RevisionError, match=r"not a git repository"):
        read(own)


_ASK = """
from pathlib import Path
from brvtui.tree.history import git
git._PATIENCE_S = {}
git.git(Path({!r}), "rev-parse", "HEAD", most=9)
"""


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """A repository whose settings include a pipe, on which git waits."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "config", "include.path", str(tmp_path / "pipe")], check=True)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def _running(folder: Path) -> list[str]:
    command = ["ps", "-ww", "-eo", "args"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in listed if str(folder) in line and "rev-parse" in line and "python" not in line]


def test_git_that_hangs_is_killed(waiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_PATIENCE_S", 0.5)
    with pytest.raises(
        RevisionError, match=r"took more than 0\.5 seconds; is a file .* that git's settings include, a pipe"
    ):
        git(waiting, "rev-parse", "HEAD", most=100)
    with pytest.raises(RevisionError, match=r"took more than 0\.5 seconds"):
        Revision(waiting, "HEAD")
    assert _running(waiting) == []


@pytest.mark.skipif(shutil.which("timeout") is None, reason="there is no timeout on this machine")
def test_git_that_hangs_ends_after_its_parent_is_killed(waiting: Path) -> None:
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
def test_git_stops_reading_an_endless_file(tmp_path: Path, file: str) -> None:
    own = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(tmp_path))
    subprocess.run(("git", *own, "init", "-q"), check=True)
    for word in ("one", "two"):
        subprocess.run(("git", *own, "commit", "-q", "--allow-empty", "-m", word), check=True)
    (tmp_path / ".git" / file).touch()
    os.truncate(tmp_path / ".git" / file, 1 << 33)
    asked = subprocess.run([sys.executable, "-c", _MEMORY, str(tmp_path)], capture_output=True, text=True, check=True)
    assert 0 < int(asked.stdout) < 1_200


def test_impossible_file_names_are_skipped() -> None:
    names = (
        b"n" * 252, b"n" * 100_000, ("é" * 127 + "/y").encode(), ("é" * 128 + "/y").encode(), ("漢" * 86).encode(),
        b"\xff" * 253, b"x/y", b"d" * 300 + b"/y", b"/etc/y", b"x//y", b"../y",
    )  # fmt: skip
    listing = b"".join(b"100644 blob " + b"a" * 40 + b"\t%b.md\0" % name for name in names)
    answers = iter((listing, b":.gitattributes missing\n", b"12\n" * len(names)))
    listed = committed_tree(lambda *_, **__: next(answers), Path("/"), "HEAD", "", "HEAD")
    assert list(listed.files) == ["n" * 252 + ".md", "é" * 127 + "/y.md", "x/y.md"]


def _damage(clone: Path, content: str) -> None:
    (clone / ".git/objects" / content[:2] / content[2:]).chmod(0o600)
    (clone / ".git/objects" / content[:2] / content[2:]).write_bytes(b"junk")


@pytest.mark.parametrize("is_partial", [True, False])
def test_missing_git_object_is_reported_as_an_error(tmp_path: Path, is_partial: bool) -> None:
    def git(folder: Path, *words: str) -> str:
        own = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "uploadpack.allowFilter=true")
        done = subprocess.run(("git", *own, "-C", str(folder), *words), check=True, capture_output=True, text=True)
        return done.stdout.strip()

    source, clone = tmp_path / "source", tmp_path / "clone"
    source.mkdir()
    git(source, "init", "-q")
    git(source, "config", "uploadpack.allowFilter", "true")
    for word in ("one", "two"):
        (source / "n.md").write_text(word)
        (source / "m.md").write_text("stays")
        git(source, "add", "-A")
        git(source, "commit", "-q", "-m", word)
    how = ("--filter=blob:none",) if is_partial else ()
    git(tmp_path, "clone", "-q", "--no-local", *how, f"file://{source}", str(clone))
    if not is_partial:
        for pack in (clone / ".git/objects/pack").glob("*.pack"):
            pack.rename(tmp_path / "pack")
            with (tmp_path / "pack").open("rb") as data:
                subprocess.run(("git", "-C", str(clone), "unpack-objects", "-q"), stdin=data, check=True)
        _damage(clone, git(clone, "rev-parse", "HEAD~1:n.md"))
    with pytest.raises(RevisionError, match="git lacks the content of"):
        _ = Revision(clone, "HEAD~1").files
    assert Revision(clone, "HEAD").files


def test_missing_content_in_another_file_does_not_matter(tmp_path: Path) -> None:
    own = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(tmp_path))
    subprocess.run((*own, "init", "-q"), check=True)
    (tmp_path / "n.md").write_text("one")
    (tmp_path / "picture.png").write_bytes(b"\0" * 100)
    subprocess.run((*own, "add", "-A"), check=True)
    subprocess.run((*own, "commit", "-q", "-m", "one"), check=True)
    content = subprocess.run((*own, "rev-parse", "HEAD:picture.png"), capture_output=True, text=True, check=True)
    _damage(tmp_path, content.stdout.strip())
    assert list(Revision(tmp_path, "HEAD").files) == ["n.md"]


def _broken_commit(folder: Path, entry: bytes) -> str:
    """A commit whose tree has one damaged ``entry``: a mode and a name, for a blob."""

    def write(kind: str, data: bytes) -> str:
        command = ("git", "-C", str(folder), "hash-object", "-w", "--literally", "-t", kind, "--stdin")
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()

    tree = write("tree", entry + b"\0" + bytes.fromhex(write("blob", b"# Note")))
    author = "a <a@example.org> 1 +0000"
    return write("commit", f"tree {tree}\nauthor {author}\ncommitter {author}\n\nm\n".encode())


@pytest.mark.parametrize(
    ("entry", "reason"),
    [(b"100644 ", "empty filename in tree entry"), (b"40000 sub", "Object [0-9a-f]{40} not a tree")],
)
def test_revision_that_git_cannot_list_is_refused_with_its_reason(entry: bytes, reason: str, tmp_path: Path) -> None:
    folder = repository(tmp_path / "own")
    commit = _broken_commit(folder, entry)
    wanted = rf"its files cannot be listed \(git ls-tree failed: (error: )?{reason}\); choose another, or run git fsck"
    with pytest.raises(RevisionError, match=wanted):
        _ = Revision(folder, commit).files
    with pytest.raises(RevisionError, match=wanted):
        git_snapshot(folder, commit, "", tree_profile(DEFAULT_PROFILE), 0.0)
    (folder / "new").mkdir()
    with pytest.raises(RevisionError, match="does not contain"):
        _ = Revision(folder / "new", "HEAD").files


@pytest.mark.parametrize("name", ["^main", "-q"])
def test_names_that_git_reads_as_an_exclusion_or_an_option_are_refused(tmp_path: Path, name: str) -> None:
    folder = repository(tmp_path / "own")
    run_git(folder, "update-ref", "refs/heads/-q", "HEAD")
    commit = run_git(folder, "rev-parse", "main")
    assert Revision(folder, "main").commit == commit_of(folder, "main") == commit
    for find in (Revision, commit_of):
        with pytest.raises(RevisionError, match=rf"no revision {re.escape(name)}"):
            find(folder, name)
