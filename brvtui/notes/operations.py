"""Notes of an open project: questions about one, plans to change some, applying and undoing them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.manifest_place import ManifestPlace, manifest_place
from brvtui.lab.backlinks import Backlink, LinkIndex, LinkReader
from brvtui.lab.similar import Similar, similar_notes
from brvtui.notes.applying import PlanTarget, Progress, apply, held, is_taken
from brvtui.notes.archiving import original_of, plan_archive, plan_restore
from brvtui.notes.journal import Apply, Journal
from brvtui.notes.known import SignalSources
from brvtui.notes.moving import plan_move
from brvtui.notes.plan import FileContent, Plan, Write
from brvtui.notes.signals import Where, plan_forget, plan_signals
from brvtui.snapshot import Snapshot
from brvtui.store.overlay import Overlay
from brvtui.tree.engine_files.sidecar import read_signals_of
from brvtui.tree.reading.links import Resolved
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from brvtui.tree.saving import note_files
from brvtui.tree.saving.file_version import FileVersion
from brvtui.tree.saving.note_files import Conflict, Saved, Unconfirmed

_ALIKE = 10


@dataclass(frozen=True, slots=True)
class Done:
    """A plan was applied, undone or applied again: its title, and what the user should know."""

    title: str
    notices: tuple[str, ...]


class ProjectAccess(Protocol):
    """What is needed of the session."""

    profile: Profile
    clock: Callable[[], float]

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""

    def load(self) -> bool:
        """Reads what changed on disk."""

    def refresh(self, places: Collection[Path] = ()) -> bool:
        """Reads what was noticed to have changed, and ``places``."""


class Notes:
    """The notes of an open project. Methods may be called from any thread; all but titles read files."""

    def __init__(self, opened: ProjectAccess, tree: Path, overlay: Overlay, sidecar: Path) -> None:
        """Notes of ``tree``; ``sidecar`` is the folder of the engine's signals, which is read only."""
        self.journal = Journal()
        self._opened = opened
        self._tree = tree
        self._overlay = overlay
        self._sidecar = sidecar
        self._reader = LinkReader()
        self._changing = threading.Lock()

    def links_of(self, path: str) -> tuple[Resolved, ...]:
        """Where the links of the note at ``path`` lead. The first call reads every note."""
        return self.links().links_of(path)

    def backlinks(self, path: str) -> tuple[Backlink, ...]:
        """The links that lead to the note or folder at ``path``. The first call reads every note."""
        return self.links().backlinks(path)

    def similar(self, path: str, limit: int = _ALIKE) -> tuple[Similar, ...]:
        """The notes most like the one at ``path``. Raises KeyError and OSError; the first call reads every note."""
        return similar_notes(self._opened.snapshot, path, limit)

    def manifest_place(self, path: str) -> ManifestPlace:
        """Where the file at ``path`` stands in the manifest. Raises KeyError for an unknown file."""
        return manifest_place(self._opened.snapshot, self._opened.profile.manifest, path)

    def plan_move(self, path: str, target: str, keep_mtimes: bool = True) -> Plan:
        """Giving the note or folder at ``path`` another path; links follow. Raises :class:`NoteError`."""
        self._opened.load()
        index = self.links()
        return plan_move(self._opened.snapshot, index, path, target, self._known(), keep_mtimes)

    def plan_archive(self, path: str) -> Plan:
        """Archiving the note at ``path`` as the engine does. Raises :class:`NoteError`."""
        opened = self._opened
        return plan_archive(self._tree, path, self._known()(path), opened.clock(), opened.profile)

    def plan_restore(self, path: str) -> Plan:
        """Restoring the note whose stub is at ``path``. Raises :class:`NoteError`."""
        return plan_restore(self._tree, path, self._known()(original_of(self._tree, path)))

    def plan_signals(self, path: str, signals: NoteSignals, where: Where, keep_mtime: bool = True) -> Plan:
        """Storing ``signals`` of the note at ``path`` there. Raises :class:`NoteError`."""
        known = self._known()(path)
        return plan_signals(self._tree, path, signals, where, known, keep_mtime)

    def plan_forget(self, path: str) -> Plan:
        """Dropping what the overlay holds of the note at ``path``. Raises :class:`NoteError`."""
        return plan_forget(path, self._known()(path))

    def apply(self, plan: Plan, progress: Progress | None = None) -> Done:
        """Applies ``plan``, all of it or nothing; ``progress`` is called with steps taken and steps in all.

        Raises :class:`NoteError`, also when a file changed meanwhile.
        """
        with self._changing:
            said = apply(self._place(), plan, progress)
            self.journal.add(plan)
        self._publish(plan)
        return Done(plan.title, (*plan.notices, *said))

    def save(self, path: str, data: bytes, seen: FileVersion | None, keep_mtime: bool = False) -> Saved | Conflict:
        """:func:`brvtui.tree.saving.note_files.save`, which can be undone.

        Raises :class:`brvtui.tree.saving.note_files.SaveError`.
        """
        with self._changing:
            before = held(self._tree, path) if seen and is_taken(self._tree, path) else None
            after = FileContent(data, before.mtime_ns if before and keep_mtime else None)
            plan = Plan(f"{'edit' if seen else 'new note'} {path}", (Write(path, before, after),))
            unconfirmed: Unconfirmed | None = None
            done: Saved | Conflict | None = None
            try:
                done = note_files.save(self._tree, path, data, seen, keep_mtime=keep_mtime)
            except Unconfirmed as error:
                unconfirmed = error
            if isinstance(done, Conflict):
                return done
            self.journal.add(plan)
        self._publish(plan)
        if done is None:
            assert unconfirmed is not None
            raise unconfirmed
        return done

    def undo(self, progress: Progress | None = None) -> Done:
        """Undoes what was done last. Raises :class:`NoteError`, also when a file changed since."""
        return self._again(self.journal.undo, progress)

    def redo(self, progress: Progress | None = None) -> Done:
        """Does again what was undone last. Raises :class:`NoteError`, also when a file changed since."""
        return self._again(self.journal.redo, progress)

    def _again(self, turn: Callable[[Apply], tuple[Plan, tuple[str, ...]]], progress: Progress | None) -> Done:
        with self._changing:
            plan, said = turn(lambda plan: apply(self._place(), plan, progress))
        self._publish(plan)
        return Done(plan.title, said)

    def _publish(self, plan: Plan) -> None:
        """Has the next question see what ``plan`` changed."""
        self._opened.refresh([self._tree / path for path in plan.paths])

    def links(self) -> LinkIndex:
        """The links of all notes; the first call on a snapshot reads the notes that changed."""
        made = self._reader.index(self._opened.snapshot)
        assert made is not None  # Nothing cancels it.
        return made

    def _place(self) -> PlanTarget:
        return PlanTarget(self._tree, self._overlay, self._defaults())

    def _defaults(self) -> NoteSignals:
        return defaults(self._opened.profile.signals)

    def _given(self, path: str) -> NoteSignals | None:
        snapshot = self._opened.snapshot
        position = snapshot.by_path.get(path)
        signals = None if position is None else snapshot.signals[position]
        return signals if signals and signals.source is Source.FILE else None

    def _known(self) -> Callable[[str], SignalSources]:
        base = self._defaults()
        recorded = self._overlay.read(base)
        reads = self._opened.profile.signals.frontmatter
        return lambda path: SignalSources(
            read_signals_of(self._sidecar, path, base), recorded.get(path), self._given(path), reads
        )
