"""Stores the app's state for one project: past queries, pane layouts, and the choice between two memories."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.store.folders import data_folder, tree_folder
from brvtui.store.state_file import read_state_or_none, write_state

# Stores which versions of engines were verified on this machine, in the tool's data folder.


@dataclass(frozen=True, slots=True)
class VerifiedVersion:
    """The last verification of one engine version. ``same`` of its ``queries`` gave the same answer."""

    engine: str
    """The engine's name and version, such as ``byterover-cli 3.14.0``."""
    at_ms: float
    """The time of the verification, in milliseconds since 1970."""
    queries: int
    same: int
    over: str
    """The project for which the queries ran."""


def verified_versions() -> list[VerifiedVersion]:
    """Returns all verified versions, latest first. Raises no errors."""
    value = read_state_or_none(data_folder() / _FILE)
    items = value if isinstance(value, list) else []
    return sorted(filter(None, map(_read, items)), key=lambda one: -one.at_ms)


def remember_verified(made: VerifiedVersion) -> None:
    """Stores the verification ``made``, and drops earlier ones of the same version.

    Raises OSError if the folder is not writable.
    """
    folder = data_folder()
    writing.make_folder(folder)
    with locked(folder):
        others = [one for one in verified_versions() if one.engine != made.engine]
        write_state(folder / _FILE, [asdict(one) for one in (made, *others)][:_MOST])


_FILE, _MOST = "verified.json", 100
_TEXTS, _NUMBERS = ("engine", "over"), ("at_ms", "queries", "same")


def _read(item: Any) -> VerifiedVersion | None:
    """Returns the verified version that the JSON value ``item`` describes; None if it does not describe one."""
    if not isinstance(item, dict):
        return None
    is_whole = all(isinstance(item.get(name), str) for name in _TEXTS) and all(
        isinstance(item.get(name), (int, float)) and not isinstance(item.get(name), bool) for name in _NUMBERS
    )
    return VerifiedVersion(*(item[name] for name in VerifiedVersion.__dataclass_fields__)) if is_whole else None


class History:
    """The distinct queries that the user ran in one context tree, stored in the tool's data folder."""

    def __init__(self, tree: Path, most: int) -> None:
        """Stores at most ``most`` queries. The file need not exist."""
        self._most = most
        self.path = tree_folder(tree) / "history.json"

    def read(self) -> list[str]:
        """Returns the queries, oldest first; empty if the file is missing or broken."""
        value = read_state_or_none(self.path)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def add(self, query: str) -> list[str]:
        """Adds ``query`` as the newest, and returns all queries. Raises OSError if the folder is not writable."""
        if not self._most:
            return []
        writing.make_folder(self.path.parent)
        with locked(self.path.parent):
            kept = [*(item for item in self.read() if item != query), query]
            queries = kept[-self._most :]
            write_state(self.path, queries)
        return queries


class LayoutStore:
    """The pane layouts that the user chose, keyed by screen title, stored as plain data in the tool's data folder."""

    def __init__(self, tree: Path) -> None:
        """Manages the layouts for ``tree``. The file that stores them need not exist."""
        self.path = tree_folder(tree) / "layout.json"

    def read(self) -> dict[str, Any]:
        """Returns the stored layouts; empty if the file is missing or broken."""
        value = read_state_or_none(self.path)
        return value if isinstance(value, dict) else {}

    def write(self, layouts: Mapping[str, Any]) -> None:
        """Replaces the stored layouts. Removes the file if there are none. Raises OSError if that fails."""
        if layouts:
            write_state(self.path, dict(layouts))
        else:
            writing.remove(self.path)


class MemoryChoice:
    """The user's choice of memory in a project that has both a context tree and a space.

    It is stored in the tool's data folder.
    """

    TREE, SPACE = "tree", "space"

    def __init__(self, tree: Path) -> None:
        """Manages the choice for the project with the context tree ``tree``. The file need not exist."""
        self.path = tree_folder(tree) / "memory.json"

    def read(self) -> str:
        """Returns ``TREE`` or ``SPACE``; empty if the user has not chosen or the file is broken."""
        value = read_state_or_none(self.path)
        return value if value in (self.TREE, self.SPACE) else ""

    def write(self, memory: str) -> None:
        """Stores the choice. Raises OSError if the folder is not writable."""
        write_state(self.path, memory)


class TranscriptsChoice:
    """The folder of agents' transcripts that the user permitted for a project, in the tool's data folder."""

    def __init__(self, tree: Path) -> None:
        """The choice for the project with this context ``tree``. The file may not exist."""
        self.path = tree_folder(tree) / "transcripts.json"

    def read(self) -> str:
        """The absolute path of the folder; empty if nothing was permitted, or a link now leads elsewhere."""
        value = read_state_or_none(self.path)
        return value if isinstance(value, str) and value.startswith("/") and os.path.realpath(value) == value else ""

    def write(self, folder: str) -> None:
        """Stores the permission. Raises OSError if the folder is not writable."""
        write_state(self.path, folder)
