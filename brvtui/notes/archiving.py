"""Plans that archive and restore notes in the engine's own format (``docs/editing.md``, "Archiving and restoring").

The order of the steps keeps the full text on disk at any moment: a note is removed after both of its files in the
archive are written, and these are removed after the note is written. After a crash, the note can be archived or
restored again.
"""

from __future__ import annotations

from pathlib import Path

from brvtui.engines.byterover.profile import Profile
from brvtui.notes.applying import is_taken, read_content
from brvtui.notes.plan import FileContent, NoteError, Plan, Record, Recorded, Step, Write
from brvtui.notes.signals import SignalSources
from brvtui.tree.editing.archive import StubError, archived_as, read_stub, stub_of, stub_text
from brvtui.tree.reading.files import ARCHIVE, Role, role_of
from brvtui.tree.reading.inside import PathError, parts_of
from brvtui.tree.saving.note_files import SaveError


def plan_archive(tree: Path, path: str, signals: SignalSources, now_ms: float, profile: Profile) -> Plan:
    """A plan that archives the note at ``path``. Raises :class:`NoteError`."""
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
        message = f"its byte {error.start} is not UTF-8, which the engine's archive would replace; fix it first"
        raise NoteError(f"{path}: {message}") from error
    # A crash can leave the same text in both places.
    if (full or stub) and not (full and full.data == note.data):
        taken = names.stub if stub else names.full
        raise NoteError(f"{path}: an older note of this name is archived as {taken}; restore or move that one first")
    importance = signals.sidecar.importance if signals.sidecar else profile.signals.importance
    made = stub_text(path, text, importance, now_ms, profile.archive).encode("utf-8")
    steps: list[Step] = []
    if not full:
        steps.append(Write(names.full, None, FileContent(note.data, None, note.mode)))
    steps += [Write(names.stub, stub, FileContent(made, None, note.mode)), Write(path, note, None)]
    if signals.overlay:
        steps.append(Record((Recorded(path, signals.overlay, None),)))
    return Plan(f"archive {path}", tuple(steps), notices=_archive_notices(path, signals, importance))


def plan_restore(tree: Path, path: str, signals: SignalSources) -> Plan:
    """A plan that restores the note whose stub is at ``path``; ``signals`` are those of the note's own path.

    Raises :class:`NoteError`.
    """
    original = original_of(tree, path)
    try:
        stub = read_content(tree, path)
        full_path = read_stub(_text(stub)).points_to
        full = read_content(tree, full_path)
        there = _content_or_none(tree, original)
    except SaveError as error:
        raise NoteError(str(error)) from error
    # A crash can leave the same text in both places.
    if there and there.data != full.data:
        raise NoteError(f"{path}: {original} exists again, with another text; move or archive that one first")
    steps: list[Step] = [] if there else [Write(original, None, FileContent(full.data, None, full.mode))]
    steps += [Write(path, stub, None), Write(full_path, full, None)]
    return Plan(f"restore {original}", tuple(steps), notices=_restore_notices(original, signals))


def original_of(tree: Path, path: str) -> str:
    """The path of the note whose stub is at ``path``. Raises :class:`NoteError` for a stub that cannot be restored."""
    if role_of(path) is not Role.STUB:
        raise NoteError(f"{path}: no stub; only {ARCHIVE}/….stub.md is restored")
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
    """Raises :class:`NoteError` if what ``path`` names is never archived, or is archived already."""
    if role_of(path) is Role.ARCHIVED:
        raise NoteError(f"{path}: is archived already; its stub {stub_of(path)} restores it")
    if path.startswith(f"{ARCHIVE}/") or role_of(path) not in (Role.NOTE, Role.CONTEXT):
        raise NoteError(f"{path}: only notes are archived, and this is not one")
    if "\\" in path:
        raise NoteError(f"{path}: the engine cannot restore a note with \\ in its name; rename it first")


def _content_or_none(tree: Path, path: str) -> FileContent | None:
    return read_content(tree, path) if is_taken(tree, path) else None


def _archive_notices(path: str, signals: SignalSources, importance: float) -> tuple[str, ...]:
    """A notice about stored signals, which the engine's own archiving would drop, or about those it does not have."""
    if signals.sidecar is None:
        reads_others = signals.reads_frontmatter or signals.overlay is not None or signals.given is not None
        default = f"{path}: the stub holds the importance {importance:g} that a new note has, as brv stores none of it"
        return (default,) if reads_others else ()
    return (f"{path}: ByteRover's own store keeps its signals, which brv would drop",)


def _restore_notices(path: str, signals: SignalSources) -> tuple[str, ...]:
    """A notice about stored signals, where the engine's own restoring would begin with the defaults."""
    stored = signals.sidecar
    if stored is None:
        return ()
    was = f"importance {stored.importance:g}, {stored.maturity}"
    return (f"{path}: begins with what ByteRover's own store still holds ({was}), where brv would start over",)
