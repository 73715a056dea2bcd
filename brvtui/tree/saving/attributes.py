"""Copies owner, permissions and extended attributes from a file to the one that replaces it."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from typing import Literal

Lost = Literal["owner", "permissions", "extended attributes"]


def copy_attributes(source: int, found: os.stat_result, target: int) -> tuple[Lost, ...]:
    """Copies the attributes of the open file ``source``, whose state is ``found``, to ``target``; names what failed."""
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
    """Copies extended attributes, which hold access control lists too. Python has them on Linux only."""
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
            with suppress(OSError):
                if os.getxattr(target, name) == value:
                    continue
            os.setxattr(target, name, value)
        except OSError:
            complete = False
    return complete
