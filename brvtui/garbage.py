"""The garbage collector while much is made that stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def garbage_collector_paused(freezes: bool = True) -> Iterator[None]:
    """Pauses the garbage collector, which would look through everything again and again, and finds nothing to free.

    With ``freezes``, what is allocated by the end is set apart from later collections: it is much, and stays.
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
