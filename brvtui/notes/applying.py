"""Applying plans: each file whole or not at all, nothing over a change by anybody else, all steps or none."""

from __future__ import annotations

import posixpath
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.notes.plan import FileContent, Move, MoveFolder, NoteError, Plan, Record, Step, Write
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import NoteSignals
from brvtui.tree.saving import note_files
from brvtui.tree.saving.folders import is_empty_folder, move_folder, remove_empty
from brvtui.tree.saving.note_files import Conflict, Saved, SaveError, Stamp, Unconfirmed

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class PlanTarget:
    """Where plans are applied: a tree, and the tool's overlay of it with the signals of a note that has none."""

    tree: Path
    overlay: Overlay
    defaults: NoteSignals


def held(tree: Path, path: str) -> FileContent:
    """What the file at ``path`` holds now. Raises :class:`brvtui.tree.saving.note_files.SaveError`."""
    found = note_files.read_file_on_disk(tree, path)
    return FileContent(found.data, found.stat.st_mtime_ns, stat.S_IMODE(found.stat.st_mode))


def apply(place: PlanTarget, plan: Plan, progress: Progress | None = None) -> tuple[str, ...]:
    """Takes the steps of ``plan``; what the user should know of how they went.

    When a step cannot be taken, those before it are undone. ``progress`` is called with steps taken and steps in all.
    Raises :class:`NoteError`.
    """
    _check(place, plan.steps)
    said: list[str] = []
    for number, step in enumerate(plan.steps):
        if progress:
            progress(number, len(plan.steps))
        try:
            said += _take(place, step)
        except Unconfirmed as unconfirmed:
            said.append(str(unconfirmed))
        except (NoteError, SaveError, OSError) as error:
            rest = _taken_back(place, step, plan.steps[:number])
            raise NoteError(f"{_line(error)}{rest}") from error
    return tuple(said)


def _taken_back(place: PlanTarget, failed: Step, done: Iterable[Step]) -> str:
    """Undoes what was ``done`` before a step ``failed``; where that cannot be, what is left, as a message's end."""
    if isinstance(failed, Write) and failed.after is None and not is_taken(place.tree, failed.path):
        # What was done before may be a copy of what is gone, as in the archive.
        return "; what was done before that stays"
    for step in reversed(list(done)):
        try:
            _take(place, step.reverse())
        except Unconfirmed:
            continue
        except (NoteError, SaveError, OSError) as error:
            return f"; and what was done already cannot be undone: {_line(error)}"
    return ""


def _line(error: Exception) -> str:
    return faults.reason(error)


def _check(place: PlanTarget, steps: Iterable[Step]) -> None:
    """Raises :class:`NoteError` when a step meets another state than planned, as far as that is to be seen now."""
    touched: set[str] = set()
    for step in steps:
        if isinstance(step, MoveFolder):
            if is_taken(place.tree, step.target) and not is_empty_folder(place.tree, step.target):
                raise _taken(step.target)
            return
        if isinstance(step, Record):
            _changed_record(place.overlay.read(place.defaults), step)
            continue
        try:
            if step.path not in touched:
                _check_step(place, step)
        except SaveError as error:
            raise NoteError(str(error)) from error
        touched |= {step.path, step.target} if isinstance(step, Move) else {step.path}


def _check_step(place: PlanTarget, step: Write | Move) -> None:
    if isinstance(step, Move):
        if note_files.read_note_file(place.tree, step.path)[1].sha256 != step.sha256:
            raise _changed(step.path)
    elif step.before is not None:
        if note_files.read_note_file(place.tree, step.path)[0] != step.before.data:
            raise _changed(step.path)
    elif is_taken(place.tree, step.path):
        raise _taken(step.path)


def is_taken(tree: Path, path: str) -> bool:
    """Whether anything lies at ``path`` below ``tree``."""
    return (tree / path).exists() or (tree / path).is_symlink()


def _take(place: PlanTarget, step: Step) -> list[str]:
    if isinstance(step, Record):
        place.overlay.edit(place.defaults, lambda signals: _changed_record(signals, step))
        return []
    if isinstance(step, MoveFolder):
        move_folder(place.tree, step.path, step.target)
        return []
    done = _move(place.tree, step) if isinstance(step, Move) else _write(place.tree, step)
    if isinstance(done, Conflict):
        kept = f"; a text of another program is kept in {done.kept}" if done.kept else ""
        taken = isinstance(step, Write) and step.before is None
        raise NoteError(f"{_taken(step.path) if taken else _changed(step.path)}{kept}")
    if isinstance(step, Move) or step.after is None:
        remove_empty(place.tree, posixpath.dirname(step.path))
    said = [f"{step.path}: its {lost} could not be carried over" for lost in done.lost]
    if done.kept:
        said.append(f"{step.path}: another program has it open; what that writes is kept in {done.kept}")
    return said


def _write(tree: Path, step: Write) -> Saved | Conflict:
    if step.before is None:
        assert step.after is not None
        stamp = Stamp(step.after.mtime_ns, step.after.mode)
        return note_files.save(tree, step.path, step.after.data, None, stamp=stamp)
    data, version = note_files.read_note_file(tree, step.path)
    if data != step.before.data:
        return Conflict(data, version)
    if step.after is None:
        return note_files.remove(tree, step.path, version)
    return note_files.save(tree, step.path, step.after.data, version, stamp=Stamp(step.after.mtime_ns))


def _move(tree: Path, step: Move) -> Saved | Conflict:
    data, version = note_files.read_note_file(tree, step.path)
    if version.sha256 != step.sha256:
        return Conflict(data, version)
    return note_files.move(tree, step.path, step.target, version)


def _changed_record(signals: dict[str, NoteSignals], step: Record) -> None:
    """Makes the changes of ``step`` in ``signals``."""
    for entry in step.entries:
        if signals.get(entry.path) != entry.before:
            said = "its recorded signals changed meanwhile; look at them and try again"
            raise NoteError(f"{entry.path}: {said}")
        if entry.after is None:
            signals.pop(entry.path, None)
        else:
            signals[entry.path] = entry.after


def _changed(path: str) -> NoteError:
    return NoteError(f"{path}: changed meanwhile; look at it and try again")


def _taken(path: str) -> NoteError:
    return NoteError(f"{path}: there is such a file already; move or remove it, or choose another name")
