"""Publishes snapshots of a code repository. Each one is derived from the last snapshot and the changed files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.corpus.code.documents import SpeakingNote, speaking_note
from brvtui.corpus.code.finding import SourceListing, list_sources
from brvtui.corpus.code.index import CodeIndex, build_index
from brvtui.corpus.code.reading import NoGrammar
from brvtui.corpus.code.rules import code_rules
from brvtui.corpus.code.snapshot import RepositorySnapshot, repository_snapshot
from brvtui.loading import Progress, load
from brvtui.publishing.publisher import SnapshotKeeper
from brvtui.snapshot import Parsed, Snapshot
from brvtui.store.kept_code import KeptCode
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import Listing, list_files
from brvtui.tree.reading.kinds import CODE
from brvtui.tree.reading.project import MARKER, FoundProject, ProjectError, find_project

if TYPE_CHECKING:
    from brvtui.tree.watching.watch import Watching

# Reads the notes in the repository's own context tree that mention its code.


_NOTHING = Listing((), ())


class RepositoryNotes:
    """The notes of one repository. After the first call, only changed notes are read."""

    def __init__(self, root: Path) -> None:
        """Does not read anything before :meth:`read`. ``root`` is the folder of the repository."""
        self._root = root
        self._newest: Snapshot | None = None
        self._known: dict[str, tuple[Parsed, SpeakingNote]] = {}
        self._speaking: tuple[SpeakingNote, ...] = ()

    def listing(self) -> Listing:
        """Lists the files of the context tree on disk; empty if there is no tree."""
        project = self._project()
        return list_files(project.tree) if project is not None else _NOTHING

    def read(self, constants: TreeConstants, now_ms: float) -> tuple[SpeakingNote, ...]:
        """Returns the notes with their texts; empty if there is no context tree.

        Returns the same tuple as before if no note has changed.
        """
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
        entry = self._known.get(path)
        return entry if entry is not None and entry[0] == parsed else (parsed, speaking_note(notes, path))


LOOK_SECONDS = 2.0
"""The minimum time in seconds between two checks of the list of source files."""
_SHARE = 100
_REMEMBERED_SNAPSHOTS = 2
"""The number of snapshots that are kept for questions about their traces.

It is small because their graphs are large.
"""


def find_repository(folder: Path) -> FoundProject:
    """Returns the repository at ``folder`` as a project. Raises :class:`brvtui.tree.reading.project.ProjectError`."""
    try:
        root = folder.expanduser().resolve()
        is_folder = root.is_dir()
    except (OSError, RuntimeError) as error:
        raise ProjectError(f"{folder}: cannot be opened ({error})") from error
    if not is_folder:
        raise ProjectError(f"{folder}: no such folder; choose one with --repo")
    return FoundProject(root, root, (), (), kind=CODE)


class RepositoryPublisher(SnapshotKeeper[RepositorySnapshot]):
    """Publishes snapshots of a repository's symbols. Methods are thread-safe and change no files."""

    def __init__(self, project: FoundProject) -> None:
        """Does not read anything before :meth:`load`."""
        super().__init__(project, _REMEMBERED_SNAPSHOTS)
        self._kept = KeptCode(project.tree)
        self._notes = RepositoryNotes(project.tree)
        self._joined: tuple[SpeakingNote, ...] | None = None
        self._index: CodeIndex | None = None
        self._kept_files: object = None
        """The index's files as last read from the cache or written to it."""

    def join(self, notes: Snapshot | None) -> None:
        """Makes later loads join the code with ``notes`` instead of the repository's own notes. None joins no notes."""
        self._joined = tuple(speaking_note(notes, note.path) for note in notes.notes) if notes is not None else ()

    def _load(self, constants: TreeConstants, now_ms: float, progress: Progress | None) -> bool:
        before = self._index
        if before is None:
            before = self._kept.read()
            self._kept_files = before.files if before is not None else None
        try:
            index = build_index(self.project.tree, before=before, progress=progress)
        except NoGrammar as error:
            raise ProjectError(str(error)) from error
        notes = self._joined if self._joined is not None else self._notes.read(constants, now_ms)
        last = self._newest
        if last is not None and last.speaking is notes and self._index is not None and _same(self._index, index):
            return False
        self._index = index
        self._publish(repository_snapshot(self.project, index, constants, now_ms, last, notes))
        return True

    def keep(self, constants: TreeConstants, everything: bool = False) -> bool:
        """Stores the data for the next process if it differs from the stored data. Returns True if data was written."""
        with self._writing:
            if self._index is None or self._index.files == self._kept_files:
                return False
            self._kept.write(self._index)
            self._kept_files = self._index.files
            return True

    def watch(self, changed: Callable[[], None], on_fallback: Callable[[Watching], None]) -> Watching:
        """Calls ``changed``, from another thread, after changes to source files or notes.

        Checks the lists of these files every few seconds. The system's own events would cover all folders, such as
        ``.git``, build folders and installed packages.
        """
        from brvtui.tree.watching.watch import Debouncer, Watching

        self.close()
        looking = _SourceLooks(self.project.tree)

        def look() -> None:
            if looking.found_change():
                debouncer.add(None)

        debouncer = self._watcher = Debouncer(lambda _: changed(), look, lambda: looking.pause)
        debouncer.start()
        return Watching()


class _SourceLooks:
    """Checks the lists of source files and notes at intervals, so that checking takes at most one percent
    of the time.
    """

    def __init__(self, root: Path) -> None:
        """Checks once."""
        self._root, self._rules, self._notes = root, code_rules(), RepositoryNotes(root)
        self._listing: tuple[SourceListing, Listing] | None = None
        self.pause = LOOK_SECONDS
        """The number of seconds until the next check is due."""
        self.found_change()

    def found_change(self) -> bool:
        """True if a source file or note was added, removed or changed since the last check."""
        began = time.monotonic()
        listing, last = (list_sources(self._root, self._rules), self._notes.listing()), self._listing
        self._listing = listing
        self.pause = max(LOOK_SECONDS, _SHARE * (time.monotonic() - began))
        return last is not None and listing != last


def _same(old: CodeIndex, new: CodeIndex) -> bool:
    return old.files == new.files and old.listing == new.listing
