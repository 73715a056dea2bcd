"""Operations on the notes of an open project: links, and planning, applying and undoing changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from brvtui.engines.profile_files import TreeProfile
from brvtui.lab.backlinks import LinkIndex, LinkReader
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.following import after_moves
from brvtui.lab.judgments.model import Judgment, JudgmentsError
from brvtui.notes.applying import PlanTarget, apply, is_taken, read_content
from brvtui.notes.journal import ApplyPlan, Journal
from brvtui.notes.moving import plan_move
from brvtui.notes.plan import FileContent, Move, MoveFolder, NoteError, Plan, Record, Recorded, Step, Write, path_after
from brvtui.notes.repairs import judged_after, plan_replacing, plan_title, plan_together
from brvtui.notes.signals import SignalSources, SignalTarget, plan_signals
from brvtui.snapshot import Snapshot
from brvtui.store.overlay import Overlay
from brvtui.timing import system_clock
from brvtui.tree.editing.archive import StubError, archived_as, read_stub, stub_of, stub_text
from brvtui.tree.engine_files.sidecar import read_signals_of
from brvtui.tree.reading.files import ARCHIVE, Role, role_of
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.inside import TOPIC_ENDING, PathError, parts_of
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from brvtui.tree.saving import note_files
from brvtui.tree.saving.file_version import FileVersion
from brvtui.tree.saving.note_files import Conflict, Saved, SaveError, Unconfirmed
from brvtui.wording import counted, first_lines

# Plans that archive and restore notes in the engine's own format (``docs/explanation/safe-saving.md``, "Archiving and
# restoring"). The steps are ordered so that the full text is on disk at any moment: archiving writes both files of the
# archive before it removes the note, and restoring writes the note before it removes these files. After a crash, the
# note can be archived or restored again.


def plan_archive(tree: Path, path: str, signals: SignalSources, now_ms: float, profile: TreeProfile) -> Plan:
    """Returns a plan that archives the note at ``path``. Raises :class:`NoteError`."""
    check_archivable(path)
    try:
        note = read_content(tree, path)
        text = note.data.decode("utf-8")
        names = archived_as(path)
        full = _content_or_none(tree, names.full)
        stub = _content_or_none(tree, names.stub)
    except SaveError as error:
        raise NoteError(str(error)) from error
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8, and the engine's archive would replace it; fix it first"
        raise NoteError(f"{path}: {message}") from error
    # After a crash, the same text can be in both places.
    if (full or stub) and not (full and full.data == note.data):
        taken = names.stub if stub else names.full
        raise NoteError(f"{path}: an older note with this name is archived as {taken}; restore or move that one first")
    importance = signals.sidecar.importance if signals.sidecar else profile.signals.importance
    stub_bytes = stub_text(path, text, importance, now_ms, profile.archive).encode("utf-8")
    steps: list[Step] = []
    if not full:
        steps.append(Write(names.full, None, FileContent(note.data, None, note.mode)))
    steps += [Write(names.stub, stub, FileContent(stub_bytes, None, note.mode)), Write(path, note, None)]
    if signals.overlay:
        steps.append(Record((Recorded(path, signals.overlay, None),)))
    return Plan(f"archive {path}", tuple(steps), notices=_archive_notices(path, text, signals, importance))


def plan_restore(tree: Path, path: str, signals: SignalSources) -> Plan:
    """Returns a plan that restores the note whose stub is at ``path``.

    ``signals`` are those stored under the note's own path. Raises :class:`NoteError`.
    """
    original = original_of(tree, path)
    try:
        stub = read_content(tree, path)
        full_path = read_stub(_text(stub)).points_to
        full = read_content(tree, full_path)
        there = _content_or_none(tree, original)
    except SaveError as error:
        raise NoteError(str(error)) from error
    # After a crash, the same text can be in both places.
    if there and there.data != full.data:
        raise NoteError(f"{path}: {original} exists again with a different text; move or archive that one first")
    steps: list[Step] = [] if there else [Write(original, None, FileContent(full.data, None, full.mode))]
    steps += [Write(path, stub, None), Write(full_path, full, None)]
    return Plan(f"restore {original}", tuple(steps), notices=_restore_notices(original, signals))


def original_of(tree: Path, path: str) -> str:
    """The path of the note whose stub is at ``path``. Raises :class:`NoteError` if the stub cannot be restored."""
    if role_of(path) is not Role.STUB:
        raise NoteError(f"{path}: not a stub; only {ARCHIVE}/….stub.md files can be restored")
    try:
        stub = read_stub(_text(read_content(tree, path)))
        parts_of(stub.original_path)
    except (SaveError, PathError) as error:
        raise NoteError(str(error)) from error
    except StubError as error:
        raise NoteError(f"{path}: {error}; fix the stub") from error
    return stub.original_path


def _text(stub: FileContent) -> str:
    return stub.data.decode("utf-8", "replace")


def check_archivable(path: str) -> None:
    """Raises :class:`NoteError` if the file at ``path`` cannot be archived, or is already archived."""
    if role_of(path) is Role.ARCHIVED:
        raise NoteError(f"{path}: this note is archived already; restore it from its stub {stub_of(path)}")
    if path.startswith(f"{ARCHIVE}/") or role_of(path) not in (Role.NOTE, Role.CONTEXT):
        raise NoteError(f"{path}: only notes can be archived, and this is not a note")
    if "\\" in path:
        raise NoteError(f"{path}: the engine cannot restore a note with \\ in its name; rename it first")


def _content_or_none(tree: Path, path: str) -> FileContent | None:
    return read_content(tree, path) if is_taken(tree, path) else None


def _archive_notices(path: str, text: str, signals: SignalSources, importance: float) -> tuple[str, ...]:
    """Returns notices about the note's stored signals, which the engine's own archiving would remove, or about the
    ``importance`` in the stub if the engine stores none and the note has another one elsewhere.
    """
    if signals.sidecar is None:
        known = signals.given or signals.overlay
        written = parse(text).fields.get("importance") if signals.reads_frontmatter else None
        if (known.importance if known else written) in (None, importance):
            return ()
        return (f"stubs have the importance of a new note, {importance:g}, if brv itself stores none for the note",)
    return (f"{path}: its signals remain in ByteRover's own store; brv itself would remove them",)


def _restore_notices(path: str, signals: SignalSources) -> tuple[str, ...]:
    """Returns a notice if the engine's own restoring would reset the note's stored signals to the defaults."""
    stored = signals.sidecar
    if stored is None:
        return ()
    was = f"importance {stored.importance:g}, {stored.maturity}"
    return (f"{path}: starts with the signals in ByteRover's own store ({was}); brv itself would reset them",)


@dataclass(frozen=True, slots=True)
class AppliedPlan:
    """A plan that was applied, undone or redone: its title, its steps, and notices for the user."""

    title: str
    steps: tuple[Step, ...]
    notices: tuple[str, ...]


class ProjectAccess(Protocol):
    """The members of a session that :class:`Notes` needs."""

    profile: TreeProfile
    clock: Callable[[], float]

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""

    def load(self) -> bool:
        """Reads changes from disk."""

    def refresh(self, places: Collection[Path] = ()) -> bool:
        """Reads the changes that the watcher reported, and the files at ``places``."""


class Notes:
    """The notes of an open project. Methods are thread-safe and read files."""

    def __init__(self, opened: ProjectAccess, tree: Path, overlay: Overlay, sidecar: Path) -> None:
        """``sidecar`` is the folder with the engine's signals for ``tree``. It is only read."""
        self.journal = Journal(system_clock)  # not the session's clock, which may be frozen
        self._opened = opened
        self._tree = tree
        self._overlay = overlay
        self._sidecar = sidecar
        self._reader = LinkReader()
        self._changing = threading.Lock()

    def links(self) -> LinkIndex:
        """Returns the links in all notes. The first call for a snapshot reads the changed notes."""
        index = self._reader.index(self._opened.snapshot)
        assert index is not None  # nothing cancels the reading
        return index

    def plan_move(self, path: str, target: str, keep_mtimes: bool = True) -> Plan:
        """Returns a plan that moves the note or folder at ``path``, and rewrites links. Raises :class:`NoteError`."""
        self._opened.load()
        return plan_move(self._opened.snapshot, self.links(), path, target, self._signals(), keep_mtimes)

    def plan_archive(self, path: str) -> Plan:
        """Returns a plan that archives the note at ``path`` as the engine does. Raises :class:`NoteError`."""
        opened = self._opened
        return plan_archive(self._tree, path, self._signals()(path), opened.clock(), opened.profile)

    def plan_restore(self, path: str) -> Plan:
        """Returns a plan that restores the note whose stub is at ``path``. Raises :class:`NoteError`."""
        return plan_restore(self._tree, path, self._signals()(original_of(self._tree, path)))

    def plan_archiving(self, paths: Iterable[str]) -> Plan:
        """Returns one plan that archives the notes at ``paths``, with a notice about links that it breaks.

        Raises :class:`NoteError`.
        """
        plans = {path: self.plan_archive(path) for path in paths}
        title = f"archive {len(plans)} notes" if len(plans) > 1 else f"archive {''.join(plans)}"
        plan, links, parts = plan_together([*plans.values()], title), self.links(), list[str]()
        for path in plans:
            if sources := [*dict.fromkeys(link.source for link in links.backlinks(path) if link.source not in plans)]:
                named = ", ".join(first_lines(sources, "note"))
                parts.append(f"{counted(len(sources), 'note links', 'notes link')} to {path} ({named})")
        broken = [f"these links will be broken: {'; '.join(first_lines(parts, 'linked note'))}"] if parts else []
        return replace(plan, notices=(*plan.notices, *broken))

    def plan_title(self, path: str, title: str) -> Plan:
        """Returns a plan that changes the title of the note at ``path``. Raises :class:`NoteError`."""
        return plan_title(self._tree, path, title)

    def plan_replacing(self, pairs: Sequence[tuple[str, ...]], is_merge: bool, joins: bool | None = None) -> Plan:
        """Returns a plan like :func:`brvtui.notes.repairs.plan_replacing`. Raises :class:`NoteError`."""
        self._opened.load()
        snapshot = self._opened.snapshot
        plan = plan_replacing(snapshot, self.links(), pairs, is_merge, self.plan_archive, joins)
        try:
            judgments = JudgmentsFile.of(snapshot.project).read()
        except JudgmentsError as error:
            return replace(plan, notices=(*plan.notices, f"judged queries keep the old path: {error}"))
        return replace(plan, judgments=judged_after(judgments, plan, self._tree))

    def plan_signals(self, path: str, signals: NoteSignals, where: SignalTarget, keep_mtime: bool = True) -> Plan:
        """Returns a plan that stores ``signals`` for the note at ``path``. Raises :class:`NoteError`."""
        rules = self._opened.profile.signals
        return plan_signals(self._tree, path, signals, where, self._signals()(path), rules, keep_mtime)

    def apply(self, plan: Plan) -> AppliedPlan:
        """Applies ``plan`` completely or not at all, and changes the paths in judged queries if it moves notes.

        Raises :class:`NoteError`, including when a file has changed since the plan was made.
        """
        self._refuse_topics()
        with self._changing:
            notices = apply(self._target(), plan)
            self.journal.add(plan)
            left = self._move_judgments(plan)
        self._publish(plan)
        return AppliedPlan(plan.title, plan.steps, (*plan.notices, *notices, *left))

    def save(self, path: str, data: bytes, expected: FileVersion | None, keep_mtime: bool = False) -> Saved | Conflict:
        """Saves like :func:`brvtui.tree.saving.note_files.save`, and adds the change to the journal.

        Raises :class:`brvtui.tree.saving.note_files.SaveError`.
        """
        self.check_kind(path)
        with self._changing:
            before = read_content(self._tree, path) if expected and is_taken(self._tree, path) else None
            after = FileContent(data, before.mtime_ns if before and keep_mtime else None)
            plan = Plan(f"{'edit' if expected else 'new note'} {path}", (Write(path, before, after),))
            done: Saved | Conflict | Unconfirmed
            try:
                done = note_files.save(self._tree, path, data, expected, keep_mtime=keep_mtime)
            except Unconfirmed as error:  # the text was saved all the same
                done = error
            if isinstance(done, Conflict):
                return done
            self.journal.add(plan)
        self._publish(plan)
        if isinstance(done, Unconfirmed):
            raise done
        return done

    def check_kind(self, path: str) -> None:
        """Raises :class:`brvtui.tree.saving.note_files.SaveError` if the note's name has the wrong extension.

        A note in a context tree must not have a topic's extension, and a topic's extension must be in lower case.
        """
        is_html = self._opened.snapshot.kind.is_html
        if is_html and path.lower().endswith(TOPIC_ENDING) and not path.endswith(TOPIC_ENDING):
            raise note_files.SaveError(
                f"{path}: the extension must be {TOPIC_ENDING}, in lower case; rename the file in a shell"
            )
        if not is_html and path.endswith(TOPIC_ENDING):
            raise note_files.SaveError(f"{path}: a note's name must end in .md; HTML topics belong to a space")

    def _refuse_topics(self) -> None:
        if why := self._opened.snapshot.kind.not_moved:
            raise NoteError(why)

    def undo(self) -> AppliedPlan:
        """Undoes the newest plan.

        Raises :class:`NoteError`, including when a file has changed since the plan was applied.
        """
        return self._apply_from_journal(self.journal.undo)

    def redo(self) -> AppliedPlan:
        """Applies the last undone plan again.

        Raises :class:`NoteError`, including when a file has changed since then.
        """
        return self._apply_from_journal(self.journal.redo)

    def _apply_from_journal(self, turn: Callable[[ApplyPlan], tuple[Plan, tuple[str, ...]]]) -> AppliedPlan:
        with self._changing:
            plan, notices = turn(partial(apply, self._target()))
            left = self._move_judgments(plan)
        self._publish(plan)
        return AppliedPlan(plan.title, plan.steps, (*notices, *left))

    def _move_judgments(self, plan: Plan) -> tuple[str, ...]:
        """Changes the paths in judged queries after ``plan`` has moved or replaced notes. Returns a notice if that
        fails.
        """
        changes = dict(plan.judgments)
        if not changes and not any(isinstance(step, Move | MoveFolder) for step in plan.steps):
            return ()

        def after(judgments: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
            return after_moves(tuple(changes.get(each, each) for each in judgments), path_now)

        path_now = partial(path_after, steps=plan.steps)
        file = JudgmentsFile.of(self._opened.snapshot.project)
        try:
            judgments = file.read()
            if after(judgments) != judgments:  # otherwise, change() creates a folder
                file.change(after)
        except JudgmentsError as error:
            return (f"judged queries still use its old path: {error}",)
        return ()

    def _publish(self, plan: Plan) -> None:
        """Publishes a snapshot that includes the changes of ``plan``."""
        self._opened.refresh([self._tree / path for path in plan.paths])

    def _target(self) -> PlanTarget:
        return PlanTarget(self._tree, self._overlay, defaults(self._opened.profile.signals))

    def _given(self, path: str) -> NoteSignals | None:
        snapshot = self._opened.snapshot
        position = snapshot.by_path.get(path)
        signals = None if position is None else snapshot.signals[position]
        return signals if signals and signals.source is Source.FILE else None

    def _signals(self) -> Callable[[str], SignalSources]:
        base = defaults(self._opened.profile.signals)
        recorded = self._overlay.read(base)
        reads = self._opened.profile.signals.frontmatter
        return lambda path: SignalSources(
            read_signals_of(self._sidecar, path, base), recorded.get(path), self._given(path), reads
        )
