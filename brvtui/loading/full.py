"""Loads a project in full: checks every file, and reads the files that changed since an earlier snapshot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from brvtui.loading.assemble import Parts, assemble, is_unchanged
from brvtui.loading.one_file import EditedFile, counted_size, is_same, read_file
from brvtui.snapshot import Parsed, Reusable, Snapshot
from brvtui.text.segment import NoteTerms, TermIds, passed_limit
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import (
    CONTEXT_FILE,
    DUPLICATE,
    SEARCHABLE,
    Listing,
    TreeFile,
    UnseenFile,
    document_order,
    list_files,
    walk_key,
)
from brvtui.tree.reading.inside import is_in_place
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import NO_LAYERS, SignalLayers, frontmatter_defaults

_READ_AT_ONCE = 256

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Located:
    file: TreeFile
    alias: str
    tree: Path
    path: str


def load(
    project: FoundProject,
    constants: TreeConstants,
    now_ms: float,
    stored: SignalLayers = NO_LAYERS,
    previous: Snapshot | None = None,
    kept: Reusable | None = None,
    progress: Progress | None = None,
    edits: Sequence[EditedFile] = (),
    removed: Collection[str] = (),
    unread: Listing | None = None,
) -> Snapshot:
    """Returns a snapshot of ``project`` as it is on disk, or ``previous`` if nothing changed. Raises no errors.

    ``edits`` replace the contents of their files on disk, and files at the paths ``removed`` are treated as missing.
    ``unread``, if given, replaces the unseen files on disk, and adds files past the limit. Files that have not changed
    since ``previous`` or, without it, since ``kept`` (same times, size and inode) are not read again. Calls
    ``progress`` with the number of files read and the total; when they are equal, the index is built next. Files that
    cannot be read are listed as unseen.
    """
    is_read = constants.limits.linked_trees or not project.link
    if constants.limits.linked_trees:
        links = {project.link, *(source.link for source in project.sources)}
        project = replace(project, notices=tuple(notice for notice in project.notices if notice not in links))
    else:
        project = replace(project, sources=tuple(source for source in project.sources if not source.link))
    if project.tree.exists() and not is_in_place(project.tree):
        is_read, link = False, _moved(project.tree)
        project = replace(project, link=link, notices=(*project.notices, link))
    own = list_files(project.tree) if is_read else Listing((), ())
    if edits or removed or unread:
        own = _with(own, edits, removed, unread)
    edited = {edit.path: edit for edit in edits}
    located, beyond = _in_document_order(own.files, "", project.tree, constants, now_ms)
    past_limit = f"past the {constants.limits.max_files} files that the engine reads"
    unseen = [*own.unseen, *(UnseenFile(path, past_limit) for path in beyond)]
    taken = {file.path for file in own.files}
    for source in project.sources:
        if not is_in_place(source.tree):
            project = replace(project, notices=(*project.notices, _moved(source.tree)))
            continue
        listing = list_files(source.tree)
        shared, _ = _in_document_order(listing.files, source.alias, source.tree, constants, now_ms)
        located += [item for item in shared if item.path not in taken]
    known_before = previous.reusable if previous is not None else kept
    reuse = known_before if known_before is not None and known_before.is_read_with(constants) else None
    read = _read_files(located, constants, edited, reuse, progress)
    if reuse is not None and passed_limit(len(read.ids)):
        reuse = None  # the ids include words of removed notes, so everything must be read again for a correct count
        read = _read_files(located, constants, edited, reuse, progress)
    parsed, places = read.parsed, reuse.by_path if reuse else {}
    unseen += read.left
    notes = [path for path, entry in parsed.items() if entry.is_note]
    unreadable = [path for path, entry in parsed.items() if entry.unseen]
    parts = Parts(
        project=project,
        constants=constants,
        now_ms=now_ms,
        generation=(previous.generation if previous else 0) + 1,
        stored=stored,
        files=own.files,
        parsed=parsed,
        note_paths=notes,
        passed_over=unseen,
        unreadable=unreadable,
        terms=read.terms,
        ids=read.ids,
        postings=reuse.postings if reuse else None,
        kept=np.asarray([-1 if path in read.terms else places[path] for path in notes], dtype=np.int64),
        signals_ignored=_signals_ignored(parsed, stored.broken) if constants.limits.failures else "",
        engine_failure=_engine_failure(project, notes, unseen),
    )
    return previous if previous is not None and is_unchanged(parts, previous) else assemble(parts)


def _moved(tree: Path) -> str:
    return f"{tree} is now behind a symlink, so its notes are not read: remove the symlink, or reopen the project"


@dataclass(frozen=True, slots=True)
class _ReadFiles:
    """The files of a project that were read or reused."""

    parsed: Mapping[str, Parsed]
    """The files' entries, in the order of reading."""
    terms: Mapping[str, NoteTerms]
    """The terms of the notes that were read. It does not contain reused notes."""
    ids: TermIds
    left: Sequence[UnseenFile]
    """The notes that were left out because the notes before them contain too much text."""


def _read_files(
    located: Sequence[_Located],
    constants: TreeConstants,
    edited: Mapping[str, EditedFile],
    reuse: Reusable | None,
    progress: Progress | None,
) -> _ReadFiles:
    """Returns the entries and terms of the files in ``located``, from ``reuse`` for unchanged files."""
    completed_by = frontmatter_defaults(constants.signals)
    ids = reuse.postings.ids if reuse else TermIds()
    parsed: dict[str, Parsed] = {}
    fresh: dict[str, NoteTerms] = {}
    left: list[UnseenFile] = []
    places: Mapping[str, int] = reuse.by_path if reuse else {}
    sizes = reuse.postings.sizes.tolist() if reuse else []
    entries = size = 0
    for number, item in enumerate(located):
        if progress and number % _READ_AT_ONCE == 0:
            progress(number, len(located))
        if (reason := passed_limit(len(ids), entries, size)) and item.file.role in SEARCHABLE:
            left.append(UnseenFile(item.path, reason, True))
            continue
        size += counted_size(item.file, constants.limits)
        known = reuse.parsed.get(item.path) if reuse else None
        if known and is_same(known, item.file):
            parsed[item.path] = known
            entries += sizes[places[item.path]] if known.is_note else 0
            continue
        instead = edited.get(item.file.path) if not item.alias else None
        parsed[item.path], terms = read_file(
            item.tree, item.alias, item.file, constants.limits, ids, completed_by, instead
        )
        if terms is not None:
            fresh[item.path] = terms
            entries += len(terms.rows)
    if progress:
        progress(len(located), len(located))
    return _ReadFiles(parsed, fresh, ids, left)


def _with(own: Listing, edits: Sequence[EditedFile], removed: Collection[str], unread: Listing | None) -> Listing:
    """Returns ``own`` with the files of ``edits``, without the files at ``removed``, and with the ``unread`` files."""
    edited = {edit.path for edit in edits}
    other = unread or Listing((), tuple(file for file in own.unseen if file.path not in removed))
    replaced = {*removed, *edited, *(file.path for file in other.files)}
    files = [*(file for file in own.files if file.path not in replaced), *other.files, *(edit.file for edit in edits)]
    unseen = tuple(file for file in other.unseen if file.path not in edited)
    return Listing(tuple(sorted(files, key=lambda file: walk_key(file.path))), unseen)


def _in_document_order(
    files: Sequence[TreeFile], alias: str, tree: Path, constants: TreeConstants, now_ms: float
) -> tuple[list[_Located], list[str]]:
    ordered = document_order(list(files), now_ms, constants.limits.recent_hours)
    limit = constants.limits.max_files or len(ordered)
    prefix = f"[{alias}]:" if alias else ""
    located = [_Located(file, alias, tree, f"{prefix}{file.path}") for file in ordered[:limit]]
    return located, [file.path for file in ordered[limit:]]


def _signals_ignored(parsed: Mapping[str, Parsed], broken: frozenset[str]) -> str:
    """Returns the reason why the real engine ignores all stored signals; empty if it uses them.

    The engine reads stored signals in one batch, which fails as a whole.
    """
    entries = {path: entry for path, entry in parsed.items() if entry.has_stored_signals}
    junk = next((path for path in entries if path in broken), "")
    if junk:
        return f"the stored signals of {junk} are not JSON, so ByteRover 3.14 ignores the signals of all notes"
    if any(entry.alias for entry in entries.values()):
        return "with shared sources, ByteRover 3.14 ignores all stored signals: every note has the defaults"
    odd = next((path for path, entry in entries.items() if ":" in entry.file or "\\" in entry.file), "")
    if odd:
        return f"{odd}: because of the : or \\ in this name, ByteRover 3.14 ignores all stored signals; rename the file"
    return ""


def _engine_failure(project: FoundProject, notes: Sequence[str], unseen: Sequence[UnseenFile]) -> str:
    if CONTEXT_FILE in notes:
        return f"{CONTEXT_FILE} at the root of the tree makes all of the engine's searches fail: move it into a folder"
    if project.failure:
        return project.failure
    link = next((file for file in unseen if file.reason == DUPLICATE), None)
    if link:
        return f"{link.path}: a symlink to another note makes all of the engine's searches fail: remove it"
    return ""
