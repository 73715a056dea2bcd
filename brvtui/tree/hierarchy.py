"""Folders and notes as the symbols that a query can name (``docs/engine.md``, "Paths and scopes")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from brvtui.tree.collation import sort_key
from brvtui.tree.files import CONTEXT_FILE

_DEPTH_NAMES = ("domain", "topic", "subtopic")


@dataclass(slots=True)
class Symbol:
    """A folder, or a note as a leaf whose name is its title. ``children`` are in locale order of name."""

    path: str
    name: str
    is_folder: bool
    depth: int
    parent: Symbol | None = None
    children: list[Symbol] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """``domain``, ``topic``, ``subtopic`` or ``note``."""
        return _DEPTH_NAMES[min(self.depth, 3) - 1] if self.is_folder else "note"


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A symbol that a pattern names: ``how`` is exact, absolute, relative, simple or substring."""

    symbol: Symbol
    how: str


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The symbols of one tree."""

    roots: tuple[Symbol, ...]
    by_path: dict[str, Symbol]

    @property
    def domains(self) -> tuple[Symbol, ...]:
        """The folders at depth 1."""
        return tuple(symbol for symbol in self.roots if symbol.is_folder)

    def walk(self, start: Symbol | None = None) -> Iterator[Symbol]:
        """``start`` and everything below it in pre-order; without it, every symbol."""
        stack = [start] if start else list(reversed(self.roots))
        while stack:
            symbol = stack.pop()
            yield symbol
            stack.extend(reversed(symbol.children))

    def find(self, pattern: str, substrings: bool) -> PatternMatch | None:
        """The best match of ``pattern``: exact, then absolute, relative or simple names, then a substring."""
        bare = pattern.lstrip("/")
        for candidate in (bare, f"{bare}.md"):
            symbol = self.by_path.get(candidate)
            if symbol:
                return PatternMatch(symbol, "exact")
        if bare.endswith(f"/{CONTEXT_FILE}") or bare == CONTEXT_FILE:
            symbol = self.by_path.get(bare[: -len(CONTEXT_FILE)].rstrip("/"))
            if symbol:
                return PatternMatch(symbol, "exact")
        names = [name.lower() for name in pattern.split("/") if name]
        if not names:
            return None
        absolute = pattern.startswith("/")
        how = "absolute" if absolute else "relative" if len(names) > 1 else "simple"
        for symbol in self._by_name.get(names[-1], ()):
            if _chain_matches(symbol, names, absolute):
                return PatternMatch(symbol, how)
        if substrings:
            for symbol, name in self._in_pre_order:
                if names[-1] in name and _chain_matches(symbol, names, absolute):
                    return PatternMatch(symbol, "substring")
        return None

    @cached_property
    def _in_pre_order(self) -> list[tuple[Symbol, str]]:
        """Every symbol with its name in lower case."""
        return [(symbol, symbol.name.lower()) for symbol in self.walk()]

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {}
        for symbol, name in self._in_pre_order:
            found.setdefault(name, []).append(symbol)
        return found


def _chain_matches(symbol: Symbol, names: list[str], absolute: bool) -> bool:
    """Whether the folders above ``symbol`` are called as ``names`` says; the last of these is the symbol's own."""
    current: Symbol | None = symbol.parent
    for name in reversed(names[:-1]):
        if current is None or current.name.lower() != name:
            return False
        current = current.parent
    return current is None if absolute else True


def build_hierarchy(notes: Iterable[tuple[str, str]]) -> Hierarchy:
    """The hierarchy of ``notes``, given as (path, title). A ``context.md`` belongs to its folder and is no leaf."""
    by_path: dict[str, Symbol] = {}
    roots: list[Symbol] = []

    def folder(path: str) -> Symbol:
        missing = []
        while path and path not in by_path:
            missing.append(path)
            path = path.rpartition("/")[0]
        parent = by_path.get(path)
        for place in reversed(missing):
            symbol = Symbol(place, place.rpartition("/")[2], True, place.count("/") + 1, parent)
            by_path[place] = symbol
            (parent.children if parent else roots).append(symbol)
            parent = symbol
        assert parent is not None
        return parent

    for path, title in notes:
        above, _, name = path.rpartition("/")
        parent = folder(above) if above else None
        if name == CONTEXT_FILE and parent:
            continue
        symbol = Symbol(path, title, False, path.count("/") + 1, parent)
        by_path[path] = symbol
        (parent.children if parent else roots).append(symbol)
    key = sort_key([symbol.name for symbol in by_path.values()])
    roots.sort(key=lambda symbol: key(symbol.name))
    for symbol in by_path.values():
        symbol.children.sort(key=lambda child: key(child.name))
    return Hierarchy(tuple(roots), by_path)
