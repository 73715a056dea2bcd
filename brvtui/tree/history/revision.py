"""The markdown files of a tree at a git revision."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path

from brvtui.tree.history.git import GitFailed, RevisionError, git
from brvtui.tree.reading.files import SEARCHABLE, TreeFile, role_of
from brvtui.wording import shortened

_MOST_LISTING = 64 * 1_048_576
_MOST_CONTENT = 256 * 1_048_576
_SHORT = 4096
_MOST_DATED = 200
_MOST_BRANCHES = 4
_LONGEST_NAME = 255
_SHA1_DIGITS = 40
_MS = 1000
_NO_FOLDER = "Not a valid object name"
_LACKING = "run git fsck, or, in a partial clone, fetch all objects"
_FILE_MODES, _LINK_MODE = (b"100644", b"100755", b"100664"), b"120000"


def named_revisions(folder: Path) -> dict[str, str]:
    """The revisions of ``folder`` that users need most, each with a description; empty outside of a git repository."""
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
    """Returns the commit that ``name`` refers to: a branch, a tag or a commit.

    ``run`` is :func:`git` in its repository. Raises :class:`GitFailed` if there is none, or if git would read ``name``
    as an exclusion or an option.
    """
    if name.startswith(("^", "-")):
        raise GitFailed("a name of a revision begins with neither ^ nor -")
    wanted = f"{name}^{{commit}}"
    found = run("rev-parse", "--verify", "--quiet", "--end-of-options", wanted, most=_SHORT)
    return found.decode("ascii", "replace").strip()


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file at a revision: the id of its content, and its size in bytes."""

    content: str
    size: int

    def holds(self, data: bytes) -> bool:
        """True if ``data`` is its content. Line ends that git converted on checkout are ignored."""
        return self._has_id(data) or (b"\r\n" in data and self._has_id(data.replace(b"\r\n", b"\n")))

    def at(self, path: str, mtime_ns: int) -> TreeFile:
        """The file as a walk would list it at ``path``."""
        return TreeFile(path, self.size, mtime_ns, 0, 0)

    def _has_id(self, data: bytes) -> bool:
        return content_id(data, len(self.content)) == self.content


def content_id(data: bytes, digits: int) -> str:
    """Returns the id of ``data`` in a repository whose ids have this number of ``digits``."""
    algorithm = "sha1" if digits == _SHA1_DIGITS else "sha256"
    digest = hashlib.new(algorithm, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def committed_contents(
    run: Callable[..., bytes], files: Mapping[str, CommittedFile], largest: int, where: str, remedy: str
) -> dict[str, bytes]:
    """Returns the contents of ``files`` by path; for a file that is larger than ``largest``, one byte more than that.

    ``run`` is :func:`git` in their repository. Raises :class:`RevisionError`, which names ``where`` and ``remedy``, if
    they are too large together, and if a content is not the committed one.
    """
    contents = dict.fromkeys(files, bytes(min(largest + 1, max((file.size for file in files.values()), default=0))))
    small = {path: file for path, file in files.items() if file.size <= largest}
    size = sum(file.size for file in small.values())
    if size > _MOST_CONTENT:
        raise RevisionError(f"{where}: more than {_MOST_CONTENT} bytes of notes{remedy}")
    ids = "".join(f"{file.content}\n" for file in small.values()).encode("ascii")
    data = run("cat-file", "--batch", most=size + _SHORT * (len(small) + 1), given=ids) if small else b""
    start = 0
    for path, file in small.items():
        begin = data.find(b"\n", start) + 1
        contents[path] = data[begin : begin + file.size]
        start = begin + file.size + 1
        if not begin or not file.holds(contents[path]):
            raise RevisionError(f"{path}: git does not return its content at {where}; run git fsck")
    return contents


def committed_files(run: Callable[..., bytes], place: str, where: str) -> dict[str, CommittedFile]:
    """Returns the regular markdown files of ``place`` (``COMMIT:FOLDER``) that are not hidden, by path.

    ``run`` is :func:`git` in their repository. Leaves out paths that no checkout can have because a name is too long
    or empty. Raises :class:`GitFailed` if the folder does not exist, and :class:`RevisionError`, which names
    ``where``, if git cannot list the files or lacks the content of one, or if a symlink leads to another note.
    """
    try:
        listing = run("ls-tree", "--full-tree", "-r", "-z", "--end-of-options", place, most=_MOST_LISTING)
    except GitFailed as error:
        if _NO_FOLDER in str(error):
            raise
        raise RevisionError(f"{where}: its files cannot be listed ({error}); name another, or run git fsck") from error
    contents: dict[str, str] = {}
    links: list[str] = []
    for entry in listing.split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        fields = facts.split()
        if path.endswith(b".md") and len(fields) == 3 and fields[0] in (*_FILE_MODES, _LINK_MODE):
            name = path.decode("utf-8", "surrogateescape")
            if all(part and part[:1] != b"." and len(part) <= _LONGEST_NAME for part in path.split(b"/")):
                if fields[0] == _LINK_MODE:
                    links.append(name)
                else:
                    contents[name] = fields[2].decode("ascii")
    _check_links(run, place, links, contents, where)
    ids = dict.fromkeys(contents.values())
    object_ids = "".join(f"{content}\n" for content in ids).encode("ascii")
    try:
        found = run("cat-file", "--batch-check=%(objectsize)", most=_MOST_LISTING, given=object_ids).split(b"\n")
    except GitFailed as error:
        raise RevisionError(f"{where}: git lacks the content of a note: {_LACKING}") from error
    sizes = dict(zip(ids, found, strict=False))
    for name, content in contents.items():
        if not sizes.get(content, b"").isdigit():
            raise RevisionError(f"{where}: git lacks the content of {shortened(name)}: {_LACKING}")
    return {name: CommittedFile(content, int(sizes[content])) for name, content in contents.items()}


def _check_links(
    run: Callable[..., bytes], place: str, links: Collection[str], contents: Mapping[str, str], where: str
) -> None:
    """Raises :class:`RevisionError` if one of ``links`` may lead to another note: then the engine finds nothing.

    git follows links within the repository. A link that leaves it counts if it ends with the name of a note.
    """
    notes = {path: content for path, content in contents.items() if role_of(path) in SEARCHABLE} if links else {}
    ids, names = {*map(str.encode, notes.values())}, {os.fsencode(path).rpartition(b"/")[2] for path in notes}
    folder = place if place.endswith(":") else f"{place}/"
    objects = b"".join(os.fsencode(f"{folder}{path}\n") for path in links if "\n" not in path)
    follow = ("cat-file", "--follow-symlinks", "--batch-check=%(objectname)")
    answers = BytesIO(run(*follow, most=_MOST_LISTING, given=objects) if objects else b"")
    for path in links:
        kind, _, size = (b"", b"", b"") if "\n" in path else answers.readline().strip().partition(b" ")
        target = answers.read(int(size) + 1).strip() if size.isdigit() else b""
        if not kind or kind in ids or (kind == b"symlink" and target.rpartition(b"/")[2] in names):
            why = "is a symlink to another note, which makes every search of the engine fail"
            raise RevisionError(f"{where}: {shortened(path)} {why}; name another revision")


class Revision:
    """A git revision of the tree in ``folder``. Methods raise :class:`brvtui.tree.history.git.RevisionError`."""

    def __init__(self, folder: Path, name: str) -> None:
        """Finds the commit that ``name`` refers to: a branch, a tag or a commit."""
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
        """Every regular markdown file of the tree by its path."""
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
        """The markdown files on disk that git ignores. If a revision lacks them, that means nothing."""
        arguments = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", ".")
        listing = git(self.folder, *arguments, most=_MOST_LISTING).split(b"\0")
        return frozenset(path.decode("utf-8", "surrogateescape") for path in listing if path.endswith(b".md"))

    def read(self, paths: Collection[str], largest: int) -> dict[str, bytes]:
        """The content of the files at ``paths``, as :func:`committed_contents`."""
        wanted = {path: self.files[path] for path in paths}
        where, remedy = shortened(self.name), " differ; name a closer revision"
        return committed_contents(partial(git, self.folder), wanted, largest, where, remedy)

    def changed_ms(self, paths: Collection[str]) -> dict[str, int]:
        """The time of the last commit of each of ``paths``, in ms since 1970; for more than 200, the date of the
        revision."""
        own = self._date(".")
        if len(paths) > _MOST_DATED:
            return dict.fromkeys(paths, own)
        return {path: self._date(path) or own for path in paths}

    def _date(self, path: str) -> int:
        place = ("--", f":(literal){path}")
        text = git(self.folder, "log", "-1", "--format=%ct", self.commit, *place, most=_SHORT).strip()
        return int(text) * _MS if text.isdigit() else 0
