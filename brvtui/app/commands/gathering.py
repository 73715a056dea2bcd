"""Every action that there is, from the bindings of all screens and panes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from brvtui.app.commands.command import Act, Command
from brvtui.app.keys.naming import key_name, keys_of, split
from brvtui.app.keys.owners import Owner, holds, owners
from brvtui.app.modes import EDITOR, SCREENS, Mode
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.widgets.pane import Pane

NOT_OFFERED = (ModalScreen, Input, TextArea)
"""Answers to a question that is not asked, and keys that move in a text and change it."""


def actions(front: str, focused: type | None, editing: bool, keymap: Mapping[str, str]) -> list[Command]:
    """Every action, the nearest first: of the focused pane, of the screen in front, of the app, of every screen, of the
    other panes in front, then of the other screens; of the editor only while a note is open in it.

    Loads all screens.
    """
    modes = [mode for mode in (*SCREENS, EDITOR) if mode is not EDITOR or editing]
    modes.sort(key=lambda mode: mode.name != front)
    screens = {owner.kind: mode for owner in owners() for mode in modes if _is_screen(owner.kind, mode)}
    ranked: list[tuple[int, Command]] = []
    for owner in owners():
        if issubclass(owner.kind, NOT_OFFERED):
            continue
        for rank, command in _of(owner, screens, front, keymap):
            ranked.append((0 if owner.kind is focused else rank, command))
    return [command for _, command in sorted(ranked, key=lambda pair: pair[0])]


def _is_screen(kind: type, mode: Mode) -> bool:
    return issubclass(kind, FrameScreen) and mode.title == kind.TITLE


def _of(
    owner: Owner, screens: Mapping[type, Mode], front: str, keymap: Mapping[str, str]
) -> Iterator[tuple[int, Command]]:
    kind = owner.kind
    mode, where, rank = "", "everywhere", 2
    if kind in screens:
        mode, where = screens[kind].name, screens[kind].title
        rank = 1 if mode == front else 5
    elif kind in (FrameScreen, Pane):
        where, rank = ("every screen", 3) if kind is FrameScreen else ("every pane", 6)
    elif issubclass(kind, FrameScreen):
        return
    elif issubclass(kind, Pane):
        held = next((found for screen, found in screens.items() if holds(screen, kind)), None)
        if held is None:
            return
        mode, where = held.name, f"{held.title}, {kind.TITLE}"
        rank = 4 if mode == front else 5
    for binding in owner.bindings:
        keys = " ".join(key_name(key) for key in split(keys_of(binding, keymap)))
        yield rank, Command(binding.tooltip, where, keys, Act(binding, kind, mode))
