"""The engine's runtime signals: one JSON file a note, below its project folder. Read only."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from brvtui.tree.signals import NoteSignals, Source, from_mapping

_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Signals by note path, and how many files of the sidecar were not valid (those notes have defaults)."""

    signals: dict[str, NoteSignals]
    invalid: int


def signals_folder(project_data: Path) -> Path:
    """Where the sidecar of a project lies, given the engine's folder for it."""
    return project_data / "keystore" / "signals"


def read_sidecar(folder: Path, base: NoteSignals) -> Sidecar:
    """Every valid set of signals below ``folder``; empty when there is no such folder."""
    found: dict[str, NoteSignals] = {}
    invalid = 0
    for holder, _, names in os.walk(folder):
        above = os.path.relpath(holder, folder).replace(os.sep, "/")
        for name in names:
            if not name.endswith(_SUFFIX):
                continue
            note = name.removesuffix(_SUFFIX) if above == "." else f"{above}/{name.removesuffix(_SUFFIX)}"
            signals = _read(Path(holder) / name, base)
            if signals is None:
                invalid += 1
                found[note] = base
            else:
                found[note] = signals
    return Sidecar(found, invalid)


def _read(path: Path, base: NoteSignals) -> NoteSignals | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        return None
    return from_mapping(value.get("value"), Source.SIDECAR, base, partial=True) if isinstance(value, dict) else None
