"""Safe saving: a note is replaced whole or not at all, and a change by anybody else is noticed (``docs/editing.md``).

Whoever edits reads with :func:`read_note_file` and hands what was seen back to :func:`save`, :func:`move` or
:func:`remove`. These answer with :class:`Conflict`, and leave the file alone, when it holds anything else by then.
Paths are relative to the tree, with ``/``.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.tree.reading.inside import FolderEntry, PathError, place_in
from brvtui.tree.reading.regular import open_regular
from brvtui.tree.saving import leftovers
from brvtui.tree.saving.attributes import Lost, copy_attributes
from brvtui.tree.saving.exchange import exchange, place
from brvtui.tree.saving.seen import FileOnDisk, Seen, digest, look, seen_as

_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
_PRIVATE, _ORDINARY = 0o600, 0o666
_ANY_WRITE = 0o222


class SaveError(Exception):
    """It was not done; the message is one line: which file, what is wrong, what to do."""


class Unconfirmed(SaveError):
    """It was done, but whether it would outlive a loss of power is not known."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a written file is given beside its text: modification time in ns, permissions. None leaves either alone."""

    mtime_ns: int | None = None
    mode: int | None = None


_UNSTAMPED = Stamp()


@dataclass(frozen=True, slots=True)
class Saved:
    """The file is as asked, and ``seen`` is what it is now (None: removed).

    ``lost`` names what could not be carried over to it. ``kept`` is the path of a file beside it that holds what it
    was before, because another program still has that open to write.
    """

    seen: Seen | None
    lost: tuple[Lost, ...] = ()
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The file is not what was seen, and is left as it is: it holds ``theirs``, or is gone (None, None).

    Saving again with ``seen`` overwrites it knowingly. ``kept`` is the path of a file beside it with a further text
    of another program, written while the first was being put back.
    """

    theirs: bytes | None
    seen: Seen | None
    kept: str = ""


def read_note_file(tree: Path, path: str) -> tuple[bytes, Seen]:
    """The bytes of the note at ``path``, and what was seen. Raises :class:`SaveError`."""
    found = found_at(tree, path)
    return found.data, found.seen


def found_at(tree: Path, path: str) -> FileOnDisk:
    """The note at ``path`` with its state. Raises :class:`SaveError`."""
    with told(path), place_in(tree, path) as at:
        return look(at.folder, at.name)


def is_unchanged(tree: Path, path: str, seen: Seen) -> bool:
    """Whether the note still holds what was seen; it is read only when its state differs. Nothing is raised."""
    try:
        with place_in(tree, path) as at:
            state = os.lstat(at.name, dir_fd=at.folder)
            return seen.is_state(state) or look(at.folder, at.name).seen.sha256 == seen.sha256
    except (OSError, PathError):
        return False


def save(
    tree: Path, path: str, data: bytes, seen: Seen | None, *, keep_mtime: bool = False, stamp: Stamp = _UNSTAMPED
) -> Saved | Conflict:
    """Makes ``data`` the content of the note at ``path``: what was ``seen`` is replaced, None means a new note.

    At any moment the file is the old or the new one, whole, even when the process is killed. With ``keep_mtime``
    the new file has the old one's modification time, unless the ``stamp`` says another. Folders above a new note are
    made. Raises :class:`SaveError`.
    """
    with told(path):
        try:
            with place_in(tree, path, make_folders=seen is None) as at:
                if seen is None:
                    return _create(at, data, stamp)
                return _replace(at, data, seen, keep_mtime, stamp)
        except FileNotFoundError:
            if seen is None:
                raise
            return Conflict(None, None)


def remove(tree: Path, path: str, seen: Seen) -> Saved | Conflict:
    """Removes the note at ``path`` if it is what was ``seen``. Raises :class:`SaveError`."""
    with told(path):
        try:
            with place_in(tree, path) as at:
                _refuse_link(at, path)
                return _remove(at, seen)
        except FileNotFoundError:
            return Conflict(None, None)


def move(tree: Path, path: str, target: str, seen: Seen) -> Saved | Conflict:
    """Gives the note at ``path`` the path ``target``; the file itself, and so its modification time, stays as it is.

    Folders above the target are made. Raises :class:`SaveError`, also when the target is taken.
    """
    with told(path):
        try:
            with place_in(tree, path) as at:
                _refuse_link(at, path)
                found = look(at.folder, at.name)
                if found.seen.sha256 != seen.sha256:
                    return Conflict(found.data, found.seen)
                _refuse_read_only(at, found)
                with told(target), place_in(tree, target, make_folders=True) as to:
                    return _move(at, to, seen)
        except FileNotFoundError:
            return Conflict(None, None)


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turns what the system says into :class:`SaveError`."""
    try:
        yield
    except PathError as error:
        raise SaveError(str(error)) from error
    except OSError as error:
        raise SaveError(f"{path}: not done, {faults.advised(error)}") from error


def _refuse_link(at: FolderEntry, path: str) -> None:
    if at.path != path:
        raise SaveError(f"{path}: a symlink to {at.path}; name that note")


def _refuse_read_only(at: FolderEntry, found: FileOnDisk) -> None:
    """A rename needs no permission on the file itself, and root has every one: so it is asked for."""
    writable = found.stat.st_mode & _ANY_WRITE and os.access(at.name, os.W_OK, dir_fd=at.folder)
    if not writable:
        os.lstat(at.name, dir_fd=at.folder)  # what was removed meanwhile is not read-only
        raise SaveError(f"{at.path}: is read-only; make it writable and try again")


class _Beside:
    """The file beside the note. It is removed at the end, unless it holds what somebody else wrote."""

    def __init__(self, at: FolderEntry) -> None:
        self.at = at
        self.name = leftovers.part_name()
        self.is_ours = True
        self.lost: tuple[Lost, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.at.path.rpartition('/')[0]}/{self.name}".lstrip("/")

    def rename(self, *known: str) -> None:
        """From here on, whatever this process leaves of the file holds one of these texts, or is kept."""
        whole = leftovers.whole_name(*known)
        os.rename(self.name, whole, src_dir_fd=self.at.folder, dst_dir_fd=self.at.folder)
        self.name = whole

    def remove(self) -> None:
        with suppress(OSError):
            os.unlink(self.name, dir_fd=self.at.folder)


@contextmanager
def _beside(at: FolderEntry) -> Iterator[_Beside]:
    beside = _Beside(at)
    try:
        yield beside
    finally:
        if beside.is_ours:
            beside.remove()


def _create(at: FolderEntry, data: bytes, stamp: Stamp) -> Saved | Conflict:
    text = digest(data)
    with _beside(at) as beside:
        made = _write(beside, data, None, False, stamp)
        beside.rename(text)
        try:
            place(at.folder, beside.name, at.folder, at.name)
        except FileExistsError:
            found = look(at.folder, at.name)
            return Conflict(found.data, found.seen)
    sync_folder(at)
    return Saved(seen_as(text, made))


def _replace(at: FolderEntry, data: bytes, seen: Seen, keep_mtime: bool, stamp: Stamp) -> Saved | Conflict:
    found = look(at.folder, at.name)
    if found.seen.sha256 != seen.sha256:
        return Conflict(found.data, found.seen)
    _refuse_read_only(at, found)
    ours = digest(data)
    with _beside(at) as beside:
        made = _write(beside, data, found.stat, keep_mtime, stamp)
        beside.rename(ours, seen.sha256)
        # Whoever is killed, interrupted or refused from here on leaves the file; the next opening sorts it out.
        beside.is_ours = False
        conflict = _undone(beside, ours, seen) if _swapped(beside) else _overwritten(beside, seen)
        if conflict:
            return conflict
        kept = "" if beside.is_ours else beside.path
    sync_folder(at)
    return Saved(seen_as(ours, made), beside.lost, kept)


def _swapped(beside: _Beside) -> bool:
    """Swaps the note and the file beside it; False where the system cannot."""
    try:
        return exchange(beside.at.folder, beside.name, beside.at.name)
    except OSError:
        beside.is_ours = True
        raise


def _overwritten(beside: _Beside, seen: Seen) -> Conflict | None:
    """Replaces the note where names cannot be swapped: a look immediately before, and between them lies a gap."""
    at = beside.at
    beside.is_ours = True
    last = look(at.folder, at.name)
    if last.seen.sha256 != seen.sha256:
        return Conflict(last.data, last.seen)
    os.replace(beside.name, at.name, src_dir_fd=at.folder, dst_dir_fd=at.folder)
    return None


def _undone(beside: _Beside, ours: str, seen: Seen) -> Conflict | None:
    """None when what came out of the swap is what was seen; else the swap is undone."""
    at = beside.at
    try:
        out = look(at.folder, beside.name, ask_busy=True)
    except FileNotFoundError:
        return None  # A cleaning removed it, because it held a text that is known.
    except OSError:
        _swap_back(beside, ours)
        raise
    if out.seen.sha256 == seen.sha256:
        beside.is_ours = not out.busy
        return None
    in_place = _swap_back(beside, ours)
    kept = "" if beside.is_ours else beside.path
    return Conflict(out.data, out.seen, kept) if in_place else Conflict(None, None, kept)


def _swap_back(beside: _Beside, ours: str) -> bool:
    """Undoes the swap; False when the note has been removed since.

    The file beside it is ours again, unless somebody wrote to it meanwhile, or still may.
    """
    at = beside.at
    try:
        exchange(at.folder, beside.name, at.name)
    except FileNotFoundError:
        return False
    back = look(at.folder, beside.name, ask_busy=True)
    beside.is_ours = back.seen.sha256 == ours and not back.busy
    return True


def _remove(at: FolderEntry, seen: Seen) -> Saved | Conflict:
    found = look(at.folder, at.name)
    if found.seen.sha256 != seen.sha256:
        return Conflict(found.data, found.seen)
    _refuse_read_only(at, found)
    with _beside(at) as beside:
        beside.is_ours = False
        beside.name = leftovers.whole_name(seen.sha256)
        os.rename(at.name, beside.name, src_dir_fd=at.folder, dst_dir_fd=at.folder)
        try:
            out = look(at.folder, beside.name, ask_busy=True)
        except OSError:
            place(at.folder, beside.name, at.folder, at.name)
            raise
        if out.seen.sha256 != seen.sha256:
            return _put_back(at.folder, beside.name, beside.path, at, out)
        beside.is_ours = not out.busy
        kept = "" if beside.is_ours else beside.path
    sync_folder(at)
    return Saved(None, kept=kept)


def _move(at: FolderEntry, to: FolderEntry, seen: Seen) -> Saved | Conflict:
    try:
        place(at.folder, at.name, to.folder, to.name)
    except FileExistsError as error:
        raise SaveError(f"{to.path}: is taken; choose another name") from error
    except FileNotFoundError:
        return Conflict(None, None)
    out = look(to.folder, to.name)
    if out.seen.sha256 != seen.sha256:
        return _put_back(to.folder, to.name, to.path, at, out)
    sync_folder(to)
    sync_folder(at)
    return Saved(out.seen)


def _put_back(folder: int, name: str, path: str, at: FolderEntry, out: FileOnDisk) -> Conflict:
    """Gives ``name`` its place ``at`` again; it is kept where it is, at ``path``, when that was taken meanwhile."""
    try:
        place(folder, name, at.folder, at.name)
    except FileExistsError:
        now = look(at.folder, at.name)
        return Conflict(now.data, now.seen, path)
    return Conflict(out.data, out.seen)


def _write(
    beside: _Beside, data: bytes, replaced: os.stat_result | None, keep_mtime: bool, stamp: Stamp
) -> os.stat_result:
    """Writes ``data`` through to the disk, with the attributes of the file that it will replace."""
    at = beside.at
    is_ordinary = replaced is None and stamp.mode is None
    descriptor = os.open(beside.name, _NEW, _ORDINARY if is_ordinary else _PRIVATE, dir_fd=at.folder)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        if replaced is not None:
            source = open_regular(at.name, at.folder)
            try:
                beside.lost = copy_attributes(source, replaced, descriptor)
            finally:
                os.close(source)
            if keep_mtime:
                os.utime(descriptor, ns=(replaced.st_atime_ns, replaced.st_mtime_ns))
        if stamp.mode is not None:
            os.fchmod(descriptor, stat.S_IMODE(stamp.mode))
        if stamp.mtime_ns is not None:
            os.utime(descriptor, ns=(stamp.mtime_ns, stamp.mtime_ns))
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(at: FolderEntry) -> None:
    """Has the disk confirm the names in the open folder of ``at``. Raises :class:`Unconfirmed`."""
    try:
        os.fsync(at.folder)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            said = f"{at.path}: done, but the disk could not confirm it ({faults.said(error)}); look after it"
            raise Unconfirmed(said) from error
