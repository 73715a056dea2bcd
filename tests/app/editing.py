"""Helpers that drive the editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.screens.dialog import Dialog
from brvtui.store.drafts import DraftStore
from tests.app.driving import ask, settled, until
from tests.app.looking import AppPilot, brv, frame, view
from tests.support.trees import Tree

NOTE = "deploy/rollback.md"
FEW_LINES = "# Rollback\n\none\ntwo\nthree\nfour\nfive\n"


def editor(pilot: AppPilot) -> EditorScreen:
    """The editor, which must be in front."""
    found = frame(pilot)
    assert isinstance(found, EditorScreen)
    return found


def area(pilot: AppPilot) -> NoteEditor:
    """The text area of the editor."""
    return editor(pilot).area


async def open_note(pilot: AppPilot, path: str = NOTE) -> None:
    """Opens a note in the editor from the Query screen, by keys."""
    await ask(pilot, "rollback")
    brv(pilot).selection.select(path)
    await pilot.press("escape", "e")
    await in_editor(pilot)


async def type_in_note(pilot: AppPilot, text: str) -> None:
    """Opens the note in the editor, and types."""
    await open_note(pilot)
    await type_keys(pilot, text)


async def in_editor(pilot: AppPilot) -> None:
    """Waits until a note is open in the editor and its text has been checked."""
    await until(pilot, lambda: isinstance(frame(pilot), EditorScreen) and view(pilot).editor.edit)
    await looked(pilot)


async def looked(pilot: AppPilot) -> None:
    """Waits until the current text has been checked and, if necessary, saved as a draft."""
    screen = editor(pilot)

    def idle() -> bool:
        timers = (screen._checks._timer, screen._draft._timer)
        is_busy = screen._checks._newest.is_busy or screen.is_drafting or screen._saver.is_saving
        return not any(timers) and not is_busy

    await until(pilot, idle)
    await settled(pilot)


async def type_keys(pilot: AppPilot, text: str) -> None:
    """Types ``text`` into the focused widget."""
    names = {" ": "space", "/": "slash", ".": "full_stop", "-": "minus", "_": "underscore", ":": "colon", "\n": "enter"}
    await pilot.press(*(names.get(char, char) for char in text))


def dialog(pilot: AppPilot) -> Dialog[Any]:
    """The dialog in front."""
    found = pilot.app.screen
    assert isinstance(found, Dialog)
    return found


def drafted(root: Path, path: str = NOTE) -> bytes | None:
    """The text in the draft of a note."""
    draft = DraftStore(root / ".brv" / "context-tree").read(path)
    return draft.data if draft else None


def on_disk(garden: Tree, path: str = NOTE) -> str:
    """The text of a note's file."""
    return (garden.tree / path).read_text()


def by_somebody(garden: Tree, text: str) -> None:
    """Writes to the note like another program."""
    garden.file(NOTE, text, 0)
