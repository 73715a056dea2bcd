"""Processes of this machine."""

from __future__ import annotations

import os


def is_running(process: int) -> bool:
    """Whether a process of this id is running."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
