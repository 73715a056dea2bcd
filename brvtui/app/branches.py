"""Folders and files of a snapshot as the tree shows them; from one snapshot to the next only what changed is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brvtui.app.contents import Branch
from brvtui.app.states import INDEX, MANIFEST, ancestors
from brvtui.paint.glyphs import MATURITIES
from brvtui.tree.reading.files import CONTEXT_FILE, MANIFEST_FILE, Role, role_of

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot

_DERIVED = {Role.SUMMARY: INDEX, Role.ABSTRACT: "abstract", Role.OVERVIEW: "overview", Role.ARCHIVED: "archived"}
_DERIVED_KINDS = frozenset((*_DERIVED.values(), MANIFEST))
_FOLDERS = ("domain", "topic", "subtopic")
_DEEPEST = 32
"""The most nested folders to show for a saved trace, whose paths may be hostile."""
_NO_COUNTS = (0, 0, 0)
_COUNTS = dict(zip(MATURITIES, ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True))


@dataclass(frozen=True, slots=True)
class Branches:
    """Every folder and file."""

    roots: tuple[Branch, ...] = ()
    by_path: Mapping[str, Branch] = field(default_factory=dict)
    aside: int = 0
    """The number of stubs and derived files."""


@dataclass(frozen=True, slots=True)
class _Derived:
    """A file that the engine made from notes."""

    kind: str
    mtime_ms: int


def branches(snapshot: Snapshot) -> Branches:
    """All of ``snapshot``."""
    derived = {
        file.path: _Derived(_DERIVED[role], file.mtime_ms) for file in snapshot.files if (role := file.role) in _DERIVED
    }
    return _remade(Branches(), snapshot, [*snapshot.by_path, *derived], derived)


def branches_after(before: Branches, snapshot: Snapshot, changed: Collection[str]) -> Branches:
    """All of ``snapshot``, whose files or signals are other ones than when ``before`` was made at ``changed`` only.

    It must not have shared sources, nor files past the engine's limit.
    """
    derived = {}
    for path in changed:
        entry, role = snapshot.parsed.get(path), role_of(path)
        if entry is not None and role in _DERIVED:
            derived[path] = _Derived(_DERIVED[role], entry.mtime_ms)
    return _remade(before, snapshot, changed, derived)


def branches_of(files: Mapping[str, Branch]) -> Branches:
    """The folders that ``files``, by their paths, need; files too deep for the tree pane stand at the top."""
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
    made, aside = dict(before.by_path), before.aside
    touched = {""}
    files: dict[str, list[str]] = {}
    for path in (*changed, MANIFEST_FILE):
        old, new = made.pop(path, None), _file(snapshot, path, derived)
        aside += (new is not None and new.aside) - (old is not None and old.aside)
        folder = path.rpartition("/")[0]
        if folder not in touched:
            touched.update((folder, *ancestors(folder)))
        if new is not None:
            made[path] = new
            if path in derived:
                files.setdefault(folder, []).append(path)
    subfolders: dict[str, list[str]] = {}
    for folder in touched:
        if folder and folder not in snapshot.hierarchy.by_path:
            subfolders.setdefault(folder.rpartition("/")[0], []).append(folder)
    for folder in sorted(touched, key=_depth, reverse=True):
        known = before.by_path[folder].children if folder in before.by_path else () if folder else before.roots
        own = [*files.get(folder, ()), *(child.path for child in known if child.kind in _DERIVED_KINDS)]
        outside = [*subfolders.get(folder, ()), *(child.path for child in known if child.is_folder)]
        paths = _arranged(snapshot, folder, own, outside)
        children = tuple([made[path] for path in dict.fromkeys(paths) if path in made])
        if not folder:
            return Branches(children, made, aside)
        if children:
            made[folder] = _folder(folder, children)
        else:
            made.pop(folder, None)
    return before


def _arranged(snapshot: Snapshot, folder: str, derived: Iterable[str], subfolders: Iterable[str]) -> Iterator[str]:
    """The paths in a folder: folders of notes, of derived files alone; ``context.md``, notes, derived files."""
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
    """Notes in ``children`` by maturity."""
    draft = validated = core = 0
    for child in children:
        drafts, valid, cores = child.counts
        draft, validated, core = draft + drafts, validated + valid, core + cores
    return draft, validated, core


def _file(snapshot: Snapshot, path: str, derived: Mapping[str, _Derived]) -> Branch | None:
    """The file at ``path``; None for one that is no more, or is neither a note nor derived from some."""
    position = snapshot.by_path.get(path)
    if position is None:
        made = derived.get(path)
        name = path.rpartition("/")[2]
        if made is None:
            return None
        return Branch(path, name, False, made.kind, "", aside=True, mtime_ms=made.mtime_ms, low=path.lower())
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
    """The counts of a note of that maturity; zeros for what is no note."""
    return _COUNTS.get(maturity, _NO_COUNTS)


def _manifest(snapshot: Snapshot) -> _Derived | None:
    try:
        stat = (snapshot.project.tree / MANIFEST_FILE).stat()
    except OSError:
        return None
    return _Derived(MANIFEST, stat.st_mtime_ns // 1_000_000)
