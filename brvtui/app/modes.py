"""The screens of the app, in the order of their keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.app.screens.frame import FrameScreen


@dataclass(frozen=True, slots=True)
class Mode:
    """One screen: its name, the key that brings it to the front, and how it is made when it is first wanted."""

    name: str
    key: str
    title: str
    make: Callable[[], FrameScreen]
    listed: bool = True
    """Whether the status line names it while another screen is in front."""


def _query() -> FrameScreen:
    from brvtui.app.screens.query import QueryScreen

    return QueryScreen()


def _notes() -> FrameScreen:
    from brvtui.app.screens.notes import NotesScreen

    return NotesScreen()


def _maturity() -> FrameScreen:
    from brvtui.app.screens.maturity import MaturityScreen

    return MaturityScreen()


def _log() -> FrameScreen:
    from brvtui.app.screens.log import LogScreen

    return LogScreen()


def _settings() -> FrameScreen:
    from brvtui.app.screens.settings import SettingsScreen

    return SettingsScreen()


def _editor() -> FrameScreen:
    from brvtui.app.screens.editor import EditorScreen

    return EditorScreen()


SCREENS = (
    Mode("query", "1", "Query", _query),
    Mode("notes", "2", "Notes", _notes),
    Mode("maturity", "3", "Maturity", _maturity),
    Mode("log", "4", "Log", _log),
    Mode("settings", "comma", "Settings", _settings, listed=False),
)
EDITOR = Mode("edit", "", "Edit", _editor)
"""Reached by what edits a note; while one is open, the status line leads to it."""
