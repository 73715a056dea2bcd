"""A sorted list that is never changed: what is changed is a new one beside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, eq=False)
class Ordered(Generic[_Item]):
    """``items`` in the order of the ``keys`` beside them; no two keys are equal."""

    keys: Sequence[Any]
    items: Sequence[_Item]

    def __len__(self) -> int:
        return len(self.items)

    def place(self, key: Any) -> int:
        """Where an item with ``key`` stands, or would stand."""
        return bisect_left(self.keys, key)

    def get(self, key: Any) -> _Item | None:
        """The item with ``key``; None when there is none."""
        place = self.place(key)
        return self.items[place] if place < len(self.keys) and self.keys[place] == key else None

    def changed(self, out: Iterable[Any], new: Iterable[tuple[Any, _Item]]) -> Ordered[_Item]:
        """This list without the items of the keys ``out``, and then with ``new``. Raises KeyError for an unknown key,
        ValueError when a new key is there already.
        """
        keys, items = list(self.keys), list(self.items)
        for key in out:
            place = bisect_left(keys, key)
            if place >= len(keys) or keys[place] != key:
                raise KeyError(key)
            del keys[place], items[place]
        for key, item in new:
            place = bisect_left(keys, key)
            if place < len(keys) and keys[place] == key:
                raise ValueError(f"{key!r} is there already")
            keys.insert(place, key)
            items.insert(place, item)
        return Ordered(keys, items)


def ordered(pairs: Iterable[tuple[Any, _Item]]) -> Ordered[_Item]:
    """The items of ``pairs`` (key, item) in the order of their keys."""
    listed = sorted(pairs, key=lambda pair: pair[0])
    return Ordered([key for key, _ in listed], [item for _, item in listed])
