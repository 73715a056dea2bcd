"""The resolved links between the notes of a snapshot (``docs/explanation/safe-saving.md``, "Links")."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from brvtui.snapshot import Key, Parsed, Snapshot
from brvtui.tree.reading.links import Link, LinkState, Names, Resolved, links_in

_LOOKED_UP_AT_ONCE = 256
_NAMES: Key[Mapping[str, Names]] = Key("names of files")


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to a note, found in the note at ``source``."""

    source: str
    found: Resolved


@dataclass(frozen=True, eq=False)
class LinkIndex:
    """The links in the notes of one snapshot, keyed by path."""

    links: Mapping[str, tuple[Link, ...]]
    parsed: Mapping[str, Parsed]
    names: Mapping[str, Names]
    """The file names of each tree, keyed by the alias of the source; the project's own tree has an empty alias."""

    def links_of(self, path: str) -> tuple[Resolved, ...]:
        """The resolved links of the note at ``path``, in order; empty for an unknown note.

        Paths are as in the snapshot, so paths in a shared source start with ``[alias]:``.
        """
        links = self.links.get(path)
        if not links:
            return ()
        own = self.parsed[path]
        names = self.names[own.alias]
        return tuple(_with_alias(names.resolve(link, own.file), own.alias) for link in links)

    def backlinks(self, path: str) -> tuple[Backlink, ...]:
        """The links to the note or folder at ``path``, sorted by the path of the linking note."""
        return self._by_target.get(path, ())

    def warm(self) -> None:
        """Computes the backlinks in advance, so that later calls of :meth:`backlinks` are fast."""
        _ = self._by_target

    @cached_property
    def _by_target(self) -> dict[str, tuple[Backlink, ...]]:
        backlinks: dict[str, list[Backlink]] = {}
        for source in sorted(self.links):
            for link in self.links_of(source):
                if link.state in (LinkState.NOTE, LinkState.FOLDER):
                    backlinks.setdefault(link.path, []).append(Backlink(source, link))
        return {path: tuple(links) for path, links in backlinks.items()}


class LinkReader:
    """Builds link indexes. Unchanged notes are not read again. Methods are thread-safe."""

    def __init__(self) -> None:
        """Creates an empty reader. Nothing is read until :meth:`index` is called."""
        self._known: dict[str, tuple[Parsed, tuple[Link, ...]]] = {}
        self._lock = threading.Lock()
        self._cached: tuple[Snapshot, LinkIndex] | None = None

    def index(self, snapshot: Snapshot, cancelled: Callable[[], bool] = lambda: False) -> LinkIndex | None:
        """The links of ``snapshot``; None if ``cancelled`` returned True.

        The first call reads every note, so it must run in a worker, not on the event loop.
        """
        with self._lock:
            if self._cached and self._cached[0] is snapshot:
                return self._cached[1]
            known: dict[str, tuple[Parsed, tuple[Link, ...]]] = {}
            for number, note in enumerate(snapshot.notes):
                if number % _LOOKED_UP_AT_ONCE == 0 and cancelled():
                    return None
                parsed = snapshot.parsed[note.path]
                before = self._known.get(note.path)
                # Snapshots reuse the parsed object of an unchanged file.
                unchanged = before is not None and before[0] is parsed
                known[note.path] = before if before and unchanged else (parsed, _read(snapshot, note.path))
            self._known = known
            links = {path: links for path, (_, links) in known.items() if links}
            index = LinkIndex(links, snapshot.parsed, names_of(snapshot))
            index.warm()
            self._cached = snapshot, index
            return index


def _with_alias(resolved: Resolved, alias: str) -> Resolved:
    if not alias or not resolved.path:
        return resolved
    return Resolved(resolved.link, resolved.state, f"[{alias}]:{resolved.path}", resolved.written, resolved.ending)


def _read(snapshot: Snapshot, path: str) -> tuple[Link, ...]:
    try:
        data = snapshot.read(path)
    except OSError:
        return ()
    return links_in(data.decode("utf-8", "replace"))


def names_of(snapshot: Snapshot) -> Mapping[str, Names]:
    """The file names of each tree, keyed by the alias of the source; cached with the snapshot."""
    return snapshot.derived.of(_NAMES, lambda: _names_of(snapshot.parsed.values()))


def _names_of(entries: Iterable[Parsed]) -> dict[str, Names]:
    paths: dict[str, list[str]] = {"": []}
    for entry in entries:
        paths.setdefault(entry.alias, []).append(entry.file)
    return {alias: Names(files) for alias, files in paths.items()}
