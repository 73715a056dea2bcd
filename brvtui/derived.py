"""A typed cache for data that is derived from immutable data when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, eq=False)
class Key(Generic[_Value]):
    """The key of a cache entry, declared as a constant. Two keys with the same name are different keys."""

    name: str


class Derived:
    """Cached entries for one snapshot, or for one generation of postings. Copies with the same content share one cache.

    Thread-safe: if two threads compute the same entry, both receive the value that was stored first.
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        """Creates an empty cache."""
        self._entries: dict[Key[Any], Any] = {}

    def of(self, key: Key[_Value], compute: Callable[[], _Value]) -> _Value:
        """Returns the entry of ``key``. If there is none, creates it with ``compute``."""
        try:
            found: _Value = self._entries[key]
        except KeyError:
            found = self._entries.setdefault(key, compute())
        return found

    def known(self, key: Key[_Value]) -> _Value | None:
        """Returns the entry of ``key``; None if it has not been computed."""
        found: _Value | None = self._entries.get(key)
        return found

    def put(self, key: Key[_Value], value: _Value) -> None:
        """Stores ``value`` under ``key``."""
        self._entries[key] = value
