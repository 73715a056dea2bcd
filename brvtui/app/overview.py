"""What header, tree and empty state show, gathered from a snapshot in a worker."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brvtui.app.glyphs import MATURITIES
from brvtui.app.view import INDEX, MANIFEST, AnyTrace, Branch, NoteLine, Overview
from brvtui.retrieve.jeffs_brain.trace import HybridTrace
from brvtui.trace import Kind, Snapshotted, Trace
from brvtui.tree.files import MANIFEST_FILE, Role

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot
    from brvtui.tree.signals import NoteSignals

_MOST_IMPORTANT = 6
_DERIVED = {Role.SUMMARY: INDEX, Role.ABSTRACT: "abstract", Role.OVERVIEW: "overview", Role.ARCHIVED: "archived"}
_DEEPEST = 32
"""Folders in folders that a trace of somebody else's tree is shown with."""


def survey(snapshot: Snapshot) -> Overview:
    """The overview of ``snapshot``."""
    pairs = [pair for pair in zip(snapshot.notes, snapshot.signals, strict=True) if pair[0].kind is Kind.CONTEXT]
    pairs.sort(key=lambda pair: (-pair[1].importance, pair[0].path))
    roots = _roots(snapshot)
    branches: dict[str, Branch] = {}
    _collect(roots, branches)
    return Overview(
        project=snapshot.project.name,
        notes=len(snapshot.notes),
        counts=_counts([signals.maturity for signals in snapshot.signals]),
        unseen=tuple((file.path, file.reason) for file in snapshot.unseen),
        roots=roots,
        important=tuple(
            NoteLine(note.path, note.title, signals.maturity, signals.importance)
            for note, signals in pairs[:_MOST_IMPORTANT]
        ),
        notices=snapshot.notices,
        branches=branches,
        aside=sum(branch.aside and not branch.is_folder for branch in branches.values()),
        fingerprint=snapshot.fingerprint,
        generation=snapshot.generation,
        loaded_ms=snapshot.loaded_ms,
    )


def remembered(trace: AnyTrace) -> Overview:
    """The overview that a trace alone gives: its notes are the hits and the near misses."""
    match trace:
        case Trace():
            found, told = _routed(trace), trace.snapshot
            fingerprint = trace.fingerprint.value
        case HybridTrace():
            found = {hit.path: _leaf(hit.path, hit.title, Kind.CONTEXT, "") for hit in trace.ranking}
            told, fingerprint = Snapshotted("", 0, len(found), ""), ""
    tree = _Tree()
    for path, leaf in sorted(found.items()):
        tree.folder(path.rpartition("/")[0] if path.count("/") < _DEEPEST else "").files.append(leaf)
    branches: dict[str, Branch] = {}
    _collect(tree.roots, branches)
    return Overview(
        project=told.project,
        notes=told.notes,
        counts=_counts([leaf.maturity for leaf in found.values()]),
        unseen=(),
        roots=tree.roots,
        important=(),
        notices=(),
        branches=branches,
        aside=0,
        fingerprint=fingerprint,
        generation=told.generation,
        loaded_ms=0.0,
    )


def _routed(trace: Trace) -> dict[str, Branch]:
    found = {
        hit.file: _leaf(hit.file, hit.title, hit.kind, hit.signals.maturity if hit.signals else "")
        for hit in trace.hits
    }
    misses = {miss.file: _leaf(miss.file, miss.title, miss.kind, miss.maturity) for miss in trace.search.near_misses}
    return found | misses


def _leaf(path: str, title: str, kind: Kind, maturity: str) -> Branch:
    low = f"{title}\n{path}".lower()
    return Branch(path, title, False, kind.value, maturity, counts=_counts([maturity]), low=low)


def _counts(levels: list[str]) -> tuple[int, int, int]:
    draft, validated, core = (levels.count(level) for level in MATURITIES)
    return draft, validated, core


@dataclass(slots=True)
class _Folder:
    """A folder that is being filled, its folders and notes in the order of the hierarchy."""

    path: str
    name: str
    kind: str
    folders: list[_Folder] = field(default_factory=list)
    files: list[Branch] = field(default_factory=list)

    def closed(self) -> Branch:
        """The folder with all that is in it."""
        children = (*(folder.closed() for folder in self.folders), *self.files)
        draft, validated, core = (sum(child.counts[level] for child in children) for level in range(3))
        aside = all(child.aside for child in children)
        counts = (draft, validated, core)
        return Branch(self.path, self.name, True, self.kind, "", children, counts, aside, low=self.path.lower())


class _Tree:
    """Folders by their paths, made when they are first wanted."""

    def __init__(self) -> None:
        self._folders = {"": _Folder("", "", "")}

    def folder(self, path: str) -> _Folder:
        """The folder at ``path``."""
        made = self._folders.get(path)
        if made is None:
            above, _, name = path.rpartition("/")
            kind = ("domain", "topic", "subtopic")[min(path.count("/"), 2)]
            made = self._folders[path] = _Folder(path, name, kind)
            self.folder(above).folders.append(made)
        return made

    @property
    def roots(self) -> tuple[Branch, ...]:
        """What stands at the top."""
        return self._folders[""].closed().children


def _roots(snapshot: Snapshot) -> tuple[Branch, ...]:
    tree = _Tree()
    for symbol in snapshot.hierarchy.walk():
        above = symbol.path.rpartition("/")[0]
        if symbol.is_folder:
            tree.folder(symbol.path)
        else:
            tree.folder(above).files.append(_note(snapshot, snapshot.by_path[symbol.path]))
    for position, note in enumerate(snapshot.notes):
        if note.role is Role.CONTEXT and note.folder:
            tree.folder(note.path.rpartition("/")[0]).files.insert(0, _note(snapshot, position))
    for path, kind, mtime_ms in sorted(_derived(snapshot)):
        above, _, name = path.rpartition("/")
        made = Branch(path, name, False, kind, "", aside=True, mtime_ms=mtime_ms, low=path.lower())
        tree.folder(above).files.append(made)
    return tree.roots


def _note(snapshot: Snapshot, position: int) -> Branch:
    note = snapshot.notes[position]
    signals: NoteSignals = snapshot.signals[position]
    return Branch(
        note.path,
        note.title,
        False,
        note.kind.value,
        signals.maturity,
        counts=_counts([signals.maturity]),
        aside=note.role is Role.STUB,
        importance=signals.importance,
        mtime_ms=note.mtime_ms,
        low=f"{note.title}\n{note.path}".lower(),
    )


def _derived(snapshot: Snapshot) -> list[tuple[str, str, int]]:
    """Path, kind and modification time (ms) of the files that the engine made from notes."""
    files = [(file.path, _DERIVED[file.role], file.mtime_ms) for file in snapshot.files if file.role in _DERIVED]
    try:
        stat = (snapshot.project.tree / MANIFEST_FILE).stat()
    except OSError:
        return files
    return [*files, (MANIFEST_FILE, MANIFEST, stat.st_mtime_ns // 1_000_000)]


def _collect(branches: tuple[Branch, ...], found: dict[str, Branch]) -> None:
    for branch in branches:
        found[branch.path] = branch
        _collect(branch.children, found)
