"""Gives a Linux process its own limits, disks and user, which last as long as the process."""

from __future__ import annotations

import ctypes
import os
import runpy
import sys
from pathlib import Path

CANNOT = 77
"""The exit code of a process that cannot get a required resource; it prints the reason."""
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_REMOUNT, _READ_ONLY = 0x20, 0x1
_NOBODY = 65534


class Refused(Exception):
    """The system refuses a resource. The message says why."""


def own_namespace(mounts: bool = False) -> None:
    """Makes this process root in its own user namespace, with its own mounts if ``mounts``. It must have no threads."""
    user, group = os.getuid(), os.getgid()
    if _libc().unshare(_NEW_USER | (_NEW_MOUNTS if mounts else 0)):
        raise Refused(f"no user namespace is to be had: {os.strerror(ctypes.get_errno())}")
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"0 {user} 1")
    write("/proc/self/gid_map", f"0 {group} 1")


def write(file: str, text: str) -> None:
    """Writes ``text`` to a system file."""
    try:
        Path(file).write_text(text)
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error}") from error


def mount_small(folder: Path, size: str) -> None:
    """Mounts a disk in memory of ``size`` (in the syntax of mount(8)) at ``folder``, in this process's own mounts."""
    folder.mkdir(parents=True, exist_ok=True)
    if _libc().mount(b"none", os.fsencode(folder), b"tmpfs", 0, f"size={size}".encode()):
        raise Refused(f"no small disk can be mounted: {os.strerror(ctypes.get_errno())}")


def make_read_only(folder: Path) -> None:
    """Makes the disk that is mounted at ``folder`` read-only."""
    if _libc().mount(b"none", os.fsencode(folder), b"tmpfs", _REMOUNT | _READ_ONLY, None):
        raise Refused(f"the disk cannot be made read-only: {os.strerror(ctypes.get_errno())}")


def fill(disk: Path) -> Path:
    """Fills ``disk``; returns the file to remove to free space."""
    filling = disk / "filling"
    with filling.open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return filling


def leave_root(needed: Path) -> None:
    """Makes a root process run as another user; ``needed`` must be readable to everybody."""
    if os.geteuid():
        return
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)
    if not os.access(needed, os.R_OK | os.X_OK):
        raise Refused(f"{needed} is not readable to others than root")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def enter(arguments: list[str]) -> None:
    """Runs a module (the first argument) with the other arguments in a new namespace, where it may start threads."""
    own_namespace(mounts=True)
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    try:
        enter(sys.argv[1:])
    except Refused as refused:
        print(refused)
        sys.exit(CANNOT)
