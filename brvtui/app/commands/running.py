"""Carrying out what was chosen in the command palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.dom import DOMNode

from brvtui.app.commands.command import Act, Command
from brvtui.app.keys.bindings import declared
from brvtui.app.modes import EDITOR
from brvtui.app.widgets.pane import Pane

if TYPE_CHECKING:
    from brvtui.app.app import BrvTui


async def carry_out(app: BrvTui, command: Command) -> None:
    """Shows the note of ``command``, or does its action where it acts: its screen comes to the front, its pane is
    focused. Says so when the action cannot be done now."""
    if command.note:
        await app.switch_mode("notes")
        app.browsing.go_to(command.note)
    elif command.act is not None and not await _act(app, command.act):
        app.notify(f"not possible now: {command.title}", severity="warning", timeout=4)


async def _act(app: BrvTui, act: Act) -> bool:
    if act.mode and act.mode != app.current_mode:
        if act.mode == EDITOR.name and app.view.edit is None:
            return False
        await app.switch_mode(act.mode)
    target = _target(app, act)
    if target is None:
        return False
    with app.commanded():
        return await app.run_action(act.action.call, default_namespace=target)


def _target(app: BrvTui, act: Act) -> DOMNode | None:
    """What acts: the app, the screen in front, or a pane of it, which is shown and focused."""

    def has_it(node: DOMNode) -> bool:
        return any(binding.id == act.action.name for binding in declared(type(node)))

    frame = app.frame
    if frame is None or has_it(app):
        return app
    if has_it(frame):
        return frame
    panes = [pane for pane in frame.query(Pane).results(Pane) if has_it(pane)]
    at = frame.pane if frame.pane in panes else next((pane for pane in panes if pane.display), next(iter(panes), None))
    if at is not None and at is not frame.pane and at.id:
        frame.action_pane(at.id)
    return at
