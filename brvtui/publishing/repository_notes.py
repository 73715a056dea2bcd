"""The notes of a repository's own context tree, that speak of its code."""

from __future__ import annotations

from pathlib import Path

from brvtui.corpus.code.documents import SpeakingNote
from brvtui.loading import load
from brvtui.snapshot import Parsed, Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import Listing, list_files
from brvtui.tree.reading.project import MARKER, FoundProject, ProjectError, find_project

_NOTHING = Listing((), ())


class RepositoryNotes:
    """Reads the notes of one repository, and again those that changed."""

    def __init__(self, root: Path) -> None:
        """Reads nothing before :meth:`read`; ``root`` is the folder of the repository."""
        self._root = root
        self._newest: Snapshot | None = None
        self._known: dict[str, tuple[Parsed, SpeakingNote]] = {}
        self._speaking: tuple[SpeakingNote, ...] = ()

    def listing(self) -> Listing:
        """The files of the context tree as they are on disk now; none without one."""
        project = self._project()
        return list_files(project.tree) if project is not None else _NOTHING

    def read(self, constants: TreeConstants, now_ms: float) -> tuple[SpeakingNote, ...]:
        """What each note says, the same tuple as before when no note changed; empty without a context tree."""
        project = self._project()
        self._newest = load(project, constants, now_ms, previous=self._newest) if project is not None else None
        newest = self._newest
        known = {note.path: self._note(newest, note.path) for note in newest.notes} if newest is not None else {}
        if known != self._known:
            self._known = known
            self._speaking = tuple(note for _, note in known.values())
        return self._speaking

    def _project(self) -> FoundProject | None:
        if not (self._root / MARKER).is_dir():
            return None
        try:
            return find_project(self._root)
        except ProjectError:
            return None

    def _note(self, notes: Snapshot, path: str) -> tuple[Parsed, SpeakingNote]:
        parsed = notes.parsed[path]
        known = self._known.get(path)
        return known if known is not None and known[0] == parsed else (parsed, speaking_note(notes, path))


def speaking_note(notes: Snapshot, path: str) -> SpeakingNote:
    """What the note at ``path`` says; nothing when it cannot be read."""
    try:
        return SpeakingNote(path, notes.text(path))
    except OSError:
        return SpeakingNote(path, "")
