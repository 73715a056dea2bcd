"""Paths and scopes that a query names (``docs/reference/byterover.md``, "Paths and scopes")."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.sections import Scope
from brvtui.snapshot import Snapshot
from brvtui.timing import Stopwatch
from brvtui.tree.reading.hierarchy import PatternMatch, Symbol
from brvtui.tree.reading.javascript import first_word, spaced_words, trim

# A search request: the query, its options and its context.


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of a search. An empty scope does not restrict the search. A limit below 0 is treated as 0."""

    limit: int
    scope: str = ""
    is_brief: bool = False
    """True if only the results and their scores are computed, and not what explains them."""

    @property
    def most(self) -> int:
        """The number of results to keep, at least 0."""
        return max(0, self.limit)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query and the context of its search."""

    context: Context
    query: str
    options: SearchOptions
    watch: Stopwatch


@dataclass(frozen=True, slots=True)
class PathLookup:
    """A query looked up as a path, if that was ``tried``. The rest of it, ``text``, is searched for."""

    tried: bool
    pattern: str
    match: PatternMatch | None
    text: str
    why: str


def look_up_path(snapshot: Snapshot, query: str, domains: Collection[str] = ()) -> PathLookup:
    """Looks up ``query`` as a path if the query contains a slash or if its first word names a domain."""
    first = first_word(query)
    if "/" not in query and first.lower() not in snapshot.domains and first.lower() not in domains:
        return PathLookup(False, "", None, query, "no slash in the query, and its first word is not a domain")
    pattern = first if "/" in first else trim(query)
    reason = "the query contains a slash" if "/" in query else f"its first word is the domain {first.lower()}"
    match = snapshot.hierarchy.find(pattern, substrings=True)
    if match is None:
        return PathLookup(True, pattern, None, query, f"{reason}, but {_unknown(pattern)}")
    text = _left_of(query, match.symbol) if match.symbol.is_folder else ""
    return PathLookup(True, pattern, match, text, reason)


def inside_option(lookup: PathLookup, option: str) -> PathLookup:
    """``lookup`` without a match outside the folder ``option``."""
    wanted = f"{trim(option).rstrip('/')}/"
    if lookup.match is None or f"{lookup.match.symbol.path}/".startswith(wanted):
        return lookup
    return replace(lookup, match=None, why=f"{lookup.why}, but {lookup.match.symbol.path} is outside {option}")


def _left_of(query: str, folder: Symbol) -> str:
    first = first_word(trim(query))
    if "/" in first:
        return trim(trim(query)[len(first) :])
    # As in the engine: if the query spells the folder differently, find returns -1, and only the last letter is kept.
    return trim(query[max(0, query.find(folder.name) + len(folder.name)) :])


def parse_scope(snapshot: Snapshot, query: str, option: str) -> Scope:
    """The scope of a search: ``option`` if it is not empty, or otherwise the scope that the query names.

    The scope's text is the rest of the query. If the query is only a path, that text is empty, and the path is searched
    for as text.
    """
    parsed = _from_query(snapshot, query)
    wanted = trim(option).rstrip("/")
    if not wanted:
        return parsed
    symbol = snapshot.hierarchy.at(wanted)
    if symbol is None:
        why = f"you chose {wanted}, which is not in the tree"
        return _scope(snapshot, "", wanted, "option", "", parsed.text, why)
    return _scope(snapshot, symbol.path, wanted, "option", "exact", parsed.text, f"you asked for {wanted}")


def _from_query(snapshot: Snapshot, query: str) -> Scope:
    trimmed = trim(query)
    slash = trimmed.find("/")
    if slash >= 0:
        space = trimmed.find(" ", slash)
        pattern = (trimmed if space < 0 else trimmed[:space]).lstrip("/")
        match = snapshot.hierarchy.find(pattern, substrings=False)
        if match is None:
            return _scope(snapshot, "", pattern, "none", "", query, _unknown(pattern))
        text = "" if space < 0 else trim(trimmed[space:])
        return _scope(snapshot, match.symbol.path, pattern, "slash", match.how, text, f"{pattern} is in the tree")
    words = spaced_words(query)
    domain = snapshot.domains.get(words[0].lower()) if len(words) > 1 else None
    if domain is None:
        return _scope(snapshot, "", "", "none", "", query, "the query does not name a path or a domain")
    symbol = snapshot.hierarchy.by_path[domain]
    used = 1
    if len(words) > 2:
        child = next((c for c in symbol.children if c.name.lower() == words[1].lower()), None)
        if child:
            symbol, used = child, 2
    pattern = " ".join(words[:used])
    text = " ".join(words[used:])
    return _scope(snapshot, symbol.path, pattern, "first_word", "simple", text, f"{pattern} names {symbol.path}")


def _unknown(pattern: str) -> str:
    """The reason why ``pattern`` names nothing. It is compared only with names in the tree; the disk is not read."""
    leads_out = ".." in pattern.split("/")
    return f"{pattern} points outside the tree" if leads_out else f"nothing is called {pattern}"


def _scope(snapshot: Snapshot, path: str, pattern: str, source: str, how: str, text: str, why: str) -> Scope:
    inside = int(members(snapshot, path).sum()) if path else len(snapshot.notes)
    if path and not inside:
        why += "; it contains no note, so it does not restrict the search"
    return Scope(path, pattern, source, how, text, bool(path and inside), inside or len(snapshot.notes), why)


def whole_tree(snapshot: Snapshot, text: str, why: str) -> Scope:
    """The scope of a search that is not restricted."""
    return Scope("", "", "none", "", text, False, len(snapshot.notes), why)


def inside_path(snapshot: Snapshot, lookup: PathLookup) -> Scope:
    """The scope from a path look-up that found a folder, with the rest of the query as the text to search for."""
    assert lookup.match is not None
    how, path = lookup.match.how, lookup.match.symbol.path
    return _scope(snapshot, path, lookup.pattern, "path", how, lookup.text, f"{lookup.why}: {lookup.pattern} is {path}")


def members(snapshot: Snapshot, path: str) -> NDArray[np.bool_]:
    """A mask of the notes in a scope: the notes below a folder, or the one note that the scope names."""
    position = snapshot.by_path.get(path)
    if position is None:
        return snapshot.inside(path)
    single = np.zeros(len(snapshot.notes), dtype=np.bool_)
    single[position] = True
    return single
