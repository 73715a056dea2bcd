"""A tree's Markdown files at a git revision."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from brvtui.tree.history.git import GitFailed, RevisionError, git
from brvtui.wording import shortened

_MOST_LISTING = 64 * 1_048_576
_MOST_CONTENT = 256 * 1_048_576
_SHORT = 4096
_MOST_DATED = 200
_MOST_BRANCHES = 4
_LONGEST_NAME = 255
_SHA1_DIGITS = 40
_MS = 1000
_LACKING = "run git fsck, or, in a partial clone, fetch all objects"
_FILE_MODES = (b"100644", b"100755", b"100664")


def named_revisions(folder: Path) -> dict[str, str]:
    """The revisions of ``folder`` that users often need, each with a description; empty outside a git repository."""
    heads = ("for-each-ref", "--sort=-committerdate", f"--count={_MOST_BRANCHES}", "--format=%(HEAD)%(refname:short)")
    found: dict[str, str] = {}
    with suppress(RevisionError):
        for name, description in (("HEAD", "the notes as last committed"), ("HEAD~1", "the previous commit")):
            commit_named(partial(git, folder), name)
            found[name] = description
    with suppress(RevisionError):
        lines = git(folder, *heads, "refs/heads", most=_SHORT).decode("utf-8", "replace").splitlines()
        found |= {each[1:]: "a branch" for each in lines if each.startswith(" ")}
    return found


def commit_named(run: Callable[..., bytes], name: str) -> str:
    """Returns the commit to which ``name`` refers: a branch, a tag or a commit.

    ``run`` is :func:`git` in the repository. Raises :class:`GitFailed` if there is no such commit, or if git would read
    ``name`` as an exclusion or an option.
    """
    if name.startswith(("^", "-")):
        raise GitFailed("a name of a revision begins with neither ^ nor -")
    wanted = f"{name}^{{commit}}"
    found = run("rev-parse", "--verify", "--quiet", "--end-of-options", wanted, most=_SHORT)
    return found.decode("ascii", "replace").strip()


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file at a revision: its content's id, and its size in bytes."""

    content: str
    size: int

    def holds(self, data: bytes) -> bool:
        """True if ``data`` is the file's content, regardless of line ends that git converted on checkout."""
        return self._has_id(data) or (b"\r\n" in data and self._has_id(data.replace(b"\r\n", b"\n")))

    def _has_id(self, data: bytes) -> bool:
        algorithm = "sha1" if len(self.content) == _SHA1_DIGITS else "sha256"
        digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
        digest.update(data)
        return digest.hexdigest() == self.content


def batch_contents(data: bytes, files: Mapping[str, CommittedFile], where: str) -> dict[str, bytes]:
    """Returns the contents of ``files`` by path, read from ``data``, the output of ``git cat-file --batch``.

    Raises :class:`RevisionError`, which names ``where``, if a content is not the committed one.
    """
    contents, start = {}, 0
    for path, file in files.items():
        begin = data.find(b"\n", start) + 1
        contents[path] = data[begin : begin + file.size]
        start = begin + file.size + 1
        if not begin or not file.holds(contents[path]):
            raise RevisionError(f"{path}: git does not return its content at {where}; run git fsck")
    return contents


def committed_files(run: Callable[..., bytes], place: str, where: str) -> dict[str, CommittedFile]:
    """Returns the regular Markdown files in ``place`` (``COMMIT:FOLDER``) that are not hidden, by path.

    ``run`` is :func:`git` in their repository. Leaves out paths that no checkout can have, because a name is too long
    or empty. Raises :class:`GitFailed` if the folder does not exist, and :class:`RevisionError`, which names ``where``,
    if git lists a file but lacks its content.
    """
    contents: dict[str, str] = {}
    for entry in run("ls-tree", "--full-tree", "-r", "-z", "--end-of-options", place, most=_MOST_LISTING).split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        fields = facts.split()
        if path.endswith(b".md") and len(fields) == 3 and fields[0] in _FILE_MODES:
            name = path.decode("utf-8", "surrogateescape")
            if all(part and part[0] != "." and len(os.fsencode(part)) <= _LONGEST_NAME for part in name.split("/")):
                contents[name] = fields[2].decode("ascii")
    object_ids = "".join(f"{content}\n" for content in contents.values()).encode("ascii")
    try:
        sizes = run("cat-file", "--batch-check=%(objectsize)", most=_MOST_LISTING, given=object_ids).split(b"\n")
    except GitFailed as error:
        raise RevisionError(f"{where}: git lacks the content of a note: {_LACKING}") from error
    files = dict[str, CommittedFile]()
    for (name, content), size in zip(contents.items(), sizes, strict=False):
        if not size.isdigit():
            raise RevisionError(f"{where}: git lacks the content of {shortened(name)}: {_LACKING}")
        files[name] = CommittedFile(content, int(size))
    return files


class Revision:
    """A git revision of the tree in ``folder``. Methods raise :class:`brvtui.tree.history.git.RevisionError`."""

    def __init__(self, folder: Path, name: str) -> None:
        """Finds the commit to which ``name`` refers: a branch, a tag or a commit."""
        self.folder = folder
        self.name = name
        try:
            self._prefix = git(folder, "rev-parse", "--show-prefix", most=_SHORT).rstrip(b"\n")
        except GitFailed as error:
            raise RevisionError(f"{folder}: {error}; only a tree in a git repository has revisions") from error
        try:
            self.commit = commit_named(partial(git, folder), name)
        except GitFailed as error:
            hint = "fetch it first (in CI: a checkout with fetch-depth: 0), or name another"
            raise RevisionError(f"{folder}: no revision {shortened(name)} in git; {hint}") from error

    @cached_property
    def files(self) -> Mapping[str, CommittedFile]:
        """Every regular Markdown file in the tree, by path."""
        place = f"{self.commit}:{self._prefix.decode('utf-8', 'surrogateescape').rstrip('/')}"
        try:
            files = committed_files(partial(git, self.folder), place, shortened(self.name))
        except GitFailed as error:
            hint = "is the tree committed there, and not ignored?"
            raise RevisionError(f"{shortened(self.name)} does not contain {self.folder}: {hint}") from error
        if not files:
            raise RevisionError(f"{shortened(self.name)} contains no notes of {self.folder}: are they committed there?")
        return files

    @cached_property
    def ignored(self) -> frozenset[str]:
        """The Markdown files on disk that git ignores. Their absence from a revision means nothing."""
        arguments = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", ".")
        listing = git(self.folder, *arguments, most=_MOST_LISTING).split(b"\0")
        return frozenset(path.decode("utf-8", "surrogateescape") for path in listing if path.endswith(b".md"))

    def read(self, paths: Collection[str]) -> dict[str, bytes]:
        """The contents of the files at ``paths``, by path."""
        wanted = {path: self.files[path] for path in paths}
        size = sum(file.size for file in wanted.values())
        if size > _MOST_CONTENT:
            name = shortened(self.name)
            raise RevisionError(f"{name}: more than {_MOST_CONTENT} bytes of notes differ; name a closer revision")
        object_ids = "".join(f"{file.content}\n" for file in wanted.values()).encode("ascii")
        data = git(self.folder, "cat-file", "--batch", most=size + _SHORT * (len(wanted) + 1), given=object_ids)
        return batch_contents(data, wanted, shortened(self.name))

    def changed_ms(self, paths: Collection[str]) -> dict[str, int]:
        """The time of each path's last commit, in ms since 1970; for more than 200 paths, the revision's own time."""
        own = self._date(".")
        if len(paths) > _MOST_DATED:
            return dict.fromkeys(paths, own)
        return {path: self._date(path) or own for path in paths}

    def _date(self, path: str) -> int:
        place = ("--", f":(literal){path}")
        text = git(self.folder, "log", "-1", "--format=%ct", self.commit, *place, most=_SHORT).strip()
        return int(text) * _MS if text.isdigit() else 0
