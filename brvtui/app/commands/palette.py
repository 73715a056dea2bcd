"""Shows the command palette, and carries out the command that is chosen there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from brvtui.app.actions.action import Action
from brvtui.app.commands.command import Act, Command
from brvtui.app.commands.dialog import CommandsDialog
from brvtui.app.modes import EDITOR
from brvtui.app.services import AppServices

Perform = Callable[[Action], Awaitable[bool]]
"""Does an action where it acts in front; returns whether that could be done."""


def show_palette(
    services: AppServices, near: Collection[str], perform: Perform, show_note: Callable[[str], None]
) -> None:
    """Shows the palette, with the actions named in ``near`` first.

    ``show_note`` shows the note at a path on the Notes screen, once that is in front.
    """

    async def carry_out(command: Command | None) -> None:
        if command is None:
            return
        if command.note:
            await services.switch_mode("notes")
            show_note(command.note)
        elif command.act is not None and not await _act(services, perform, command.act):
            services.notify(f"not possible now: {command.title}", severity="warning", timeout=4)

    services.push_screen(CommandsDialog(services.current_mode, near), carry_out)


async def _act(services: AppServices, perform: Perform, act: Act) -> bool:
    """Brings the screen of ``act`` to the front and does it there; returns whether that could be done."""
    if act.mode and act.mode != services.current_mode:
        if act.mode == EDITOR.name and services.store.view.editor.edit is None:
            return False
        await services.switch_mode(act.mode)
        if services.current_mode != act.mode:
            return True  # a toast says why
    return await perform(act.action)
