"""Owner, permissions and extended attributes, carried over from a file to the one that replaces it."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from typing import Literal

Lost = Literal["owner", "permissions", "extended attributes"]


def copy_attributes(source: int, found: os.stat_result, target: int) -> tuple[Lost, ...]:
    """Gives the open file ``target`` what ``source`` has, whose state is ``found``; names what could not be given."""
    lost: list[Lost] = []
    if not _copy_owner(found, target):
        lost.append("owner")
    try:
        os.fchmod(target, stat.S_IMODE(found.st_mode))
    except OSError:
        lost.append("permissions")
    if not _copy_extended(source, target):
        lost.append("extended attributes")
    return tuple(lost)


def _copy_owner(found: os.stat_result, target: int) -> bool:
    now = os.fstat(target)
    if (now.st_uid, now.st_gid) == (found.st_uid, found.st_gid):
        return True
    try:
        os.fchown(target, found.st_uid, found.st_gid)
    except OSError:
        with suppress(OSError):
            os.fchown(target, -1, found.st_gid)
        return False
    return True


def _copy_extended(source: int, target: int) -> bool:
    """Extended attributes, access control lists among them; Python knows them on Linux only."""
    if sys.platform != "linux":
        return True
    try:
        names = os.listxattr(source)
    except OSError:
        return True
    complete = True
    for name in names:
        try:
            value = os.getxattr(source, name)
            if not _has(target, name, value):
                os.setxattr(target, name, value)
        except OSError:
            complete = False
    return complete


def _has(target: int, name: str, value: bytes) -> bool:
    try:
        return os.getxattr(target, name) == value
    except OSError:
        return False
