"""Freed memory is returned to the system."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

from brvtui import garbage
from tests.soak.random_changes import resident_mb

of_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the library has no way to give memory back")
_BLOCKS, _BYTES, _KEPT_ONE_IN = 40_000, 2_000, 100
_IN_HEAP = """
import ctypes, threading
from brvtui.garbage import limit_freed_memory
{call}
c = ctypes.CDLL(None)
c.malloc.restype, c.malloc.argtypes, c.free.argtypes = ctypes.c_void_p, (ctypes.c_size_t,), (ctypes.c_void_p,)
c.free(c.malloc(20_000_000))  # by default, glibc puts objects of up to this size into its heaps from now on
places = [c.malloc(2_000_000)]
thread = threading.Thread(target=lambda: places.append(c.malloc(50_000)))
thread.start()
thread.join()
heap = next(line for line in open("/proc/self/maps") if "[heap]" in line).split()[0].split("-")
print([int(heap[0], 16) <= place < int(heap[1], 16) for place in places])
"""


@of_glibc
@pytest.mark.parametrize(("call", "expected"), [("limit_freed_memory()", "[False, True]"), ("", "[True, False]")])
def test_threads_share_one_heap_without_large_objects(call: str, expected: str) -> None:
    """The second case shows that glibc does otherwise by default, so that the first one can fail."""
    result = subprocess.run([sys.executable, "-c", _IN_HEAP.format(call=call)], check=True, capture_output=True)
    assert result.stdout.decode().strip() == expected


@of_glibc
def test_freed_memory_between_used_blocks_is_released() -> None:
    blocks = [bytes([place % 256]) * _BYTES for place in range(_BLOCKS)]
    kept = blocks[::_KEPT_ONE_IN]
    del blocks
    before = resident_mb()
    garbage.release_freed_memory()
    assert before - resident_mb() > _BLOCKS * _BYTES / 1e6 / 2
    assert [block[0] for block in kept] == [place % 256 for place in range(0, _BLOCKS, _KEPT_ONE_IN)]


@pytest.mark.parametrize("function", [garbage.limit_freed_memory, garbage.release_freed_memory])
def test_other_c_libraries_are_left_alone(function: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    garbage._c_function.cache_clear()
    try:
        assert callable(function)
        function()
        assert garbage._c_function("malloc_trim") is None
    finally:
        garbage._c_function.cache_clear()
