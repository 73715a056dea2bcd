"""Checks of the text while it is typed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual.timer import Timer

from brvtui.app.contents import TextCheck
from brvtui.app.editing import note_checking
from brvtui.app.editing.note_checking import CheckRequest
from brvtui.app.editing.open_note import OpenNote
from brvtui.app.newest import Newest
from brvtui.app.screens.frame import FrameScreen

CHECK_S = 0.2
"""The text is checked after a pause in typing of so many seconds."""


class TextChecks:
    """Checks the text of the open note after each pause, one check at a time, and shows the newest one's result."""

    def __init__(self, screen: FrameScreen, note: OpenNote) -> None:
        """No check is under way."""
        self._screen = screen
        self._note = note
        self._newest: Newest[CheckRequest] = Newest(self._check)
        self._last: CheckRequest | None = None
        self._checked_for: tuple[object, ...] = ()
        """The query and tree that the text was last checked with."""
        self._timer: Timer | None = None

    def look_at_view(self) -> None:
        """Checks the text again, after a pause, when the query or the tree is another."""
        if self._note.disk is not None and self._checked_for != self._depends_on:
            self.check_soon()

    @property
    def _depends_on(self) -> tuple[object, ...]:
        view = self._screen.view
        return (view.query.text, view.query.scope, view.engine.profile, id(view.project.overview))

    def check_soon(self) -> None:
        """Checks the text after a pause."""
        self._checked_for = self._depends_on
        self._stop_timer()
        self._timer = self._screen.set_timer(CHECK_S, self._check_now)

    def _check_now(self) -> None:
        self._timer = None
        disk, edit, text, query = self._note.disk, self._note.edit, self._note.text, self._screen.view.query
        if disk is None or edit is None or text is None:
            return
        self._last = CheckRequest(disk.path, text, self._note.area.text, edit.keep_mtime, query.text, query.scope)
        self._newest.want(self._last)

    def _check(self, request: CheckRequest) -> None:
        task, on_result = partial(note_checking.check, self._note.session, request), partial(self._checked, request)
        background = self._screen.services.background
        background.run(task, on_result, group="check", on_end=self._newest.finished, owner=self._screen)

    def _checked(self, request: CheckRequest, check: TextCheck) -> None:
        if request is self._last and self._note.edit is not None:
            self._note.show(replace(self._note.edit, check=check))

    def stop(self) -> None:
        """Checks no more; the result of a check that is under way is not shown."""
        self._stop_timer()
        self._last = None
        self._checked_for = ()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
