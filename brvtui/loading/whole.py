"""A snapshot of the whole project: every file is looked at, and read unless an earlier snapshot knows it as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from brvtui.loading.one_file import Edit, is_same, note_of, read_file
from brvtui.snapshot import FolderSummary, Known, Note, Parsed, Snapshot
from brvtui.text.forward import NoteTerms, TermIds
from brvtui.text.postings import Postings, build
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import (
    CONTEXT_FILE,
    DUPLICATE,
    Listing,
    Role,
    TreeFile,
    UnseenFile,
    document_order,
    list_files,
    walk_key,
)
from brvtui.tree.reading.project import Project
from brvtui.tree.reading.signals import (
    NO_LAYERS,
    NoteSignals,
    SignalLayers,
    defaults,
    first_found,
    frontmatter_defaults,
)

_READ_AT_ONCE = 256

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Located:
    file: TreeFile
    alias: str
    tree: Path
    path: str


@dataclass(frozen=True, slots=True)
class _Read:
    """Everything that was read, or was known: files in document order, and the terms of those that were read now."""

    located: Sequence[_Located]
    parsed: Mapping[str, Parsed]
    fresh: Mapping[str, NoteTerms]
    ids: TermIds
    unseen: Sequence[UnseenFile]
    own_files: Sequence[TreeFile]


def load(
    project: Project,
    constants: TreeConstants,
    now_ms: float,
    stored: SignalLayers = NO_LAYERS,
    previous: Snapshot | None = None,
    kept: Known | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    edit: Edit | None = None,
) -> Snapshot | None:
    """A snapshot of ``project`` as it is on disk now; None when ``cancelled`` became true meanwhile.

    ``edit`` stands in for what is on disk. Files that did not change since ``previous``, or else since ``kept``
    (same times, size and inode), are not read again. ``progress`` is called with files read and files in all; once
    they are equal, the index is made. A file that cannot be read is listed as unseen; nothing is raised.
    """
    own = _with(list_files(project.tree), edit) if edit else list_files(project.tree)
    located, beyond = _in_document_order(own.files, "", project.tree, constants, now_ms)
    unseen = list(own.unseen) + [UnseenFile(path, _beyond(constants)) for path in beyond]
    taken = {file.path for file in own.files}
    for source in project.sources:
        listing = list_files(source.tree)
        shared, _ = _in_document_order(listing.files, source.alias, source.tree, constants, now_ms)
        located += [item for item in shared if item.path not in taken]
    known_before = previous.known if previous is not None else kept
    completed_by = frontmatter_defaults(constants.signals)
    reuse = known_before if known_before is not None and known_before.is_read_with(constants) else None
    ids = reuse.postings.ids if reuse else TermIds()
    parsed: dict[str, Parsed] = {}
    fresh: dict[str, NoteTerms] = {}
    for number, item in enumerate(located):
        if number % _READ_AT_ONCE == 0:
            if cancelled():
                return None
            if progress:
                progress(number, len(located))
        known = reuse.parsed.get(item.path) if reuse else None
        if known and is_same(known, item.file):
            parsed[item.path] = known
            continue
        instead = edit if edit and item.file == edit.file else None
        parsed[item.path], terms = read_file(
            item.tree, item.alias, item.file, constants.limits, ids, completed_by, instead
        )
        if terms is not None:
            fresh[item.path] = terms
    if progress:
        progress(len(located), len(located))
    read = _Read(located, parsed, fresh, ids, unseen, own.files)
    return _assemble(project, constants, now_ms, stored, read, reuse, previous.generation if previous else 0)


def _with(own: Listing, edit: Edit) -> Listing:
    """The files of the project's own tree after ``edit``."""
    files = [file for file in own.files if file.path != edit.path] + [edit.file]
    unseen = tuple(file for file in own.unseen if file.path != edit.path)
    return Listing(tuple(sorted(files, key=lambda file: walk_key(file.path))), unseen)


def _beyond(constants: TreeConstants) -> str:
    return f"past the {constants.limits.max_files} files that the engine reads"


def _in_document_order(
    files: Sequence[TreeFile], alias: str, tree: Path, constants: TreeConstants, now_ms: float
) -> tuple[list[_Located], list[str]]:
    ordered = document_order(list(files), now_ms, constants.limits.recent_hours)
    most = constants.limits.max_files or len(ordered)
    prefix = f"[{alias}]:" if alias else ""
    located = [_Located(file, alias, tree, f"{prefix}{file.path}") for file in ordered[:most]]
    return located, [file.path for file in ordered[most:]]


def _assemble(
    project: Project,
    constants: TreeConstants,
    now_ms: float,
    stored: SignalLayers,
    read: _Read,
    reuse: Known | None,
    generation: int,
) -> Snapshot:
    base = defaults(constants.signals)
    ignored = _signals_ignored(read, stored.broken) if constants.limits.failures else ""
    notes: list[Note] = []
    unseen = list(read.unseen)
    signals: list[NoteSignals] = []
    summary_signals: dict[str, NoteSignals] = {}
    summaries: dict[str, FolderSummary] = {}
    for item in read.located:
        entry = read.parsed[item.path]
        role = item.file.role
        if entry.unseen:
            unseen.append(UnseenFile(item.path, entry.unseen))
            continue
        own = first_found(item.file.path, stored.layers) or entry.frontmatter_signals
        found = None if item.alias or ignored else own
        folder = item.path.rpartition("/")[0]
        if role in (Role.SUMMARY, Role.CONTEXT) and folder:
            if role is Role.CONTEXT:
                summaries.setdefault(folder, FolderSummary(folder, item.path, entry.mtime_ms))
            elif entry.summary_order is not None:
                summaries[folder] = FolderSummary(folder, item.path, entry.mtime_ms)
            if found:
                summary_signals[item.path] = found
        if entry.is_note:
            notes.append(note_of(item.path, entry, role))
            signals.append(found or base)
    return Snapshot(
        project=project,
        generation=generation + 1,
        loaded_ms=now_ms,
        limits=constants.limits,
        notes=tuple(notes),
        postings=_postings(notes, read, reuse),
        signals=tuple(signals),
        summary_signals=summary_signals,
        summaries=summaries,
        files=tuple(read.own_files),
        unseen=tuple(unseen),
        notices=(*project.notices, ignored) if ignored else project.notices,
        parsed=read.parsed,
        edited={},
        stored=stored,
        frontmatter_defaults=frontmatter_defaults(constants.signals),
        engine_failure=_engine_failure(project, notes, unseen),
    )


def _postings(notes: Sequence[Note], read: _Read, reuse: Known | None) -> Postings:
    new = [read.fresh[note.path] for note in notes if note.path in read.fresh]
    if reuse is None:
        return build(new, read.ids)
    kept = [-1 if note.path in read.fresh else reuse.by_path[note.path] for note in notes]
    return reuse.postings.changed(np.asarray(kept, dtype=np.int64), new)


def _signals_ignored(read: _Read, broken: frozenset[str]) -> str:
    """Why the real engine reads no stored signals at all here: it reads them in one batch, which fails as a whole."""
    asked = [item for item in read.located if read.parsed[item.path].has_stored_signals]
    junk = next((item.path for item in asked if item.path in broken), "")
    if junk:
        return f"the stored signals of {junk} are no JSON, so ByteRover 3.14 ignores those of all notes"
    if any(item.alias for item in asked):
        return "with shared sources, ByteRover 3.14 ignores all stored signals: every note has the defaults"
    odd = next((item.path for item in asked if ":" in item.file.path or "\\" in item.file.path), "")
    if odd:
        return f"{odd}: for the : or \\ in this name, ByteRover 3.14 ignores all stored signals; rename the file"
    return ""


def _engine_failure(project: Project, notes: Sequence[Note], unseen: Sequence[UnseenFile]) -> str:
    if any(note.path == CONTEXT_FILE for note in notes):
        return f"{CONTEXT_FILE} at the root of the tree makes every search of the engine fail: move it into a folder"
    if project.failure:
        return project.failure
    link = next((file for file in unseen if file.reason == DUPLICATE), None)
    if link:
        return f"{link.path}: a symlink to another note makes every search of the engine fail: remove it"
    return ""
