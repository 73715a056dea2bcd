"""Renames that never lose a file: an atomic exchange of two names, and a rename that never replaces a file.

Linux supports both with ``renameat2`` (glibc 2.28 or newer). Other systems cannot exchange names. There, a hard link
makes it possible to rename without replacing.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import lru_cache

_NO_REPLACE = 1
_EXCHANGE = 2
_NO_SUCH_CALL = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})

_Renameat2 = Callable[[int, bytes, int, bytes, int], int]


def exchange(folder: int, one: str, other: str) -> bool:
    """Exchanges two names in the open ``folder`` atomically. Returns False if the system does not support this.

    Raises OSError; it is a FileNotFoundError if one of the names does not exist.
    """
    return _renameat(folder, one, folder, other, _EXCHANGE)


def rename_to_free(folder: int, name: str, target_folder: int, target: str) -> None:
    """Renames the file ``name`` to ``target``. Raises FileExistsError if ``target`` exists, and OSError.

    On a file system with neither ``renameat2`` nor hard links, a file that another program creates as ``target`` at the
    same moment is overwritten.
    """
    if _renameat(folder, name, target_folder, target, _NO_REPLACE):
        return
    try:
        os.link(name, target, src_dir_fd=folder, dst_dir_fd=target_folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    else:
        os.unlink(name, dir_fd=folder)
        return
    try:
        os.lstat(target, dir_fd=target_folder)
    except FileNotFoundError:
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=target_folder)
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target)


def _renameat(folder: int, name: str, target_folder: int, target: str, flags: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    code = call(folder, os.fsencode(name), target_folder, os.fsencode(target), flags)
    if code == 0:
        return True
    if code in _NO_SUCH_CALL:
        return False
    raise OSError(code, os.strerror(code), name, None, target)


@lru_cache
def _renameat2() -> _Renameat2 | None:
    """The system call ``renameat2``, whose result is an error number (0 for success); None if it does not exist."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    return lambda *arguments: ctypes.get_errno() if function(*arguments) else 0
