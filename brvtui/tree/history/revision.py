"""The Markdown files of a tree at a git revision."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from brvtui.disk.walking import MOST_DEPTH, TOO_DEEP
from brvtui.tree.history.attributes import ATTRIBUTES, LARGEST_ATTRIBUTES, changing_line
from brvtui.tree.history.git import GitFailed, RevisionError, git
from brvtui.tree.history.links import CommittedLinks
from brvtui.tree.reading.files import DUPLICATE, HIDDEN_FOLDER, TreeFile, UnseenFile, in_walk_order, unread_name
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
_SUBMODULE = 0o160000
_BLOB = re.compile(rb"[0-9a-f]+ blob [0-9]+")
_LONGEST_TARGET = 4095


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

    ``run`` is :func:`git` in the commit's repository. Raises :class:`GitFailed` if there is none, or if git would read
    ``name`` as an exclusion or an option.
    """
    if name.startswith(("^", "-")):
        raise GitFailed("a revision's name cannot begin with ^ or -")
    wanted = f"{name}^{{commit}}"
    found = run("rev-parse", "--verify", "--quiet", "--end-of-options", wanted, most=_SHORT)
    return found.decode("ascii", "replace").strip()


def revision_warning(run: Callable[..., bytes], name: str) -> str:
    """git's warning about the revision ``name``, usually because several refs have the name, and the remedy.

    Empty if git does not warn, or if there is no such revision. ``run`` has the same meaning as in
    :func:`commit_named`.
    """
    warnings: list[str] = []
    with suppress(RevisionError):
        run("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}", most=_SHORT, warnings=warnings)
    if not warnings:
        return ""
    remedy = "write its full name: refs/heads/… for a branch, refs/remotes/origin/… or refs/tags/…"
    return f"git warns about the revision {shortened(name)} ({warnings[0].rstrip('.')}); {remedy}"


@dataclass(frozen=True, slots=True)
class CommittedFile:
    """A file at a revision: the id of its content, and its size in bytes."""

    content: str
    size: int

    def holds(self, data: bytes) -> bool:
        """True if ``data`` is the file's content. Line ends that git converted on checkout are ignored."""
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
    """Returns the contents of ``files``, keyed by path. A file above ``largest`` bytes is returned as ``largest + 1``
    zero bytes.

    ``run`` is :func:`git` in their repository. Raises :class:`RevisionError`, which names ``where`` and ``remedy``, if
    their total size is too large, or if git returns content that differs from what was committed.
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


class NoFolder(RevisionError):
    """Raised if the revision has no such folder."""


@dataclass(frozen=True, slots=True)
class CommittedTree:
    """A tree at a revision: its regular Markdown files keyed by path, and the files that are not read."""

    files: Mapping[str, CommittedFile]
    unseen: tuple[UnseenFile, ...]


def committed_tree(run: Callable[..., bytes], top: Path, commit: str, folder: str, where: str) -> CommittedTree:
    """Returns the tree in ``folder`` at ``commit``, as a walk of its checkout in the repository ``top`` would list it.

    ``run`` is :func:`git` in the repository. Leaves out paths that no checkout can have because a name is too long or
    empty. Raises :class:`NoFolder`. Raises :class:`RevisionError`, which names ``where``, if git cannot list the files
    or lacks the content of a file, if a symlink leads to another note, or if git stores filtered notes.
    """
    contents, links, unseen, rules = dict[str, str](), list[str](), dict[str, str](), dict[str, str]()
    for mode, content, path in _entries(run, commit, folder, where):
        name = path.rpartition("/")[2]
        if shut := _shut_folder(f"{path}/" if mode == _SUBMODULE else path):
            unseen[shut] = HIDDEN_FOLDER if shut.rpartition("/")[2].startswith(".") else TOO_DEEP
        elif mode == _SUBMODULE:
            unseen[path] = "submodules are not read"
        elif stat.S_ISLNK(mode):
            links.append(path)
        elif stat.S_ISREG(mode) and name == ATTRIBUTES:
            rules[path] = content
        elif stat.S_ISREG(mode) and unread_name(name):
            unseen[path] = unread_name(name)
        elif stat.S_ISREG(mode) and name.endswith(".md"):
            contents[path] = content
    if links:
        unseen |= _link_reasons(run, top, commit, folder, where, links)
    _check_attributes(run, commit, folder, where, rules, contents)
    left = (UnseenFile(path, reason, reason == TOO_DEEP) for path, reason in unseen.items() if reason)
    return CommittedTree(_sized(run, contents, where), in_walk_order(left))


def _entries(run: Callable[..., bytes], commit: str, folder: str, where: str) -> Iterator[tuple[int, str, str]]:
    """Yields the mode, the id and the path of everything below ``folder``."""
    place = f"{commit}:{folder}"
    try:
        listing = run("ls-tree", "--full-tree", "-r", "-t", "-z", "--end-of-options", place, most=_MOST_LISTING)
    except GitFailed as error:
        with suppress(GitFailed):
            _check_way(run, commit, folder, where)
        raise GitFailed(f"{where}: its files cannot be listed ({error}); choose another, or run git fsck") from error
    for entry in listing.split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        fields = facts.split()
        possible = all(part not in (b"", b".", b"..") and len(part) <= _LONGEST_NAME for part in path.split(b"/"))
        if len(fields) == 3 and possible:
            yield int(fields[0], 8), fields[2].decode("ascii"), path.decode("utf-8", "surrogateescape")


def _check_way(run: Callable[..., bytes], commit: str, folder: str, where: str) -> None:
    """Raises :class:`RevisionError` if ``folder`` is not a folder; :class:`GitFailed` if git cannot read a parent."""
    parts = folder.split("/") if folder else []
    for place in ("/".join(parts[: depth + 1]) for depth in range(len(parts))):
        entry = run("ls-tree", "--full-tree", "--end-of-options", commit, f":(literal){place}", most=_MOST_LISTING)
        if entry.startswith(b"120000 "):
            why = "is a symlink there, which is not followed; choose another revision"
            raise RevisionError(f"{where}: {shortened(place)} {why}")
        if not entry.startswith(b"040000 "):
            raise NoFolder(f"{where}: no folder {shortened(place)}")


def _check_attributes(
    run: Callable[..., bytes], commit: str, folder: str, where: str, below: Mapping[str, str], notes: Collection[str]
) -> None:
    """Raises :class:`RevisionError` if an attribute can give one of ``notes`` a filter, such as git-lfs, or an
    encoding. ``below`` contains the attribute files in ``folder``; those above it are looked up.
    """
    above = "".join(f"{commit}:{parent}{ATTRIBUTES}\n" for parent in _parents(folder)).encode(
        "utf-8", "surrogateescape"
    )
    found = run("cat-file", "--batch-check=%(objectname) %(objecttype)", most=_MOST_LISTING, given=above)
    ids = [line.removesuffix(b" blob").decode("ascii") for line in found.split(b"\n") if line.endswith(b" blob")]
    rules = {f"{number}": content for number, content in enumerate((*ids, *below.values()))}
    if not rules:
        return
    files = _sized(run, rules, where)
    if any(file.size > LARGEST_ATTRIBUTES for file in files.values()):
        line = "a file of more than 1 MB"
    else:
        read = committed_contents(run, files, LARGEST_ATTRIBUTES, where, "; choose another revision")
        line = changing_line(read.values(), notes)
    if line:
        why = f"{ATTRIBUTES} can assign a filter or an encoding to notes there ({shortened(line)})"
        raise RevisionError(f"{where}: {why}, so git does not store their text; choose a revision without it")


def _parents(folder: str) -> list[str]:
    """The folders above ``folder`` and itself, each with a final slash, starting with the root (an empty string)."""
    parts = folder.split("/") if folder else []
    return ["", *(f"{'/'.join(parts[: depth + 1])}/" for depth in range(len(parts) - 1))]


def _shut_folder(path: str) -> str:
    """The first folder above ``path`` that a walk does not enter; empty if there is none."""
    folders = path.split("/")[:-1]
    for depth, name in enumerate(folders):
        if name.startswith(".") or depth == MOST_DEPTH:
            return "/".join(folders[: depth + 1])
    return ""


def _link_reasons(
    run: Callable[..., bytes], top: Path, commit: str, folder: str, where: str, paths: Collection[str]
) -> dict[str, str]:
    """The reasons why the symlinks at ``paths`` are not read. Raises :class:`RevisionError` if one leads to a note."""
    modes, ids, reasons = dict[str, int](), dict[str, str](), dict[str, str]()
    for mode, content, path in _entries(run, commit, "", where):
        modes[path] = stat.S_IFDIR if mode == _SUBMODULE else mode
        if stat.S_ISLNK(mode):
            ids[path] = content
    links = CommittedLinks(os.path.realpath(top), folder, modes)
    prefix = f"{folder}/" if folder else ""
    pending = [f"{prefix}{path}" for path in paths]
    needed = dict.fromkeys(pending)
    while needed:
        files = _sized(run, {path: ids[path] for path in needed}, where)
        for path, data in committed_contents(run, files, _LONGEST_TARGET, where, "; choose another revision").items():
            text = data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
            links.targets[path] = text or "\0"  # no checkout can have such a link
        asked, pending, needed = pending, [], {}
        for path in asked:
            try:
                reasons[path.removeprefix(prefix)] = links.reason(path)
            except KeyError as link:
                needed[link.args[0]] = None
                pending.append(path)
    for path in paths:
        if reasons[path] == DUPLICATE:
            why = f"is {DUPLICATE}, which makes all of the engine's searches fail; choose another revision"
            raise RevisionError(f"{where}: {shortened(path)} {why}")
    return reasons


def _sized(run: Callable[..., bytes], contents: Mapping[str, str], where: str) -> dict[str, CommittedFile]:
    """The files in ``contents``, a mapping from paths to ids, with their sizes."""
    ids = dict.fromkeys(contents.values())
    object_ids = "".join(f"{content}\n" for content in ids).encode("ascii")
    try:
        found = run("cat-file", "--batch-check=%(objectsize)", most=_MOST_LISTING, given=object_ids).split(b"\n")
    except GitFailed as error:
        raise GitFailed(f"{where}: git lacks the content of a note ({error}): {_LACKING}") from error
    sizes = dict(zip(ids, found, strict=False))
    for name, content in contents.items():
        if not sizes.get(content, b"").isdigit():
            raise RevisionError(f"{where}: git lacks the content of {shortened(name)}: {_LACKING}")
    return {name: CommittedFile(content, int(sizes[content])) for name, content in contents.items()}


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
            hint = "fetch it first (in CI: a checkout with fetch-depth: 0), or choose another"
            raise RevisionError(f"{folder}: no revision {shortened(name)} in git; {hint}") from error

    @property
    def files(self) -> Mapping[str, CommittedFile]:
        """Every regular Markdown file in the tree, keyed by path."""
        return self._tree.files

    @property
    def unseen(self) -> tuple[UnseenFile, ...]:
        """The files of the tree that are not read."""
        return self._tree.unseen

    @cached_property
    def _tree(self) -> CommittedTree:
        place = self._prefix.decode("utf-8", "surrogateescape").rstrip("/")
        top = Path(os.path.realpath(self.folder).removesuffix(f"/{place}"))
        try:
            found = committed_tree(partial(git, self.folder), top, self.commit, place, shortened(self.name))
        except NoFolder as error:
            hint = "is the tree committed there, and not ignored?"
            raise RevisionError(f"{shortened(self.name)} does not contain {self.folder}: {hint}") from error
        if not found.files:
            raise RevisionError(f"{shortened(self.name)} contains no notes in {self.folder}: are they committed there?")
        return found

    @cached_property
    def ignored(self) -> frozenset[str]:
        """The Markdown files on disk that git ignores. They are missing from revisions even if they are not new."""
        arguments = ("ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", ".")
        listing = git(self.folder, *arguments, most=_MOST_LISTING).split(b"\0")
        return frozenset(path.decode("utf-8", "surrogateescape") for path in listing if path.endswith(b".md"))

    def read(self, paths: Collection[str], largest: int) -> dict[str, bytes]:
        """The content of the files at ``paths``, as returned by :func:`committed_contents`."""
        wanted = {path: self.files[path] for path in paths}
        where, remedy = shortened(self.name), " differ; choose a closer revision"
        return committed_contents(partial(git, self.folder), wanted, largest, where, remedy)

    def content(self, path: str, most: int) -> bytes:
        """The content of the file at ``path``, of any type, with at most ``most`` bytes."""
        return git(self.folder, "cat-file", "blob", f"{self.commit}:./{path}", most=most)

    def followed_content(self, path: str, most: int) -> bytes | None:
        """The content, at most ``most`` bytes, of the file at ``path``, which may be a link; None if there is none."""
        wanted = os.fsencode(f"{self.commit}:./{path}\n")
        found = git(self.folder, "cat-file", "--batch", "--follow-symlinks", most=most + _SHORT, given=wanted)
        header, _, content = found.partition(b"\n")
        return content[:-1] if _BLOB.fullmatch(header) else None

    def last_changes(self, paths: Collection[str], since_ms: int = 0) -> dict[str, tuple[int, bool]]:
        """The time of the last commit of each of ``paths``, in ms since 1970; False if the file may be older, because
        git knows no earlier commit.

        For more than 200 paths, or if the tree has not changed since ``since_ms``, the tree's time is used for all.
        """
        newest_ms, _ = self.last_change(".")
        if len(paths) > _MOST_DATED or newest_ms < since_ms:
            return dict.fromkeys(paths, (newest_ms, False))
        return {path: self.last_change(path) for path in paths}

    def last_change(self, path: str) -> tuple[int, bool]:
        """The last change of one path, as for :meth:`last_changes`."""
        place = ("--", f":(literal){path}")
        time_s, *parents = git(
            self.folder, "log", "-1", "--format=%ct %p", self.commit, *place, most=_MOST_LISTING
        ).split() or (0,)
        return int(time_s) * _MS, bool(parents)
