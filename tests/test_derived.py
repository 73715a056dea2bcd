"""A cache beside something immutable: each entry is gathered once, whoever asks."""

from __future__ import annotations

import threading

import pytest

from brvtui.derived import Derived, Key

COUNT: Key[int] = Key("count")


def test_an_entry_is_gathered_once() -> None:
    derived, made = Derived(), []

    def gather() -> int:
        made.append(1)
        return len(made)

    assert derived.known(COUNT) is None
    assert [derived.of(COUNT, gather), derived.of(COUNT, gather), derived.known(COUNT)] == [1, 1, 1]
    assert derived.known(Key("count")) is None
    derived.put(COUNT, 7)
    assert derived.of(COUNT, gather) == 7


def test_what_two_threads_gather_at_once_the_first_one_gives() -> None:
    derived, together, found = Derived(), threading.Barrier(2), []
    lists: Key[list[int]] = Key("list")

    def gather() -> list[int]:
        together.wait(30)
        return []

    threads = [threading.Thread(target=lambda: found.append(derived.of(lists, gather))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


def test_an_entry_that_fails_is_asked_for_again() -> None:
    derived = Derived()
    with pytest.raises(OSError, match="gone"):
        derived.of(COUNT, lambda: (_ for _ in ()).throw(OSError("gone")))
    assert derived.of(COUNT, lambda: 3) == 3
