"""Stores a note's signals where the user chooses: in its frontmatter, or in the tool's own overlay.

The engine's sidecar is never written (``docs/explanation/safe-saving.md``, "Signals").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import numpy as np

from brvtui.notes.applying import read_content
from brvtui.notes.plan import FileContent, NoteError, Plan, Record, Recorded, Write
from brvtui.ranking.constants import SignalRules
from brvtui.ranking.maturity import LEVELS, after_access, demoted_below, levels_of, promoted_from
from brvtui.tree.editing.fields import FieldsError, set_fields
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.reading.signals import NoteSignals, Source, from_mapping
from brvtui.tree.saving.note_files import SaveError


class SignalTarget(StrEnum):
    """The places where signals can be stored."""

    FRONTMATTER = "frontmatter"
    OVERLAY = "brv-tui only"


@dataclass(frozen=True, slots=True)
class SignalSources:
    """The signals of one note in each place where they can be stored; None for a place that has none."""

    sidecar: NoteSignals | None = None
    """The signals in the engine's own store."""
    overlay: NoteSignals | None = None
    """The signals in the tool's own overlay, which has precedence over the sidecar."""
    given: NoteSignals | None = None
    """The signals in the project's signals file, which has precedence over the other places."""
    reads_frontmatter: bool = False
    """True if signals are read from the note's frontmatter when no other place contains any."""


def plan_signals(
    tree: Path,
    path: str,
    signals: NoteSignals,
    where: SignalTarget,
    known: SignalSources,
    rules: SignalRules,
    keep_mtime: bool = True,
) -> Plan:
    """Returns a plan that stores ``signals`` for the note at ``path``. Other lines of its frontmatter are unchanged.

    With ``keep_mtime``, the file keeps its modification time. Otherwise, the note becomes recent. If the next access
    hit will change the note's maturity according to ``rules``, the plan contains a notice. Raises :class:`NoteError`,
    including for invalid signals.
    """
    _check(path, signals)
    notices = (*_next_hit(signals, rules), *_notices(path, where, known))
    if where is SignalTarget.OVERLAY:
        entry = Recorded(path, known.overlay, replace(signals, source=Source.OVERLAY))
        return Plan(f"signals of {path}", (Record((entry,)),), notices=notices)
    try:
        before = read_content(tree, path)
        text = note_text(before.data)
        data = text.encode(set_fields(text.text, signals.to_mapping()))
    except SaveError as error:
        raise NoteError(str(error)) from error
    except (NotText, FieldsError) as error:
        raise NoteError(f"{path}: {error}") from error
    after = FileContent(data, before.mtime_ns if keep_mtime else None, before.mode)
    return Plan(f"signals of {path}", (Write(path, before, after),), notices=notices)


def _check(path: str, signals: NoteSignals) -> None:
    if from_mapping(signals.to_mapping(), signals.source, signals, partial=False) is None:
        message = "importance must be 0..100, recency 0..1, counts whole numbers, and maturity draft, validated or core"
        raise NoteError(f"{path}: these signals are not valid: {message}")


def _next_hit(signals: NoteSignals, rules: SignalRules) -> tuple[str, ...]:
    """Returns a notice if the next access hit will change the note's maturity because of its importance."""
    now = LEVELS.index(signals.maturity)
    _, (then,) = after_access(np.asarray([signals.importance]), levels_of([signals.maturity]), rules)
    if then == now:
        return ()
    why = f"keeps its maturity at an importance of {demoted_below(rules)[now]:g} or more"
    if then > now:
        why = f"is promoted at an importance of {promoted_from(rules)[now]:g} or more"
    return (f"the next access hit makes it {LEVELS[then]}: a {signals.maturity} note {why}",)


def _notices(path: str, where: SignalTarget, known: SignalSources) -> tuple[str, ...]:
    notices = [f"{path}: {_readers(where, known)}"]
    winner = _overriding(where, known)
    if winner:
        notices.append(f"{path}: {winner} also has signals for it, and they take precedence")
    return tuple(notices)


def _readers(where: SignalTarget, known: SignalSources) -> str:
    """Returns a notice that names the programs which read signals from the place ``where``."""
    if where is SignalTarget.OVERLAY:
        return "only brv-tui reads these signals; ByteRover's own store is not changed"
    if known.reads_frontmatter:
        return "ByteRover 3.14 does not read signals from frontmatter; brv-tui does, because signals.frontmatter is on"
    return "ByteRover 3.14 does not read signals from frontmatter, and brv-tui does only if signals.frontmatter is on"


def _overriding(where: SignalTarget, known: SignalSources) -> str:
    """Returns the place whose signals have precedence over ``where``; empty if there is none."""
    if known.given:
        return "the signals file"
    if where is SignalTarget.OVERLAY:
        return ""
    return "brv-tui's own data" if known.overlay else "ByteRover's own store" if known.sidecar else ""
