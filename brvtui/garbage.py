"""Controls the garbage collector while many long-lived objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_collector_paused(freezes: bool = True) -> Iterator[None]:
    """Pauses the garbage collector, which would scan all new objects again and again without finding garbage.

    With ``freezes``, later collections skip all objects that exist at the end, because they are many and long-lived.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if freezes:
            gc.freeze()
        if was_enabled:
            gc.enable()
