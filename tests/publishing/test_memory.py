"""Giving freed memory back to the system."""

from __future__ import annotations

import platform

import pytest

from brvtui.publishing import publisher
from tests.soak.random_changes import resident_mb
from tests.support.trees import Tree

_BLOCKS, _BYTES, _KEPT_ONE_IN = 40_000, 2_000, 100


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the library has no way to give memory back")
def test_freed_memory_between_what_is_still_used_is_given_back() -> None:
    blocks = [bytes([place % 256]) * _BYTES for place in range(_BLOCKS)]
    kept = blocks[::_KEPT_ONE_IN]
    del blocks
    before = resident_mb()
    publisher.release_freed_memory()
    assert before - resident_mb() > _BLOCKS * _BYTES / 1e6 / 2
    assert [block[0] for block in kept] == [place % 256 for place in range(0, _BLOCKS, _KEPT_ONE_IN)]


def test_a_library_that_cannot_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher.ctypes, "CDLL", lambda name: object())
    publisher._malloc_trim.cache_clear()
    try:
        publisher.release_freed_memory()
        assert publisher._malloc_trim() is None
    finally:
        publisher._malloc_trim.cache_clear()


@pytest.mark.parametrize("watched", [True, False])
def test_a_process_that_watches_gives_back_after_some_snapshots(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    given: list[int] = []
    monkeypatch.setattr(publisher, "release_freed_memory", lambda: given.append(1))
    monkeypatch.setattr(publisher, "_RELEASED_EVERY", 4)
    path = tree.note("a/one.md", "One")
    session = tree.session()
    try:
        if watched:
            session.watch(lambda: None)
        session.refresh()
        first = len(given)
        for number in range(8):
            tree.note(path, f"Title {number}")
            assert session.refresh((tree.tree / path,))
        assert (first, len(given)) == ((1, 3) if watched else (0, 0))
    finally:
        session.close()
