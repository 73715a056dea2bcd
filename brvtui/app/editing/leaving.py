"""Leaves the app, at its end or for another app; never without asking about unsaved text."""

from __future__ import annotations

import asyncio

from brvtui.app.editing.controller import Editing
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.opening import Opening
from brvtui.app.services import AppServices
from brvtui.app.states import Phase
from brvtui.app.text_entry import caught_up

NO_PROJECT = 3
"""The exit code when no project could be opened."""
_STILL_WRITING = "something is still being written, and the disk does not answer: {app.quit} again ends without waiting"
_STILL_WRITING_S = 10


class Leaving:
    """Ends the app once nothing is unsaved, and says what the next one opens."""

    def __init__(
        self,
        services: AppServices,
        editing: Editing,
        layouts: Layouts,
    ) -> None:
        """The user stays."""
        self._services = services
        self._editing = editing
        self._layouts = layouts
        self._told_of_writing = False
        self.reopening: Opening | None = None
        """What the next app opens when this one ends; None when the user leaves."""

    async def quit(self) -> None:
        """Ends the app, not without asking about unsaved text."""
        if self._editing.editor is not None:
            await caught_up(self._editing.editor.area)
        self._services.time_left.begin_again()
        self._end_when_safe()

    def leave_for(self, opening: Opening) -> None:
        """Leaves this app for one on ``opening``, not without asking about unsaved text."""

        def leave() -> None:
            self.reopening = opening
            self._end_when_safe()

        self._editing.when_safe(leave)

    def _end_when_safe(self) -> None:
        self._editing.when_safe(lambda: self._services.call_later(self._end))
        if self._services.has_modal:  # the user is asked, and may take time
            self._services.time_left.begin_again()

    async def _end(self) -> None:
        """Ends the app: with the code for a missing project when there was none to open.

        A note that takes long to be written is waited for once: the user may end the app without it.
        """
        services = self._services
        try:
            async with asyncio.timeout(self._services.time_left.seconds):
                if not await self._editing.all_written():
                    self._end_when_safe()
                    return
                await self._layouts.finish()
        except TimeoutError:
            if self._editing.is_writing and not self._told_of_writing:
                self._told_of_writing = True
                services.set_timer(_STILL_WRITING_S, self._forget_writing)
                services.notify(services.with_keys(_STILL_WRITING), severity="warning", timeout=_STILL_WRITING_S)
                return
        view = services.store.view
        failed = view.project.phase is Phase.FAILED and view.fleet.fleet is None
        services.exit(return_code=NO_PROJECT if failed else 0)

    def _forget_writing(self) -> None:
        self._told_of_writing = False
