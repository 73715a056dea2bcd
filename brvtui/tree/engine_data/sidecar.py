"""The engine's runtime signals: one JSON file a note, below its project folder. Read only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from brvtui.tree.json_file import read_json
from brvtui.tree.signals import NoteSignals, Source, from_mapping

_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class Sidecar:
    """Signals by note path; notes whose file holds invalid values have the defaults.

    ``broken`` are notes whose file is no JSON at all: the engine reads all signals that it needs in one batch, so none
    count when one of these is among them.
    """

    signals: dict[str, NoteSignals]
    broken: frozenset[str]


def signals_folder(project_data: Path) -> Path:
    """Where the sidecar of a project lies, given the engine's folder for it."""
    return project_data / "keystore" / "signals"


def read_sidecar(folder: Path, base: NoteSignals) -> Sidecar:
    """Every set of signals below ``folder``; empty when there is no such folder."""
    found: dict[str, NoteSignals] = {}
    broken: set[str] = set()
    for holder, _, names in os.walk(folder):
        above = os.path.relpath(holder, folder).replace(os.sep, "/")
        for name in names:
            if not name.endswith(_SUFFIX):
                continue
            note = name.removesuffix(_SUFFIX) if above == "." else f"{above}/{name.removesuffix(_SUFFIX)}"
            path = Path(holder) / name
            try:
                value = read_json(path)
            except (OSError, ValueError):
                broken.add(note)
                continue
            inner = value.get("value") if isinstance(value, dict) else None
            found[note] = from_mapping(inner, Source.SIDECAR, base, partial=True) or base
    return Sidecar(found, frozenset(broken))
