"""What is gathered of something immutable only when somebody asks: a cache beside it, a typed key for each entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, eq=False)
class Key(Generic[_Value]):
    """The key of one entry. Whoever gathers something makes a constant of it; keys of one name are different ones."""

    name: str


class Derived:
    """The entries of one snapshot, or of one generation of postings; copies with the same content share them.

    Methods may be called from any thread: of what two gather at once, both get what the first has made.
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        """Nothing is gathered yet."""
        self._entries: dict[Key[Any], Any] = {}

    def of(self, key: Key[_Value], gather: Callable[[], _Value]) -> _Value:
        """The entry of ``key``; ``gather`` makes it when there is none yet."""
        try:
            found: _Value = self._entries[key]
        except KeyError:
            found = self._entries.setdefault(key, gather())
        return found

    def known(self, key: Key[_Value]) -> _Value | None:
        """The entry of ``key``; None when nobody asked for it yet."""
        found: _Value | None = self._entries.get(key)
        return found

    def put(self, key: Key[_Value], value: _Value) -> None:
        """Makes ``value`` the entry of ``key``."""
        self._entries[key] = value
