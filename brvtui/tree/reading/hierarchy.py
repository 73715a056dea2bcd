"""The hierarchy of folders and notes that a query can name (``docs/reference/byterover.md``, "Paths and scopes")."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.javascript import SortKey, sort_key


@dataclass(frozen=True, slots=True)
class Symbol:
    """A folder, or a note, which is a leaf named by its title. ``children`` are in locale order of their names."""

    path: str
    name: str
    is_folder: bool
    depth: int
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """A symbol that matches a pattern. ``how`` is the kind of match: exact, absolute, relative, simple or substring."""

    symbol: Symbol
    how: str


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The symbols of one tree. If siblings have equal names, folders come first, then notes in document order."""

    roots: tuple[Symbol, ...]
    by_path: dict[str, Symbol]
    contexts: frozenset[str]
    """The folders' ``context.md`` files, each of which represents its folder."""
    key: Callable[[str], SortKey]
    """The sort key of names."""
    only_ascii: bool

    @property
    def domains(self) -> tuple[Symbol, ...]:
        """The folders at depth 1."""
        return tuple(symbol for symbol in self.roots if symbol.is_folder)

    def walk(self, start: Symbol | None = None) -> Iterator[Symbol]:
        """Yields ``start`` and everything below it in pre-order; every symbol if ``start`` is None."""
        stack = [start] if start else list(reversed(self.roots))
        while stack:
            symbol = stack.pop()
            yield symbol
            stack.extend(reversed(symbol.children))

    def at(self, path: str) -> Symbol | None:
        """The symbol whose path is exactly ``path``, or None. The path of a ``context.md`` refers to its folder."""
        return self.by_path.get(_parent(path) if path in self.contexts else path)

    def find(self, pattern: str, substrings: bool) -> PatternMatch | None:
        """Returns the best match for ``pattern``: first an exact path, then an absolute, relative or simple name, then,
        if ``substrings`` is set, a substring.

        An exact match is the path as written, or with ``.md`` added.
        """
        bare = pattern.lstrip("/")
        for candidate in (bare,) if bare.endswith(".md") else (bare, f"{bare}.md"):
            symbol = self.at(candidate)
            if symbol:
                return PatternMatch(symbol, "exact")
        names = [name.lower() for name in pattern.split("/") if name]
        if not names:
            return None
        absolute = pattern.startswith("/")
        how = "absolute" if absolute else "relative" if len(names) > 1 else "simple"
        for symbol in self._by_name.get(names[-1], ()):
            if self._chain_matches(symbol, names, absolute):
                return PatternMatch(symbol, how)
        if substrings:
            for symbol in self._containing(names[-1]):
                if self._chain_matches(symbol, names, absolute):
                    return PatternMatch(symbol, "substring")
        return None

    def _containing(self, part: str) -> Iterator[Symbol]:
        """Yields the symbols whose names in lower case contain ``part``, in pre-order."""
        names, ends = self._joined_names
        start = names.find(part)
        while start >= 0:
            place = bisect_right(ends, start)
            is_inside = start + len(part) < ends[place]
            if is_inside:
                yield self._in_pre_order[place][0]
            start = names.find(part, ends[place] if is_inside else start + 1)

    @cached_property
    def _joined_names(self) -> tuple[str, list[int]]:
        """All names in pre-order in one text, which is quick to search, each followed by NUL; and where they end."""
        names = [f"{name}\0" for _, name in self._in_pre_order]
        return "".join(names), list(accumulate(map(len, names)))

    @cached_property
    def _in_pre_order(self) -> list[tuple[Symbol, str]]:
        """Every symbol that can be named, with its name in lower case. Notes at the root can be named only by path."""
        return [(symbol, symbol.name.lower()) for symbol in self.walk() if symbol.is_folder or symbol.depth > 1]

    @cached_property
    def _by_name(self) -> dict[str, list[Symbol]]:
        found: dict[str, list[Symbol]] = {}
        for symbol, name in self._in_pre_order:
            found.setdefault(name, []).append(symbol)
        return found

    def _chain_matches(self, symbol: Symbol, names: list[str], absolute: bool) -> bool:
        """True if the last of ``names`` matches ``symbol``, and the others match the folders above it."""
        above = symbol.path.rpartition("/")[0]
        for name in reversed(names[:-1]):
            if not above or self.by_path[above].name.lower() != name:
                return False
            above = above.rpartition("/")[0]
        return not above if absolute else True

    def changed(
        self, out: Iterable[str], new: Iterable[tuple[str, str]], position: Callable[[str], int | None]
    ) -> Hierarchy | None:
        """Returns the hierarchy after removing the notes ``out`` and adding the notes ``new``, given as (path, title).

        ``position`` returns a note's index in document order, and None for anything else. Rebuilds only the folders
        above the changed notes. Returns None if that is not enough, because a name needs a different sort key, or
        because two folders have the same name.
        """
        contexts = self.contexts.difference(out).union(path for path, _ in new if _is_context(path))
        leaves = {path: Symbol(path, title, False, path.count("/") + 1) for path, title in new if not _is_context(path)}
        if self.only_ascii and not all(f"{path}{leaf.name}".isascii() for path, leaf in leaves.items()):
            return None
        removed = set(out) - leaves.keys()
        touched = {folder for path in (*removed, *leaves, *(path for path, _ in new)) for folder in _above(path)}
        symbols = dict(self.by_path)
        for path in removed:
            symbols.pop(path, None)
        symbols |= leaves
        for folder in sorted(touched, key=lambda path: -path.count("/") if path else 1):
            before = self.by_path[folder].children if folder in self.by_path else () if folder else self.roots
            own = {child.path for child in before} | {path for path in (*leaves, *touched) if _parent(path) == folder}
            children = [symbols[path] for path in own if path in symbols and path]
            arranged = self._arranged(children, position)
            if arranged is None:
                return None
            if not folder:
                return Hierarchy(arranged, symbols, contexts, self.key, self.only_ascii)
            if arranged or position(f"{folder}/{CONTEXT_FILE}") is not None:
                symbols[folder] = replace(_folder(folder), children=arranged)
            else:
                symbols.pop(folder, None)
        return self

    def _arranged(self, children: list[Symbol], position: Callable[[str], int | None]) -> tuple[Symbol, ...] | None:
        """Sorts ``children``. Returns None if two folders have the same name, because their order is unknown."""
        keyed = sorted(((self.key(child.name), position(child.path), child) for child in children), key=_first_two)
        for (key, _, one), (other_key, _, other) in pairwise(keyed):
            if key == other_key and one.is_folder and other.is_folder:
                return None
        return tuple(child for _, _, child in keyed)


def _first_two(entry: tuple[SortKey, int | None, Symbol]) -> tuple[SortKey, int]:
    """Returns the sort key of a symbol: its name, then its index in document order.

    Folders have no index, and precede notes with the same name.
    """
    return entry[0], -1 if entry[1] is None else entry[1]


def _is_context(path: str) -> bool:
    return path.endswith(f"/{CONTEXT_FILE}")


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _above(path: str) -> Iterator[str]:
    """Yields the folders above ``path``, nearest first. The last one is the tree itself, whose path is empty."""
    while path:
        path = _parent(path)
        yield path


def _folder(path: str) -> Symbol:
    return Symbol(path, path.rpartition("/")[2], True, path.count("/") + 1)


def build_hierarchy(notes: Iterable[tuple[str, str]]) -> Hierarchy:
    """Builds the hierarchy of ``notes``, given as (path, title) in document order.

    A ``context.md`` represents its folder and is not a leaf.
    """
    names: dict[str, str] = {}
    below: dict[str, list[str]] = {"": []}
    by_path: dict[str, Symbol] = {}
    contexts: set[str] = set()
    for path, title in notes:
        folder = _parent(path)
        if folder not in below:
            for missing in reversed([above for above in _above(path) if above not in below]):
                names[missing] = missing.rpartition("/")[2]
                below[missing] = []
                below[_parent(missing)].append(missing)
        if folder and _is_context(path):
            contexts.add(path)
        else:
            names[path] = title
            below[folder].append(path)
            by_path[path] = Symbol(path, title, False, path.count("/") + 1)
    only_ascii = all(name.isascii() for name in names.values())

    def arranged(folder: str) -> tuple[Symbol, ...]:
        key = sort_key([names[child] for child in below[folder]])  # the key of ASCII names is much faster
        children = sorted(below[folder], key=lambda child: (key(names[child]), child not in below))
        return tuple([by_path[child] for child in children])

    for folder in sorted(below.keys() - {""}, key=lambda path: -path.count("/")):
        by_path[folder] = replace(_folder(folder), children=arranged(folder))
    return Hierarchy(arranged(""), by_path, frozenset(contexts), sort_key(names.values()), only_ascii)
