"""The note that is open in the editor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.app.contents import Edit
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.note_on_disk import OnDisk, text_to_edit
from brvtui.app.project.project import Project
from brvtui.app.screens.frame import FrameScreen

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText


class OpenNote:
    """The open note as it was read, and its text in the text area."""

    def __init__(
        self, screen: FrameScreen, project: Project, area: NoteEditor, on_change: Callable[[], object]
    ) -> None:
        """Starts without a note; ``on_change`` is called when the note's text or its state on disk is replaced."""
        self._screen = screen
        self.project = project
        self.area = area
        self._on_change = on_change
        self.disk: OnDisk | None = None
        """The state on disk that the text is compared with and will replace; None if no note is open."""
        self.text: EditableText | None = None
        """The text that was last put into the text area, with its masks."""
        self._clean = b""
        """The note's bytes when nothing is unsaved."""

    @property
    def session(self) -> Session:
        """The session of the open project."""
        assert self.project.session is not None
        return self.project.session

    @property
    def edit(self) -> Edit | None:
        """The state of the edit, which all screens show; None if no note is open."""
        return self._screen.view.editor.edit

    @property
    def path(self) -> str:
        """The path of the note; empty if none is open."""
        return self.edit.path if self.edit else ""

    @property
    def data(self) -> bytes:
        """The bytes that saving the note would write."""
        assert self.text is not None
        return self.text.encode(self.area.text)

    @property
    def is_dirty(self) -> bool:
        """True if there is unsaved text; the view shows this with a short delay."""
        return self.text is not None and self.data != self._clean

    def show(self, edit: Edit | None) -> None:
        """Puts ``edit`` into the view."""
        store = self._screen.services.store
        store.update(store.view.editor._replace(edit=edit))

    def open(self, disk: OnDisk, text: EditableText) -> None:
        """Opens the ``text`` of the note ``disk``, or of a new note."""
        self.disk, self.text = disk, None
        self._clean = text.encode(text.text)
        is_new = disk.data is None
        keeps = self._screen.services.configuration.settings.editor.keep_mtime
        self.show(Edit(disk.path, is_new=is_new, keep_mtime=keeps and not is_new))
        self.put(text)

    def close(self) -> None:
        """Closes the note."""
        self.disk = self.text = None
        self.area.open("", ())
        self.show(None)

    def put(self, text: EditableText) -> None:
        """Puts ``text`` into the text area, as an undoable edit if it contains all earlier masks."""
        before, self.text = self.text, text
        if before is not None and before.marks.items() <= text.marks.items():
            self.area.mask(text.marks)
            self.area.replace_text(text.text)
        else:
            self.area.open(text.text, text.marks)
        self._on_change()

    def put_data(self, data: bytes) -> bool:
        """Puts ``data`` into the text area; shows an error and returns False if it is not text or is too long."""
        from brvtui.tree.editing.note_text import NotText

        try:
            self.put(text_to_edit(data, self.text, self.area.text))
        except NotText as error:
            self._screen.notify(f"{self.path}: {error}", severity="error", timeout=10)
            return False
        return True

    def rebase(self, disk: OnDisk) -> None:
        """Sets ``disk`` as the state that the text is compared with and will replace."""
        self.disk, self._clean = disk, disk.data or b""
        if self.edit is not None:
            self.show(replace(self.edit, path=disk.path, on_disk="", is_new=disk.data is None))
        self._on_change()
