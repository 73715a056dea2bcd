"""The notes of a repository that speak of its code, for one open repository."""

from __future__ import annotations

import threading

from brvtui.corpus.code.documents import CodeMention, Documentation, SpeakingNote, nearest_of_each_note
from brvtui.corpus.code.snapshot import RepositorySnapshot
from brvtui.loading import load
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.project import MARKER, ProjectError, find_project


class NotesOnCode:
    """Reads the notes of a repository's own context tree once for each state of its code. Thread-safe."""

    def __init__(self) -> None:
        """Reads nothing before :meth:`about`."""
        self._lock = threading.Lock()
        self._made: tuple[RepositorySnapshot, Documentation] | None = None

    def about(self, snapshot: Snapshot, path: str, constants: TreeConstants, now_ms: float) -> tuple[CodeMention, ...]:
        """What notes write of the symbol whose page is at ``path``, each note once; empty without a context tree."""
        assert isinstance(snapshot, RepositorySnapshot)
        page = snapshot.pages.by_path.get(path)
        if page is None:
            return ()
        with self._lock:
            if self._made is None or self._made[0] is not snapshot:
                notes = _notes(snapshot, constants, now_ms)
                self._made = snapshot, Documentation(snapshot.pages.graph, speaking_notes(notes))
            return tuple(nearest_of_each_note(self._made[1].notes_about(page.symbol.id)))


def speaking_notes(notes: Snapshot | None) -> list[SpeakingNote]:
    """What each of the ``notes`` says; a note that cannot be read says nothing."""
    return [SpeakingNote(note.path, _text(notes, note.path)) for note in notes.notes] if notes is not None else []


def _text(notes: Snapshot, path: str) -> str:
    try:
        return notes.text(path)
    except OSError:
        return ""


def _notes(snapshot: RepositorySnapshot, constants: TreeConstants, now_ms: float) -> Snapshot | None:
    root = snapshot.project.root
    if not (root / MARKER).is_dir():
        return None
    try:
        return load(find_project(root), constants, now_ms)
    except ProjectError:
        return None
