"""Assembles snapshots from their parts, after full and incremental loading."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from brvtui.snapshot import FolderSummary, Note, Parsed, Snapshot
from brvtui.snapshot.carry_over import Transition, carry_over
from brvtui.snapshot.records import columns_of
from brvtui.snapshot.state import Predecessor
from brvtui.text.postings import Postings, build
from brvtui.text.segment import NoteTerms, TermIds
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import CONTEXT_FILE, SUMMARY_FILE, TreeFile, UnseenFile, limit_notices, role_of
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import NoteSignals, SignalLayers, defaults, frontmatter_defaults

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts that make up a snapshot."""

    project: FoundProject
    constants: TreeConstants
    now_ms: float
    generation: int
    stored: SignalLayers
    files: Sequence[TreeFile]
    """The files of the project's own tree, in walk order."""
    parsed: Mapping[str, Parsed]
    """The entry of every file, both for files that have just been read and for files from an earlier snapshot."""
    note_paths: Sequence[str]
    """The paths of the notes in document order."""
    passed_over: Sequence[UnseenFile]
    """The files that were not read."""
    unreadable: Iterable[str]
    """The files that could not be read, in document order."""
    terms: Mapping[str, NoteTerms]
    """The terms of the notes that have just been read."""
    ids: TermIds
    postings: Postings | None
    """The postings of an earlier snapshot; None if all notes have just been read."""
    kept: NDArray[np.int64]
    """Each note's position in the earlier ``postings``; -1 for notes that have just been read."""
    signals_ignored: str = ""
    """The reason why stored signals are ignored; empty if they are used."""
    engine_failure: str = ""

    def stored_signals(self, path: str) -> NoteSignals | None:
        """Returns the stored signals of the file at ``path``; None if it has none, or is from a shared source."""
        entry = self.parsed[path]
        if entry.alias or self.signals_ignored:
            return None
        return self.stored.get(entry.file) or entry.frontmatter_signals


def assemble(parts: Parts, transition: Transition | None = None) -> Snapshot:
    """Creates the snapshot from ``parts``.

    With a ``transition``, copies unchanged and derived data from the previous snapshot.
    """
    paths = parts.note_paths
    by_path = dict(zip(paths, range(len(paths)), strict=True))
    read_now = np.flatnonzero(parts.kept < 0).tolist()
    touched = range(len(paths)) if transition is None else _resolved_now(read_now, transition.signals_changed, by_path)
    base = defaults(parts.constants.signals)
    notes: Sequence[Note] = [_note(parts, paths[place]) for place in (touched if transition is None else read_now)]
    signals: Sequence[NoteSignals] = [parts.stored_signals(paths[place]) or base for place in touched]
    if transition is None:
        columns = columns_of(notes, signals, parts.parsed)
        summaries, summary_signals = _summaries(parts, parts.parsed, {}, {})
    else:
        before = transition.previous
        notes = _reordered(before.notes, transition.kept, dict(zip(read_now, notes, strict=True)))
        columns = before.columns.changed(
            transition.kept, touched, columns_of((notes[place] for place in touched), signals, parts.parsed)
        )
        signals = _reordered(before.signals, transition.kept, dict(zip(touched, signals, strict=True)))
        changed = (*transition.files, *transition.signals_changed)
        summaries, summary_signals = _summaries(parts, changed, before.summaries, before.summary_signals)
    terms = [parts.terms[paths[place]] for place in read_now]
    snapshot = Snapshot(
        project=parts.project,
        generation=parts.generation,
        loaded_ms=parts.now_ms,
        limits=parts.constants.limits,
        notes=tuple(notes),
        by_path=by_path,
        signals=tuple(signals),
        columns=columns,
        postings=build(terms, parts.ids) if parts.postings is None else parts.postings.changed(parts.kept, terms),
        summary_signals=summary_signals,
        summaries=summaries,
        files=tuple(parts.files),
        unseen=(*parts.passed_over, *(UnseenFile(path, parts.parsed[path].unseen) for path in parts.unreadable)),
        notices=(*parts.project.notices, *filter(None, [parts.signals_ignored]), *limit_notices(parts.passed_over)),
        parsed=parts.parsed,
        stored=parts.stored,
        frontmatter_defaults=frontmatter_defaults(parts.constants.signals),
        engine_failure=parts.engine_failure,
        predecessor=None if transition is None else _predecessor(transition, by_path),
    )
    if transition is not None:
        carry_over(transition, snapshot)
    return snapshot


def is_unchanged(parts: Parts, before: Snapshot) -> bool:
    """True if a snapshot assembled from ``parts`` would contain the same data as ``before``."""
    base, unreadable = defaults(parts.constants.signals), len(list(parts.unreadable))
    return (
        parts.project == before.project
        and parts.constants.limits == before.limits
        and frontmatter_defaults(parts.constants.signals) == before.frontmatter_defaults
        and parts.engine_failure == before.engine_failure
        and parts.postings is before.postings
        and parts.stored.broken == before.stored.broken
        and tuple(parts.files) == before.files
        and tuple(parts.passed_over) == before.unseen[: len(before.unseen) - unreadable]
        and list(parts.parsed.items()) == list(before.parsed.items())
        and [parts.stored_signals(path) or base for path in parts.note_paths] == list(before.signals)
        and _summaries(parts, parts.parsed, {}, {})[1] == before.summary_signals
    )


def _note(parts: Parts, path: str) -> Note:
    entry = parts.parsed[path]
    return Note(
        path,
        entry.file,
        entry.alias,
        entry.title,
        role_of(entry.file),
        entry.size,
        entry.mtime_ms,
        entry.cut_lines,
        entry.cut_units,
        entry.chars,
    )


def _resolved_now(read_now: Sequence[int], signals_changed: Iterable[str], by_path: Mapping[str, int]) -> Sequence[int]:
    """Returns the positions of the notes whose signals must be looked up again."""
    return sorted({*read_now, *(by_path[path] for path in signals_changed if path in by_path)})


def _predecessor(transition: Transition, by_path: Mapping[str, int]) -> Predecessor:
    before = transition.previous
    signals_changed = (path for path in transition.signals_changed if path in by_path or path in before.by_path)
    return Predecessor(weakref.ref(before), transition.files.union(signals_changed))


def _reordered(items: Sequence[_Item], kept: NDArray[np.int64], anew: Mapping[int, _Item]) -> Sequence[_Item]:
    """Returns the old ``items`` in the order ``kept``, and the new ones at their positions.

    Copies whole runs of old items at once.
    """
    result: list[_Item] = []
    alone = np.where(kept < 0, -2, kept)  # makes sure that a new item never continues a run
    starts = np.flatnonzero(np.diff(alone, prepend=-2) != 1).tolist()
    for start, end in pairwise((*starts, len(kept))):
        first = int(kept[start])
        if first < 0:
            result.append(anew[start])
        else:
            result += items[first : first + end - start]
    for place, item in anew.items():
        result[place] = item
    return result


def _summaries(
    parts: Parts, paths: Iterable[str], summaries: Mapping[str, FolderSummary], signals: Mapping[str, NoteSignals]
) -> tuple[dict[str, FolderSummary], dict[str, NoteSignals]]:
    """Updates the folder summaries, and the stored signals of summary files, for changes at ``paths``.

    Returns both, keyed by folder and by path.
    """
    new_summaries, found = dict(summaries), dict(signals)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if not folder or name not in (SUMMARY_FILE, CONTEXT_FILE):
            continue
        entry = parts.parsed.get(path)
        own = parts.stored_signals(path) if entry is not None and not entry.unseen else None
        found.pop(path, None)
        if own is not None:
            found[path] = own
        new_summaries.pop(folder, None)
        summary = _summary(parts.parsed, folder)
        if summary is not None:
            new_summaries[folder] = summary
    return new_summaries, found


def _summary(parsed: Mapping[str, Parsed], folder: str) -> FolderSummary | None:
    """Returns the summary of ``folder``: a valid ``_index.md`` or, if there is none, a readable ``context.md``."""
    own, context = f"{folder}/{SUMMARY_FILE}", f"{folder}/{CONTEXT_FILE}"
    if own in parsed and parsed[own].summary_order is not None:
        return FolderSummary(folder, own, parsed[own].mtime_ms)
    if context in parsed and not parsed[context].unseen:
        return FolderSummary(folder, context, parsed[context].mtime_ms)
    return None
