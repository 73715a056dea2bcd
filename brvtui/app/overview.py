"""The data for the status line, the tree and empty panes, computed from a snapshot in a worker."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import compress, repeat
from operator import is_not
from typing import TYPE_CHECKING

from brvtui.app.contents import Branch, Overview
from brvtui.app.states import INDEX, MANIFEST, ancestors
from brvtui.engines.registry import kind_of
from brvtui.paint.glyphs import MATURITIES
from brvtui.trace import Kind, Trace
from brvtui.trace.routing import FingerprintState
from brvtui.tree.reading.files import CONTEXT_FILE, MANIFEST_FILE, Role, role_of

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot
    from brvtui.tree.reading.signals import NoteSignals

# The folders and files of a snapshot for the tree; from one snapshot to the next, only changes are computed.


_DERIVED = {Role.SUMMARY: INDEX, Role.ABSTRACT: "abstract", Role.OVERVIEW: "overview", Role.ARCHIVED: "archived"}
_DERIVED_KINDS = frozenset((*_DERIVED.values(), MANIFEST))
_FOLDERS = ("domain", "topic", "subtopic")
_DEEPEST = 32
"""The maximum depth of folders in a saved trace, whose paths may be hostile."""
_NO_COUNTS = (0, 0, 0)
_COUNTS = dict(zip(MATURITIES, ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True))


@dataclass(frozen=True, slots=True)
class Branches:
    """All folders and files of a tree."""

    roots: tuple[Branch, ...] = ()
    by_path: Mapping[str, Branch] = field(default_factory=dict)
    aside: int = 0
    """The number of stubs and derived files."""


@dataclass(frozen=True, slots=True)
class _Derived:
    """A file that the engine generated from notes."""

    kind: str
    mtime_ms: int


def branches(snapshot: Snapshot) -> Branches:
    """Returns all folders and files of ``snapshot`` as branches."""
    derived = {
        file.path: _Derived(_DERIVED[role], file.mtime_ms) for file in snapshot.files if (role := file.role) in _DERIVED
    }
    return _remade(Branches(), snapshot, [*snapshot.by_path, *derived], derived)


def branches_after(before: Branches, snapshot: Snapshot, changed: Collection[str]) -> Branches:
    """Returns all folders and files of ``snapshot``, updated from ``before`` at the paths in ``changed``.

    ``snapshot`` must not have shared sources or more files than the engine's limit.
    """
    derived = {}
    for path in changed:
        entry, role = snapshot.parsed.get(path), role_of(path)
        if entry is not None and role in _DERIVED:
            derived[path] = _Derived(_DERIVED[role], entry.mtime_ms)
    return _remade(before, snapshot, changed, derived)


def branches_of(files: Mapping[str, Branch]) -> Branches:
    """Returns the folders for ``files``, given by path; files that are nested too deeply are placed at the top."""
    folders: dict[str, list[Branch]] = {"": []}
    for path, file in sorted(files.items()):
        folder = path.rpartition("/")[0] if path.count("/") < _DEEPEST else ""
        folders.setdefault(folder, []).append(file)
        for above in ancestors(folder):
            folders.setdefault(above, [])
    inside: dict[str, list[Branch]] = {}
    for path in sorted(folders.keys() - {""}, key=lambda path: (-_depth(path), f"{path}/")):
        inside.setdefault(path.rpartition("/")[0], []).append(_folder(path, (*inside.get(path, ()), *folders[path])))
    roots = (*inside.get("", ()), *folders[""])
    return Branches(roots, {branch.path: branch for branch in _with_all_below(roots)})


def _with_all_below(branches: Iterable[Branch]) -> Iterator[Branch]:
    for branch in branches:
        yield branch
        yield from _with_all_below(branch.children)


def _remade(before: Branches, snapshot: Snapshot, changed: Iterable[str], derived: dict[str, _Derived]) -> Branches:
    manifest = _manifest(snapshot)
    if manifest is not None:
        derived[MANIFEST_FILE] = manifest
    by_path, aside = dict(before.by_path), before.aside
    touched = {""}
    files: dict[str, list[str]] = {}
    for path in (*changed, MANIFEST_FILE):
        old, new = by_path.pop(path, None), _file(snapshot, path, derived)
        aside += (new is not None and new.aside) - (old is not None and old.aside)
        folder = path.rpartition("/")[0]
        if folder not in touched:
            touched.update((folder, *ancestors(folder)))
        if new is not None:
            by_path[path] = new
            if path in derived:
                files.setdefault(folder, []).append(path)
    subfolders: dict[str, list[str]] = {}
    for folder in touched:
        if folder and folder not in snapshot.hierarchy.by_path:
            subfolders.setdefault(folder.rpartition("/")[0], []).append(folder)
    for folder in sorted(touched, key=_depth, reverse=True):
        children_before = (
            before.by_path[folder].children if folder in before.by_path else () if folder else before.roots
        )
        own = [*files.get(folder, ()), *(child.path for child in children_before if child.kind in _DERIVED_KINDS)]
        outside = [*subfolders.get(folder, ()), *(child.path for child in children_before if child.is_folder)]
        paths = _arranged(snapshot, folder, own, outside)
        children = tuple([by_path[path] for path in dict.fromkeys(paths) if path in by_path])
        if not folder:
            return Branches(children, by_path, aside)
        if children:
            by_path[folder] = _folder(folder, children)
        else:
            by_path.pop(folder, None)
    return before


def _arranged(snapshot: Snapshot, folder: str, derived: Iterable[str], subfolders: Iterable[str]) -> Iterator[str]:
    """Yields the paths in a folder: folders of notes, other folders, ``context.md``, notes, derived files."""
    hierarchy = snapshot.hierarchy
    symbol = hierarchy.by_path.get(folder)
    symbols = hierarchy.roots if not folder else symbol.children if symbol is not None else ()
    yield from (child.path for child in symbols if child.is_folder)
    yield from sorted((path for path in subfolders if path not in hierarchy.by_path), key=lambda path: f"{path}/")
    if folder:
        yield f"{folder}/{CONTEXT_FILE}"
    yield from (child.path for child in symbols if not child.is_folder)
    yield from sorted(derived)


def _depth(folder: str) -> int:
    return folder.count("/") + 1 if folder else 0


def _folder(path: str, children: tuple[Branch, ...]) -> Branch:
    name, kind = path.rpartition("/")[2], _FOLDERS[min(path.count("/"), 2)]
    aside = all(child.aside for child in children)
    return Branch(path, name, True, kind, "", children, counts_of(children), aside, low=path.lower())


def counts_of(children: Iterable[Branch]) -> tuple[int, int, int]:
    """Returns the numbers of notes in ``children`` by maturity."""
    draft = validated = core = 0
    for child in children:
        drafts, valid, cores = child.counts
        draft, validated, core = draft + drafts, validated + valid, core + cores
    return draft, validated, core


def _file(snapshot: Snapshot, path: str, derived: Mapping[str, _Derived]) -> Branch | None:
    """Returns the file at ``path``; None if it is gone, or is neither a note nor derived from notes."""
    position = snapshot.by_path.get(path)
    if position is None:
        derived_file = derived.get(path)
        name = path.rpartition("/")[2]
        if derived_file is None:
            return None
        return Branch(
            path, name, False, derived_file.kind, "", aside=True, mtime_ms=derived_file.mtime_ms, low=path.lower()
        )
    note, signals = snapshot.notes[position], snapshot.signals[position]
    return Branch(
        path,
        note.title,
        False,
        note.kind.value,
        signals.maturity,
        counts=one_note(signals.maturity),
        aside=note.role is Role.STUB,
        importance=signals.importance,
        mtime_ms=note.mtime_ms,
        low=f"{note.title}\n{path}".lower(),
    )


def one_note(maturity: str) -> tuple[int, int, int]:
    """Returns the counts of one note of ``maturity``; zeros for an unknown or empty maturity."""
    return _COUNTS.get(maturity, _NO_COUNTS)


def _manifest(snapshot: Snapshot) -> _Derived | None:
    try:
        stat = (snapshot.project.tree / MANIFEST_FILE).stat()
    except OSError:
        return None
    return _Derived(MANIFEST, stat.st_mtime_ns // 1_000_000)


class OverviewBuilder:
    """Builds each overview from the previous one and the changes since then. Safe to call from any thread."""

    def __init__(self) -> None:
        self._last: tuple[Snapshot, Branches, Overview] | None = None
        self._building = threading.Lock()

    def build(self, snapshot: Snapshot) -> Overview:
        """Returns the overview of ``snapshot``."""
        with self._building:
            if self._last is None:
                new_branches = branches(snapshot)
            else:
                before, grown, _ = self._last
                changed = changed_between(before, snapshot)
                new_branches = branches(snapshot) if changed is None else branches_after(grown, snapshot, changed)
            self._last = snapshot, new_branches, _overview(snapshot, new_branches)
            return self._last[2]


def changed_between(before: Snapshot, now: Snapshot) -> set[str] | None:
    """Returns the paths whose files or signals differ; None if the difference may affect other paths too."""
    limit = now.limits.max_files
    if now.project.sources or (limit and len(now.files) > limit) or before.project.tree != now.project.tree:
        return None
    changes = now.changed_since(before)
    if changes is not None:
        return set(changes)
    old, new = before.parsed, now.parsed
    changed = set(compress(new, map(is_not, new.values(), map(old.get, new))))
    added = sum(path not in old for path in changed)
    if len(old) + added != len(new):
        changed |= old.keys() - new.keys()
    if before.signals:
        places = map(before.by_path.get, now.by_path, repeat(0))  # a new note is among the changed ones
        stored = map(before.signals.__getitem__, places)
        resigned = compress(now.by_path, map(is_not, stored, now.signals))
        changed |= {path for path in resigned if _signals(before, path) != _signals(now, path)}
    return changed


def _signals(snapshot: Snapshot, path: str) -> NoteSignals | None:
    position = snapshot.by_path.get(path)
    return None if position is None else snapshot.signals[position]


def _unread(snapshot: Snapshot) -> str:
    if snapshot.notes or snapshot.kind.why_empty:
        return ""
    return snapshot.project.link or "; ".join(snapshot.unread)


def _overview(snapshot: Snapshot, tree: Branches) -> Overview:
    return Overview(
        project=snapshot.project.name,
        notes=len(snapshot.notes),
        counts=counts_of(tree.roots),
        unseen=tuple((file.path, file.reason) for file in snapshot.unseen),
        roots=tree.roots,
        notices=snapshot.notices,
        branches=tree.by_path,
        aside=tree.aside,
        fingerprint=snapshot.fingerprint,
        generation=snapshot.generation,
        loaded_ms=snapshot.loaded_ms,
        kind=snapshot.kind,
        reads_frontmatter=snapshot.reads_frontmatter,
        unread=_unread(snapshot),
        to_mend=frozenset((*snapshot.unusable_signals, *snapshot.conflicts)),
    )


def remembered(trace: Trace) -> Overview:
    """Returns the overview of a trace whose tree is not open; its notes are the trace's hits and near misses."""
    snapshot, state = trace.snapshot, trace.find(FingerprintState)
    tree = branches_of(_branches_in(trace))
    return Overview(
        project=snapshot.project,
        notes=snapshot.notes,
        counts=counts_of(tree.roots),
        roots=tree.roots,
        branches=tree.by_path,
        fingerprint=state.value if state is not None else "",
        generation=snapshot.generation,
        kind=kind_of(trace.engine),
    )


def _branches_in(trace: Trace) -> dict[str, Branch]:
    hits = {hit.file: _leaf(hit.file, hit.title, hit.kind, hit.maturity) for hit in trace.hits}
    misses = {miss.file: _leaf(miss.file, miss.title, miss.kind, miss.maturity) for miss in trace.near_misses}
    return hits | misses


def _leaf(path: str, title: str, kind: Kind, maturity: str) -> Branch:
    low = f"{title}\n{path}".lower()
    return Branch(path, title, False, kind.value, maturity, counts=one_note(maturity), low=low)
