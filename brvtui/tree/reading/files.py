"""Lists a context tree's files with their roles for the engine.

See ``docs/reference/byterover.md``, "Notes on disk".
"""

from __future__ import annotations

import math
import os
import stat as stat_module
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from brvtui import faults
from brvtui.disk.walking import MOST_DEPTH, TOO_DEEP, leads_to_folder, walk
from brvtui.regular_files import MISSING
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.javascript import sort_key
from brvtui.wording import shortened

ARCHIVE = "_archived"
SUMMARY_FILE = "_index.md"
CONTEXT_FILE = "context.md"
MANIFEST_FILE = "_manifest.json"
DUPLICATE = "a symlink to another note in the tree"
NS_PER_MS, MS_PER_HOUR = 1_000_000, 3_600_000
HTML = "an HTML topic, which ByteRover V4 reads"
HIDDEN_FOLDER = "folders whose names begin with a dot are not read"
LINKED_FOLDER = "folders behind symlinks are not read"
IRREGULAR = "not a regular file"
_MARKDOWN = "the ending must be .md in lower case"
_UNREAD = {
    **dict.fromkeys((".md", ".mdx", ".markdown", ".mdown", ".mkd", ".txt", ".rst", ".adoc", ".org"), _MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), HTML),
    ".icloud": "an iCloud placeholder: the file itself is not on this disk; download it",
}
"""The reasons why files are not read, keyed by file extension in lower case."""
_BACKWARDS = bytes(range(255, -1, -1))


class Role(StrEnum):
    """The roles of Markdown files."""

    NOTE = "note"
    CONTEXT = "context"
    STUB = "stub"
    SUMMARY = "summary"
    ABSTRACT = "abstract"
    OVERVIEW = "overview"
    ARCHIVED = "archived"


SEARCHABLE = frozenset({Role.NOTE, Role.CONTEXT, Role.STUB})


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A Markdown file: its path relative to the tree, and its state on disk, from which changes are detected."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    ctime_ns: int

    @property
    def mtime_ms(self) -> int:
        """The modification time in whole milliseconds, rounded."""
        return rounded_ms(self.mtime_ns)

    @property
    def role(self) -> Role:
        """The file's role for the engine."""
        return role_of(self.path)


@dataclass(frozen=True, slots=True)
class UnseenFile:
    """A file that is not searched, with the reason."""

    path: str
    reason: str
    is_past_limit: bool = False
    """True if one of this program's limits excludes the file, although the engine reads it."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The Markdown files that the engine reads, in the order of the walk, and the files that it skips."""

    files: tuple[TreeFile, ...]
    unseen: tuple[UnseenFile, ...]


def rounded_ms(nanoseconds: int) -> int:
    """Returns the time in whole milliseconds, rounded half up."""
    return (nanoseconds + NS_PER_MS // 2) // NS_PER_MS


def role_of(path: str) -> Role:
    """The role of the Markdown file at ``path`` (relative to the tree)."""
    name = path.rpartition("/")[2]
    if name.count(".") == 1:  # most files are notes
        return Role.SUMMARY if name == SUMMARY_FILE else Role.CONTEXT if name == CONTEXT_FILE else Role.NOTE
    archived = path.startswith(f"{ARCHIVE}/")
    if archived and name.endswith(".stub.md"):
        return Role.STUB
    if archived and name.endswith(".full.md"):
        return Role.ARCHIVED
    if name.endswith(".abstract.md"):
        return Role.ABSTRACT
    if name.endswith(".overview.md"):
        return Role.OVERVIEW
    return Role.NOTE


def notes_among(paths: Iterable[str]) -> tuple[str, ...]:
    """Returns the ``paths`` of notes that people write. Leaves out stubs, archived full texts and derived files."""
    return tuple(path for path in paths if role_of(path) in (Role.NOTE, Role.CONTEXT))


def list_files(root: Path) -> Listing:
    """All Markdown files below ``root``. Folders that cannot be read are listed as unseen files. Raises no errors."""
    files: list[TreeFile] = []
    unseen: list[UnseenFile] = []
    for entry, path in _walk(root, unseen):
        try:
            stat = entry.stat()
        except OSError as error:
            unseen.append(UnseenFile(path, f"cannot be read: {faults.reason(error)}"))
            continue
        if not stat_module.S_ISREG(stat.st_mode):
            unseen.append(UnseenFile(path, IRREGULAR))
            continue
        if entry.is_symlink():
            unseen.append(UnseenFile(path, link_reason(os.path.realpath(entry.path), root)))
            continue
        files.append(TreeFile(path, stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns))
    return Listing(tuple(files), tuple(unseen))


def link_reason(target: str, root: str | Path) -> str:
    """The reason why a symlink to the file ``target`` (absolute, without links) is not read in the tree ``root``."""
    inside = target.removeprefix(f"{root}{os.sep}").replace(os.sep, "/")
    if target == inside:
        return "a symlink to a file outside the tree"
    hidden = any(part.startswith(".") for part in inside.split("/")) or not inside.endswith(".md")
    hidden = hidden or role_of(inside) not in SEARCHABLE
    return "a symlink to a file that the engine does not see" if hidden else DUPLICATE


def _walk(root: Path, unseen: list[UnseenFile]) -> Iterator[tuple[os.DirEntry[str], str]]:
    def enters(folder: os.DirEntry[str], path: str) -> bool:
        if folder.name.startswith("."):
            unseen.append(UnseenFile(path, HIDDEN_FOLDER))
        return not folder.name.startswith(".")

    for entry, path in walk(root, lambda path, why: unseen.append(UnseenFile(path, why, why == TOO_DEEP)), enters):
        is_folder = entry.is_symlink() and leads_to_folder(entry)
        if reason := LINKED_FOLDER if is_folder else unread_name(entry.name):
            unseen.append(UnseenFile(path, reason))
        elif entry.name.endswith(".md"):
            yield entry, path


def limit_notices(unseen: Iterable[UnseenFile]) -> Iterator[str]:
    """Yields a line about the files that this program's own limits exclude, if there are any."""
    found = [file for file in unseen if file.is_past_limit]
    if found:
        more = f", and {len(found) - 1} more" if found[1:] else ""
        yield f"not read: {shortened(found[0].path)}{more}: {found[0].reason}"


def unread_name(name: str) -> str:
    """The reason why a file called ``name`` is not read although it looks like a note; empty for any other file."""
    if name.endswith(".md"):
        return "files whose names begin with a dot are not read" if name.startswith(".") else ""
    return _UNREAD.get(name[name.rfind(".") :].lower(), "")


def walk_key(path: str) -> bytes:
    """A sort key for walk order: a folder's files first, then its subfolders in reverse order of their names."""
    *folders, name = os.fsencode(path).split(b"/")
    return b"".join((*(b"\1%b\xff" % folder.translate(_BACKWARDS) for folder in folders), b"\0", name))


def in_walk_order(unseen: Iterable[UnseenFile]) -> tuple[UnseenFile, ...]:
    """Returns ``unseen`` in the order of a walk.

    A walk reports a folder past the limit only when it would enter that folder.
    """
    return tuple(sorted(unseen, key=lambda file: walk_key(f"{file.path}/" if file.is_past_limit else file.path)))


def folder_key(path: str) -> bytes:
    """Returns a sort key that orders paths depth first, with each folder's entries in byte order."""
    return path.encode("utf-8", "surrogateescape").replace(b"/", b"\0")


class NeedsFullWalk(Exception):
    """Raised if a file may be unseen, because only a walk over the whole tree can decide whether it is."""


def stat_file(root: Path, path: str) -> TreeFile | None:
    """Returns the Markdown file at ``path`` below ``root``, as a walk would list it; None if there is none.

    Raises :class:`NeedsFullWalk` if a walk might list the file as unseen.
    """
    *folders, name = path.split("/")
    if any(folder.startswith(".") for folder in folders):
        return None
    if not name.endswith(".md"):
        if unread_name(name):
            raise NeedsFullWalk(path)
        return None
    if len(folders) > MOST_DEPTH:
        raise NeedsFullWalk(path)
    place = root
    for folder in folders:
        place = place / folder
        if place.is_symlink():
            raise NeedsFullWalk(path)
    try:
        stat = (root / path).lstat()
    except MISSING:
        return None
    except OSError as error:
        raise NeedsFullWalk(path) from error
    if name.startswith(".") or not stat_module.S_ISREG(stat.st_mode):
        raise NeedsFullWalk(path)
    return TreeFile(path, stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_ctime_ns)


def document_order(files: list[TreeFile], now_ms: float, recent_hours: float) -> list[TreeFile]:
    """Returns ``files`` in the engine's order: recently changed ones first, newest first; then all others by path."""
    edge = now_ms - recent_hours * MS_PER_HOUR
    recent: list[TreeFile] = []
    older: list[TreeFile] = []
    for file in files:
        (recent if file.mtime_ms >= edge else older).append(file)
    recent.sort(key=lambda file: -file.mtime_ms)
    key = sort_key([file.path for file in older])
    older.sort(key=lambda file: key(file.path))
    return recent + older


def possible_documents(files: Sequence[TreeFile], limits: ReadingLimits) -> set[str]:
    """Returns the paths of the ``files`` that the engine may read at some time, now or later.

    With more files than the limit, these are the newest files, and the first ones by path.
    """
    limit = limits.max_files or len(files)
    if limit >= len(files):
        return {file.path for file in files}
    walked = sorted(files, key=lambda file: walk_key(file.path))
    return {file.path for moment in (-math.inf, math.inf) for file in document_order(walked, moment, 0)[:limit]}
