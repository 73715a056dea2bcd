"""Controls the garbage collector, and the memory that the C library keeps after objects are freed."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache


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


_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1  # from glibc's malloc.h
_LARGE_BYTES, _KEPT_BYTES = 1_000_000, 8_000_000


def limit_freed_memory() -> None:
    """Limits the freed memory that the C library keeps, if it supports this (glibc).

    Threads that start later share the existing heaps, because every edit of a large tree would otherwise leave gaps in
    the heap of another thread.
    Large objects are outside of it, so freeing them returns their memory. A few megabytes at the end of the heap are
    kept, because returning less would slow down edits.
    """
    set_option = _c_function("mallopt")
    if set_option is not None:
        set_option(_ARENA_MAX, 1)
        set_option(_MMAP_THRESHOLD, _LARGE_BYTES)
        set_option(_TRIM_THRESHOLD, _KEPT_BYTES)


def release_freed_memory() -> None:
    """Returns freed memory to the system if the C library supports it (glibc). Takes 0.3 to 10 ms.

    The C library would keep it: a third of the heap after thousands of snapshots.
    """
    trim = _c_function("malloc_trim")
    if trim is not None:
        trim(0)


@cache
def _c_function(name: str) -> Callable[..., int] | None:
    """The function ``name`` of the C library, with numbers as arguments; None if the library does not have it."""
    import ctypes

    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return None
    return found
