"""Reads the engine's runtime signals: one JSON file per note, in the engine's data folder for a project."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui.disk.walking import walk
from brvtui.tree.reading.json_file import read_json, read_json_or_none
from brvtui.tree.reading.signals import NoteSignals, Source, from_mapping

# The folders with the engine's runtime data about projects (``docs/reference/byterover.md``, "Signals").


_LONGEST_NAME = 200
_KEPT_OF_LONG_NAME = 185
_HASH_DIGITS = 12
_FORBIDDEN = re.compile('["*:<>?|]')


def data_folder(environment: dict[str, str] | None = None) -> Path:
    """The engine's data folder for the current user."""
    env = dict(os.environ) if environment is None else environment
    if env.get("BRV_DATA_DIR"):
        return Path(env["BRV_DATA_DIR"])
    if env.get("XDG_DATA_HOME"):
        return Path(env["XDG_DATA_HOME"]) / "brv"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "brv"
    if sys.platform == "win32" and env.get("LOCALAPPDATA"):
        return Path(env["LOCALAPPDATA"]) / "brv"
    return Path.home() / ".local" / "share" / "brv"


def project_folder_name(project: Path) -> str:
    """The name of a project's data folder: the components of its real path, escaped and joined."""
    parts = [part for part in project.resolve().as_posix().split("/") if part]
    joined = "--".join(_escape(part) for part in parts)
    if len(joined) <= _LONGEST_NAME:
        return joined
    digest = hashlib.sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()[:_HASH_DIGITS]
    return f"{joined[:_KEPT_OF_LONG_NAME]}---{digest}"


def project_data(project: Path) -> Path:
    """The engine's data folder for ``project``, which may not exist."""
    return data_folder() / "projects" / project_folder_name(project)


def _escape(part: str) -> str:
    escaped = part.replace("%", "%25").replace("--", "%2D%2D")
    return _FORBIDDEN.sub(lambda found: f"%{ord(found.group()):02X}", escaped)


_SUFFIX = ".json"
_LARGEST = 65_536


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The signals that the engine stores, keyed by note path.

    A note whose file contains invalid values has the default signals. ``broken`` are the notes whose file is not JSON.
    The engine reads the signals for a query in one batch, which fails as a whole if it includes a broken note.
    """

    signals: dict[str, NoteSignals]
    broken: frozenset[str]


def signals_folder(project_data: Path) -> Path:
    """Returns the folder of the signals, given the engine's data folder for a project."""
    return project_data / "keystore" / "signals"


def read_signals_of(folder: Path, note: str, base: NoteSignals) -> NoteSignals | None:
    """The engine's signals of ``note``, stored below ``folder``; None if there are none, or if they are invalid."""
    return _signals_in(read_json_or_none(folder / f"{note}{_SUFFIX}", _LARGEST), base)


def _signals_in(value: Any, base: NoteSignals) -> NoteSignals | None:
    return from_mapping(value.get("value") if isinstance(value, dict) else None, Source.SIDECAR, base, partial=True)


def read_sidecar(folder: Path, base: NoteSignals) -> Sidecar:
    """All signals below ``folder``; empty if the folder does not exist."""
    found: dict[str, NoteSignals] = {}
    broken: set[str] = set()
    for entry, path in walk(folder):
        if path.endswith(_SUFFIX):
            _read(Path(entry.path), folder, base, found, broken)
    return Sidecar(found, frozenset(broken))


def reread(known: Sidecar, folder: Path, base: NoteSignals, places: Iterable[str]) -> Sidecar:
    """Updates ``known`` for changes at ``places``, which are absolute paths below ``folder``, and returns the result.

    Returns ``known`` itself if no signals changed. Reads everything again if a whole folder was added or removed.
    """
    files = [Path(place) for place in places if place.endswith(_SUFFIX)]
    others = [Path(place) for place in places if not place.endswith((_SUFFIX, os.sep))]
    if any(place.is_dir() or _was_folder(place, folder, known) for place in others):
        return read_sidecar(folder, base)
    if not files:
        return known
    found, broken = dict(known.signals), set(known.broken)
    for place in files:
        note = _note_of(place, folder)
        found.pop(note, None)
        broken.discard(note)
        if place.exists():
            _read(place, folder, base, found, broken)
    return Sidecar(found, frozenset(broken))


def _was_folder(place: Path, folder: Path, known: Sidecar) -> bool:
    inside = f"{os.path.relpath(place, folder).replace(os.sep, '/')}/"
    return any(note.startswith(inside) for note in (*known.signals, *known.broken))


def _note_of(place: Path, folder: Path) -> str:
    return os.path.relpath(place, folder).replace(os.sep, "/").removesuffix(_SUFFIX)


def _read(path: Path, folder: Path, base: NoteSignals, found: dict[str, NoteSignals], broken: set[str]) -> None:
    note = _note_of(path, folder)
    try:
        value = read_json(path, _LARGEST)
    except (OSError, ValueError):
        broken.add(note)
        return
    found[note] = _signals_in(value, base) or base
