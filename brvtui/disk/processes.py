"""Whether the process that wrote a file is still running."""

from __future__ import annotations

import os
import re
from pathlib import Path

from brvtui.regular_files import read_regular

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MOST = 4096
_STARTED = 19
"""The place of the start time in ``/proc/<pid>/stat``, after the name of the program."""


def is_running(process: int, identity: str = "") -> bool:
    """Whether a process with this id is running, and, with its ``identity``, whether it is the same one."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    if _state(process)[:1] in ([b"Z"], [b"X"]):  # it has ended; its parent has not asked how, and may never
        return False
    return not identity or identity_of(process) in ("", identity)


def own_identity() -> str:
    """The identity of this process; see :func:`identity_of`."""
    return identity_of(os.getpid())


def identity_of(process: int) -> str:
    """What tells a process from later ones with its id: when it started, and in which run of the system.

    Empty for one that is not running, and where the system has no ``/proc``.
    """
    try:
        boot = read_regular(_BOOT, _MOST).decode("ascii").strip()
        return f"{boot}:{int(_state(process)[_STARTED])}"
    except (OSError, ValueError, IndexError):
        return ""


def _state(process: int) -> list[bytes]:
    """The fields of its state, of which the first is a letter; none without ``/proc``, or if it is not running."""
    try:
        stat = read_regular(Path(f"/proc/{process}/stat"), _MOST)
    except OSError:
        return []
    return re.sub(rb".*\)", b"", stat, flags=re.DOTALL).split()
