"""Changing a note's stored signals, where the user chose: its frontmatter, or the tool's own overlay.

The engine's sidecar is never written (``docs/editing.md``, "Signals").
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from brvtui.notes.applying import held
from brvtui.notes.known import SignalSources
from brvtui.notes.plan import FileContent, NoteError, Plan, Record, Recorded, Write
from brvtui.tree.editing.fields import FieldsError, set_fields
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.reading.signals import NoteSignals, Source, from_mapping
from brvtui.tree.saving.note_files import SaveError


class Where(StrEnum):
    """Where signals are written."""

    FRONTMATTER = "frontmatter"
    OVERLAY = "overlay"


def plan_signals(
    tree: Path, path: str, signals: NoteSignals, where: Where, known: SignalSources, keep_mtime: bool = True
) -> Plan:
    """Storing ``signals`` of the note at ``path``; a frontmatter's other lines stay as they are.

    With ``keep_mtime`` the file keeps its modification time, without it the note becomes young. Raises
    :class:`NoteError`, also for values that are none of signals.
    """
    _check(path, signals)
    if where is Where.OVERLAY:
        entry = Recorded(path, known.overlay, replace(signals, source=Source.OVERLAY))
        return Plan(f"signals of {path}", (Record((entry,)),), notices=_notices(path, where, known))
    try:
        before = held(tree, path)
        text = note_text(before.data)
        data = text.encode(set_fields(text.text, _values(signals)))
    except SaveError as error:
        raise NoteError(str(error)) from error
    except (NotText, FieldsError) as error:
        raise NoteError(f"{path}: {error}") from error
    after = FileContent(data, before.mtime_ns if keep_mtime else None, before.mode)
    return Plan(f"signals of {path}", (Write(path, before, after),), notices=_notices(path, where, known))


def plan_forget(path: str, known: SignalSources) -> Plan:
    """Dropping what the overlay holds of the note at ``path``. Raises :class:`NoteError` when it holds nothing."""
    if known.overlay is None:
        raise NoteError(f"{path}: the tool recorded no signals of it")
    return Plan(f"recorded signals of {path} dropped", (Record((Recorded(path, known.overlay, None),)),))


def _values(signals: NoteSignals) -> dict[str, str | float]:
    return {
        "importance": signals.importance,
        "recency": signals.recency,
        "maturity": signals.maturity,
        "accessCount": signals.access_count,
        "updateCount": signals.update_count,
    }


def _check(path: str, signals: NoteSignals) -> None:
    if from_mapping(_values(signals), signals.source, signals, partial=False) is None:
        said = "importance lies in 0..100, recency in 0..1, counts are whole, maturity is draft, validated or core"
        raise NoteError(f"{path}: these are no signals: {said}")


def _notices(path: str, where: Where, known: SignalSources) -> tuple[str, ...]:
    said = [f"{path}: {_readers(where, known)}"]
    winner = _winner(where, known)
    if winner:
        said.append(f"{path}: {winner} has signals of it too, and these win")
    return tuple(said)


def _readers(where: Where, known: SignalSources) -> str:
    """Who reads what is stored there."""
    if where is Where.OVERLAY:
        return "only this tool reads its overlay; ByteRover's own store is not written"
    if known.reads_frontmatter:
        return "ByteRover 3.14 does not read signals from frontmatter; this tool does, by signals.frontmatter"
    return "neither ByteRover 3.14 nor this tool reads signals from frontmatter, unless signals.frontmatter is on"


def _winner(where: Where, known: SignalSources) -> str:
    if known.given:
        return "the signals file"
    if where is Where.OVERLAY:
        return ""
    return "this tool's overlay" if known.overlay else "ByteRover's own store" if known.sidecar else ""
