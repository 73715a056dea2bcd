"""Applies plans: either all steps or none.

Replaces each file atomically, and never overwrites someone else's changes.
"""

from __future__ import annotations

import posixpath
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.disk.locks import locked
from brvtui.notes.plan import ChangedMeanwhile, FileContent, Move, MoveFolder, NoteError, Plan, Record, Step, Write
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import NoteSignals
from brvtui.tree.saving import note_files
from brvtui.tree.saving.folders import is_empty_folder, move_folder, remove_empty
from brvtui.tree.saving.note_files import Conflict, Saved, SaveError, Stamp, Unconfirmed


@dataclass(frozen=True, slots=True)
class PlanTarget:
    """The place where plans are applied: a tree, its overlay, and the signals of notes without stored signals."""

    tree: Path
    overlay: Overlay
    defaults: NoteSignals


def read_content(tree: Path, path: str) -> FileContent:
    """Returns the content of the file at ``path``. Raises :class:`brvtui.tree.saving.note_files.SaveError`."""
    found = note_files.read_file_on_disk(tree, path)
    return FileContent(found.data, found.stat.st_mtime_ns, stat.S_IMODE(found.stat.st_mode))


def apply(place: PlanTarget, plan: Plan) -> tuple[str, ...]:
    """Applies the steps of ``plan`` in order, and returns notices for the user.

    If a step fails, undoes the earlier steps and raises :class:`NoteError`.
    """
    try:
        with locked(place.tree):
            return _apply(place, plan)
    except OSError as error:
        raise NoteError(faults.error_line(error, place.tree)) from error


def _apply(place: PlanTarget, plan: Plan) -> tuple[str, ...]:
    """Applies ``plan`` like :func:`apply`. The caller holds the tree's lock, so no other process of this tool saves."""
    _check(place, plan.steps)
    notices: list[str] = []
    for number, step in enumerate(plan.steps):
        try:
            notices += _apply_step(place, step)
        except Unconfirmed as unconfirmed:
            notices.append(str(unconfirmed))
        except (NoteError, SaveError, OSError) as error:
            rest = _roll_back(place, step, plan.steps[:number])
            raise NoteError(f"{faults.reason(error)}{rest}") from error
    return tuple(notices)


def _roll_back(place: PlanTarget, failed: Step, done: Iterable[Step]) -> str:
    """Undoes the steps in ``done``, which were applied before the ``failed`` step.

    Returns an empty string. If a step cannot be undone, returns a text to append to the error message.
    """
    if isinstance(failed, Write) and failed.after is None and not is_taken(place.tree, failed.path):
        # Earlier steps may have copied the missing file, as archiving does. Undoing them would remove the only copy.
        return "; the changes made before that remain"
    for step in reversed(list(done)):
        try:
            _apply_step(place, step.reverse())
        except Unconfirmed:
            continue
        except (NoteError, SaveError, OSError) as error:
            return f"; and the changes made before that could not be undone: {faults.reason(error)}"
    return ""


def _check(place: PlanTarget, steps: Iterable[Step]) -> None:
    """Raises :class:`NoteError` if a file differs from the state that a step expects, or is read-only."""
    touched: set[str] = set()
    for step in steps:
        if isinstance(step, MoveFolder):
            if is_taken(place.tree, step.target) and not is_empty_folder(place.tree, step.target):
                raise _taken_error(step.target)
            return
        if isinstance(step, Record):
            _update_records(place.overlay.read(place.defaults), step)
            continue
        try:
            if step.path not in touched:
                _check_step(place, step)
        except SaveError as error:
            if not is_taken(place.tree, step.path):
                raise ChangedMeanwhile(step.path, faults.NO_FILE, "check the tree") from error
            raise NoteError(str(error)) from error
        touched |= {step.path, step.target} if isinstance(step, Move) else {step.path}


def _check_step(place: PlanTarget, step: Write | Move) -> None:
    if isinstance(step, Move) or step.before is not None:
        note_files.check_writable(place.tree, step.path)
    if isinstance(step, Move):
        if note_files.read_note_file(place.tree, step.path)[1].sha256 != step.sha256:
            raise _changed_error(step.path)
    elif step.before is not None:
        if note_files.read_note_file(place.tree, step.path)[0] != step.before.data:
            raise _changed_error(step.path)
    elif is_taken(place.tree, step.path):
        raise _taken_error(step.path)


def is_taken(tree: Path, path: str) -> bool:
    """True if there is a file, folder or link at ``path`` below ``tree``."""
    return (tree / path).exists() or (tree / path).is_symlink()


def _apply_step(place: PlanTarget, step: Step) -> list[str]:
    if isinstance(step, Record):
        place.overlay.edit(place.defaults, lambda signals: _update_records(signals, step))
        return []
    if isinstance(step, MoveFolder):
        move_folder(place.tree, step.path, step.target)
        return []
    done = _move(place.tree, step) if isinstance(step, Move) else _write(place.tree, step)
    if isinstance(done, Conflict):
        kept = f"; the text that another program wrote is kept in {done.kept}" if done.kept else ""
        taken = isinstance(step, Write) and step.before is None
        raise NoteError(f"{_taken_error(step.path) if taken else _changed_error(step.path)}{kept}")
    if isinstance(step, Move) or step.after is None:
        remove_empty(place.tree, posixpath.dirname(step.path))
    notices = [f"{step.path}: its {lost} could not be preserved" for lost in done.lost]
    if done.kept:
        notices.append(f"{step.path}: another program has it open; whatever that program writes is kept in {done.kept}")
    return notices


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


def _update_records(signals: dict[str, NoteSignals], step: Record) -> None:
    """Applies ``step`` to ``signals``. Raises :class:`NoteError` if an entry differs from what the step expects."""
    for entry in step.entries:
        if signals.get(entry.path) != entry.before:
            what, remedy = "its recorded signals have changed", "check them and try again"
            raise ChangedMeanwhile(entry.path, what, remedy)
        if entry.after is None:
            signals.pop(entry.path, None)
        else:
            signals[entry.path] = entry.after


def _changed_error(path: str) -> NoteError:
    return ChangedMeanwhile(path, "the file has changed")


def _taken_error(path: str) -> NoteError:
    return NoteError(f"{path}: already exists; move or remove it, or choose another name")
