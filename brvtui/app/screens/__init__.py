"""The screens of the app: one module each, and one for each dialog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.screen import Screen


def _query() -> Screen[Any]:
    from brvtui.app.screens.query import QueryScreen

    return QueryScreen()


def _notes() -> Screen[Any]:
    from brvtui.app.screens.notes import NotesScreen

    return NotesScreen()


def _maturity() -> Screen[Any]:
    from brvtui.app.screens.maturity import MaturityScreen

    return MaturityScreen()


def _log() -> Screen[Any]:
    from brvtui.app.screens.log import LogScreen

    return LogScreen()


def _settings() -> Screen[Any]:
    from brvtui.app.screens.settings import SettingsScreen

    return SettingsScreen()


def _editor() -> Screen[Any]:
    from brvtui.app.screens.editor import EditorScreen

    return EditorScreen()


MAKERS: dict[str, str | Callable[[], Screen[Any]]] = {
    "query": _query,
    "notes": _notes,
    "maturity": _maturity,
    "log": _log,
    "settings": _settings,
    "edit": _editor,
}
"""By the name of its mode, what makes a screen when it is first wanted."""
