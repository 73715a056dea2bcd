"""Saves notes atomically, and detects changes by other programs (``docs/explanation/safe-saving.md``).

:func:`read_note_file` returns a note and its version. :func:`save`, :func:`move` and :func:`remove` expect a version on
disk. If the file differs from that version, they leave it unchanged and return a :class:`Conflict`. Paths are relative
to the tree, with ``/``.

The three functions hold the tree's lock, so that only one process of this tool saves at a time. Other programs can
still write at any moment; their changes are detected and never lost.
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
from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.regular_files import open_regular
from brvtui.tree.reading.inside import FolderEntry, PathError, entry_in
from brvtui.tree.saving import leftovers
from brvtui.tree.saving.exchange import exchange, rename_to_free
from brvtui.tree.saving.file_version import (
    FileOnDisk,
    FileVersion,
    Lost,
    copy_attributes,
    digest,
    read_version,
    version_of,
)

_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_ANY_WRITE = 0o222


class SaveError(Exception):
    """Raised if the operation was not performed. The message is one line with the file, the problem and the remedy."""


def taken(path: str) -> SaveError:
    """Returns the error for moving a file or folder to ``path``, where a file or folder already exists."""
    return SaveError(f"{path}: already exists; choose another name")


class Unconfirmed(SaveError):
    """Raised if the operation was performed, but might be lost in a power failure."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The modification time (in ns) and permissions for a file that is about to be written; None means the default."""

    mtime_ns: int | None = None
    mode: int | None = None


_UNSTAMPED = Stamp()


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of a successful operation. ``version`` is the file's new version; None if it was removed.

    ``lost`` contains the attributes that could not be copied to the new file. ``kept`` is the path of a file, in the
    same folder, with the old text, if another program still has that text open for writing.
    """

    version: FileVersion | None
    lost: tuple[Lost, ...] = ()
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The result if the file on disk is not the expected version. The file is left unchanged.

    ``theirs`` is its content; None if it was removed. To overwrite the file deliberately, save again with this
    ``version``. ``kept`` is the path of a file, in the same folder, with a further text that another program wrote
    while the operation was being undone.
    """

    theirs: bytes | None
    version: FileVersion | None
    kept: str = ""


def read_note_file(tree: Path, path: str) -> tuple[bytes, FileVersion]:
    """Reads the note at ``path``, and returns its bytes and version. Raises :class:`SaveError`."""
    found = read_file_on_disk(tree, path)
    return found.data, found.version


def read_file_on_disk(tree: Path, path: str) -> FileOnDisk:
    """Reads the note at ``path`` with its state and version. Raises :class:`SaveError`."""
    with as_save_error(path), entry_in(tree, path) as at:
        return read_version(at.folder, at.name)


def is_unchanged(tree: Path, path: str, expected: FileVersion) -> bool:
    """True if the note on disk is still the ``expected`` version. Raises no errors.

    Reads the file only if its state on disk differs.
    """
    try:
        with entry_in(tree, path) as at:
            state = os.lstat(at.name, dir_fd=at.folder)
            return expected.has_state(state) or read_version(at.folder, at.name).version.sha256 == expected.sha256
    except (OSError, PathError):
        return False


def save(
    tree: Path,
    path: str,
    data: bytes,
    expected: FileVersion | None,
    *,
    keep_mtime: bool = False,
    stamp: Stamp = _UNSTAMPED,
) -> Saved | Conflict:
    """Replaces the ``expected`` version of the note at ``path`` with ``data``. For a new note, ``expected`` is None.

    The save is atomic: even if the process is killed, the file is either the complete old or the complete new one. With
    ``keep_mtime``, the new file has the modification time of the old one, unless ``stamp`` contains another time.
    Creates missing folders above a new note. Raises :class:`SaveError`.
    """
    with as_save_error(path):
        try:
            with locked(tree), entry_in(tree, path, make_folders=expected is None) as at:
                if expected is None:
                    return _create(at, data, stamp)
                return _replace(at, data, expected, keep_mtime, stamp)
        except FileNotFoundError:
            if expected is None:
                raise
            return Conflict(None, None)


def check_writable(tree: Path, path: str) -> None:
    """Raises :class:`SaveError` if the note at ``path`` is read-only and can therefore be neither changed nor
    removed.
    """
    with as_save_error(path), entry_in(tree, path) as at:
        _refuse_read_only(at, read_version(at.folder, at.name))


def remove(tree: Path, path: str, expected: FileVersion) -> Saved | Conflict:
    """Removes the note at ``path`` if it is the ``expected`` version. Raises :class:`SaveError`."""
    with as_save_error(path):
        try:
            with locked(tree), entry_in(tree, path) as at:
                _refuse_link(at, path)
                return _remove(at, expected)
        except FileNotFoundError:
            return Conflict(None, None)


def move(tree: Path, path: str, target: str, expected: FileVersion) -> Saved | Conflict:
    """Moves the ``expected`` version of the note at ``path`` to ``target``. The note keeps its modification time.

    Creates missing folders above the target. Raises :class:`SaveError`, including when the target already exists.
    """
    with as_save_error(path):
        try:
            with locked(tree), entry_in(tree, path) as at:
                _refuse_link(at, path)
                found = read_version(at.folder, at.name)
                if found.version.sha256 != expected.sha256:
                    return Conflict(found.data, found.version)
                _refuse_read_only(at, found)
                with as_save_error(target), entry_in(tree, target, make_folders=True) as to:
                    return _move(at, to, expected)
        except FileNotFoundError:
            return Conflict(None, None)


@contextmanager
def as_save_error(path: str) -> Iterator[None]:
    """Turns OSError and PathError into :class:`SaveError`."""
    try:
        yield
    except PathError as error:
        raise SaveError(str(error)) from error
    except OSError as error:
        raise SaveError(f"{path}: not done: {faults.advice(error)}") from error


def _refuse_link(at: FolderEntry, path: str) -> None:
    if at.path != path:
        raise SaveError(f"{path}: a symlink to {at.path}; use that note")


def _refuse_read_only(at: FolderEntry, found: FileOnDisk) -> None:
    """Raises :class:`SaveError` for a read-only file, which a rename or the root user could still replace."""
    writable = found.stat.st_mode & _ANY_WRITE and os.access(at.name, os.W_OK, dir_fd=at.folder)
    if not writable:
        os.lstat(at.name, dir_fd=at.folder)  # raises FileNotFoundError if the file was removed
        raise SaveError(f"{at.path} is read-only; make it writable and try again")


class _TemporaryFile:
    """A temporary file next to the note. It holds the text ``new``, which replaces the text ``old`` (SHA-256 digests).

    The file is removed at the end, unless it contains another program's text.
    """

    def __init__(self, at: FolderEntry, new: str, old: str) -> None:
        self.at = at
        self.name = leftovers.part_name(at.name, new, old)
        self.is_ours = True
        self.lost: tuple[Lost, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.at.path.rpartition('/')[0]}/{self.name}".lstrip("/")

    def rename(self, new: str, old: str) -> None:
        """Renames the file, so that its name shows which texts it may contain from now on."""
        whole = leftovers.whole_name(self.at.name, new, old)
        os.rename(self.name, whole, src_dir_fd=self.at.folder, dst_dir_fd=self.at.folder)
        self.name = whole

    def remove(self) -> None:
        with suppress(OSError):
            os.unlink(self.name, dir_fd=self.at.folder)


@contextmanager
def _temporary_file(at: FolderEntry, new: str = "", old: str = "") -> Iterator[_TemporaryFile]:
    temporary = _TemporaryFile(at, new, old)
    try:
        yield temporary
    finally:
        if temporary.is_ours:
            temporary.remove()


def _create(at: FolderEntry, data: bytes, stamp: Stamp) -> Saved | Conflict:
    text = digest(data)
    with _temporary_file(at, text) as temporary:
        file_stat = _write(temporary, data, None, False, stamp)
        temporary.rename(text, "")
        try:
            rename_to_free(at.folder, temporary.name, at.folder, at.name)
        except FileExistsError:
            found = read_version(at.folder, at.name)
            return Conflict(found.data, found.version)
    sync_folder(at)
    return Saved(version_of(text, file_stat))


def _replace(at: FolderEntry, data: bytes, expected: FileVersion, keep_mtime: bool, stamp: Stamp) -> Saved | Conflict:
    found = read_version(at.folder, at.name)
    if found.version.sha256 != expected.sha256:
        return Conflict(found.data, found.version)
    _refuse_read_only(at, found)
    ours = digest(data)
    with _temporary_file(at, ours, expected.sha256) as temporary:
        file_stat = _write(temporary, data, found.stat, keep_mtime, stamp)
        temporary.rename(ours, expected.sha256)
        # From here on, a killed or failed save leaves the file. Opening the tree again clears it.
        temporary.is_ours = False
        conflict = (
            _undo_unless_expected(temporary, ours, expected)
            if _exchanged(temporary)
            else _overwrite(temporary, expected)
        )
        if conflict:
            return conflict
        kept = "" if temporary.is_ours else temporary.path
    sync_folder(at)
    return Saved(version_of(ours, file_stat), temporary.lost, kept)


def _exchanged(temporary: _TemporaryFile) -> bool:
    """Exchanges the note and the temporary file. Returns False if the system does not support it."""
    try:
        return exchange(temporary.at.folder, temporary.name, temporary.at.name)
    except OSError:
        temporary.is_ours = True
        raise


def _overwrite(temporary: _TemporaryFile, expected: FileVersion) -> Conflict | None:
    """Replaces the note on a system that cannot exchange names.

    A change by another program between the last check and the rename is lost.
    """
    at = temporary.at
    temporary.is_ours = True
    last = read_version(at.folder, at.name)
    if last.version.sha256 != expected.sha256:
        return Conflict(last.data, last.version)
    os.replace(temporary.name, at.name, src_dir_fd=at.folder, dst_dir_fd=at.folder)
    return None


def _undo_unless_expected(temporary: _TemporaryFile, ours: str, expected: FileVersion) -> Conflict | None:
    """Checks that the exchange removed the ``expected`` version. If it did not, undoes it and returns the conflict."""
    at = temporary.at
    try:
        out = read_version(at.folder, temporary.name, ask_busy=True)
    except FileNotFoundError:
        return None  # a clean-up removed the file, which it does only if the text is known
    except OSError:
        _exchange_back(temporary, ours)
        raise
    if out.version.sha256 == expected.sha256:
        temporary.is_ours = not out.busy
        return None
    in_place = _exchange_back(temporary, ours)
    kept = "" if temporary.is_ours else temporary.path
    return Conflict(out.data, out.version, kept) if in_place else Conflict(None, None, kept)


def _exchange_back(temporary: _TemporaryFile, ours: str) -> bool:
    """Undoes the exchange. Returns False if the note has been removed since then.

    Afterwards, the temporary file may be removed again, unless another program wrote to it or has it open for writing.
    """
    at = temporary.at
    try:
        exchange(at.folder, temporary.name, at.name)
    except FileNotFoundError:
        return False
    back = read_version(at.folder, temporary.name, ask_busy=True)
    temporary.is_ours = back.version.sha256 == ours and not back.busy
    return True


def _remove(at: FolderEntry, expected: FileVersion) -> Saved | Conflict:
    found = read_version(at.folder, at.name)
    if found.version.sha256 != expected.sha256:
        return Conflict(found.data, found.version)
    _refuse_read_only(at, found)
    with _temporary_file(at) as temporary:
        temporary.is_ours = False
        temporary.name = leftovers.whole_name(at.name, old=expected.sha256)
        os.rename(at.name, temporary.name, src_dir_fd=at.folder, dst_dir_fd=at.folder)
        try:
            out = read_version(at.folder, temporary.name, ask_busy=True)
        except OSError:
            rename_to_free(at.folder, temporary.name, at.folder, at.name)
            raise
        if out.version.sha256 != expected.sha256:
            return _put_back(at.folder, temporary.name, temporary.path, at, out)
        temporary.is_ours = not out.busy
        kept = "" if temporary.is_ours else temporary.path
    sync_folder(at)
    return Saved(None, kept=kept)


def _move(at: FolderEntry, to: FolderEntry, expected: FileVersion) -> Saved | Conflict:
    try:
        rename_to_free(at.folder, at.name, to.folder, to.name)
    except FileExistsError as error:
        raise taken(to.path) from error
    except FileNotFoundError:
        return Conflict(None, None)
    out = read_version(to.folder, to.name)
    if out.version.sha256 != expected.sha256:
        return _put_back(to.folder, to.name, to.path, at, out)
    sync_folder(to)
    sync_folder(at)
    return Saved(out.version)


def _put_back(folder: int, name: str, path: str, at: FolderEntry, out: FileOnDisk) -> Conflict:
    """Renames ``name`` back to ``at``.

    If ``at`` has been created again, leaves the file at ``path``, and names it in the conflict.
    """
    try:
        rename_to_free(folder, name, at.folder, at.name)
    except FileExistsError:
        now = read_version(at.folder, at.name)
        return Conflict(now.data, now.version, path)
    return Conflict(out.data, out.version)


def _write(
    temporary: _TemporaryFile, data: bytes, replaced: os.stat_result | None, keep_mtime: bool, stamp: Stamp
) -> os.stat_result:
    """Writes ``data`` to the temporary file, copies the attributes of the file that it will replace, and syncs it."""
    at = temporary.at
    is_ordinary = replaced is None and stamp.mode is None
    mode = writing.ORDINARY if is_ordinary else writing.PRIVATE
    descriptor = writing.create(temporary.name, mode, at.folder)
    try:
        writing.write_all(descriptor, data)
        if replaced is not None:
            source = open_regular(at.name, at.folder)
            try:
                temporary.lost = copy_attributes(source, replaced, descriptor)
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
    """Syncs the open folder of ``at``. Raises :class:`Unconfirmed` if the disk does not confirm it."""
    try:
        os.fsync(at.folder)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            message = f"{at.path}: done, but the disk could not confirm it ({faults.reason(error)}); check the disk"
            raise Unconfirmed(message) from error
