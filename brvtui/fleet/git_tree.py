"""The tree of a git repository at a revision, read from its objects: nothing is checked out."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from brvtui.loading import EditedFile, load
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.history.revision import CommittedFile, batch_contents, listed_files
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.project import FoundProject
from brvtui.wording import shortened

_MOST_LISTING = 64 * 1_048_576
_MOST_CONTENT = 256 * 1_048_576
_SHORT = 4096
_NS_PER_S = 1_000_000_000
_NOT_ON_DISK = "."
"""How a walk names a tree whose folder is not there."""


def commit_of(repository: Path, revision: str) -> str:
    """The commit that ``revision`` means in ``repository``. Raises RevisionError."""
    wanted = f"{revision}^{{commit}}"
    try:
        found = _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted, most=_SHORT)
    except RevisionError as error:
        why = f"{repository}: no revision {shortened(revision)}; fetch it first, or name another ({error})"
        raise RevisionError(why) from error
    return found.decode("ascii", "replace").strip()


def git_snapshot(repository: Path, commit: str, folder: str, constants: TreeConstants, now_ms: float) -> Snapshot:
    """A snapshot of the markdown files of ``folder`` at ``commit``; each is as old as the commit that last changed it.

    Signals are those of the notes' frontmatter where the profile reads them, else the defaults: git has no others.
    Raises RevisionError.
    """
    files = _listed(repository, commit, folder)
    contents = _read(repository, files)
    dates = _dates(repository, commit, folder)
    edits = tuple(EditedFile(path, data, dates.get(path, dates[""])) for path, data in contents.items())
    tree = repository / f"{commit}:{folder}"
    project = FoundProject(
        repository, tree, (), (f"read from git at {commit[:12]}: signals of the engine are unknown",)
    )
    made = load(project, constants, now_ms, edits=edits, removed=(_NOT_ON_DISK,))
    assert made is not None  # nobody cancels
    texts = {}
    for edit in edits:
        with suppress(Unseen):
            texts[edit.path] = read_bytes(edit.data, constants.limits).text
    return replace(made, edited=texts)


def _listed(repository: Path, commit: str, folder: str) -> dict[str, CommittedFile]:
    """The regular markdown files, by their paths in the tree."""
    try:
        listing = _git(
            repository, "ls-tree", "--full-tree", "-r", "-z", "-l", "--end-of-options", f"{commit}:{folder}",
            most=_MOST_LISTING,
        )  # fmt: skip
    except RevisionError as error:
        raise RevisionError(
            f"{repository}: {commit[:12]} holds no folder {folder}; name another with folder"
        ) from error
    files = listed_files(listing)
    if not files:
        raise RevisionError(f"{repository}: no notes in {folder} at {commit[:12]}; name another folder or revision")
    return files


def _read(repository: Path, files: dict[str, CommittedFile]) -> dict[str, bytes]:
    size = sum(file.size for file in files.values())
    if size > _MOST_CONTENT:
        raise RevisionError(f"{repository}: more than {_MOST_CONTENT} bytes of notes; name a smaller folder")
    given = "".join(f"{file.content}\n" for file in files.values()).encode("ascii")
    data = _git(repository, "cat-file", "--batch", most=size + _SHORT * (len(files) + 1), given=given)
    return batch_contents(data, files, str(repository))


def _dates(repository: Path, commit: str, folder: str) -> dict[str, int]:
    """When each file was last committed, in ns since 1970; under the empty path, when the commit was made."""
    own = int(_git(repository, "log", "-1", "--format=%ct", commit, most=_SHORT).strip() or 0) * _NS_PER_S
    made = {"": own}
    where = ("--", f":(top,literal){folder}") if folder else ()
    try:
        log = _git(
            repository, "log", "-z", "--format=%x01%ct", "--name-only", "--no-renames", commit, *where,
            most=_MOST_LISTING,
        )  # fmt: skip
    except RevisionError:
        return made  # a longer history than is read: every note is as old as the commit
    prefix = f"{folder}/" if folder else ""
    moment = own
    for item in log.decode("utf-8", "surrogateescape").split("\0"):
        text = item.lstrip("\n")
        if text.startswith("\x01"):
            seconds, _, text = text[1:].partition("\n")
            moment = int(seconds) * _NS_PER_S if seconds.strip().isdigit() else own
            text = text.lstrip("\n")
        if text.startswith(prefix):
            made.setdefault(text.removeprefix(prefix), moment)
    return made


def _git(repository: Path, *arguments: str, most: int, given: bytes = b"") -> bytes:
    return git(repository, *arguments, most=most, given=given, bare=True)
