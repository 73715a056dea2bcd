"""Opens notes in the user's own editor (``editor.command``, $VISUAL or $EDITOR), which works on a private copy."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from brvtui import faults, programs
from brvtui.app.editing import note_saving
from brvtui.app.editing.drafts import Drafts
from brvtui.app.editing.note_on_disk import DraftRequest, OnDisk
from brvtui.app.editing.note_saving import NoteSaved, SaveConflict, SaveDoubt, SaveFailed, SaveResult
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal
from brvtui.disk import writing
from brvtui.regular_files import LARGEST, read_regular

if TYPE_CHECKING:
    from brvtui.tree.editing.note_text import EditableText

_ENDING_S = 0.3
"""The seconds after a signal that ends the app until an editor that ignores the signal is killed."""


@dataclass(frozen=True, slots=True)
class EditorCommand:
    """A program with its arguments, and the setting or variable that specifies it."""

    words: tuple[str, ...]
    origin: str


class ExternalEditor:
    """Opens notes in the user's own editor and saves the result; text that cannot be saved becomes a draft."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        drafts: Drafts,
        on_conflict: Callable[[SaveConflict], Awaitable[None]],
    ) -> None:
        """Creates the controller; ``on_conflict`` is called if a note was not saved because it has changed on disk."""
        self._services = services
        self._project = project
        self._drafts = drafts
        self._on_conflict = on_conflict

    def edit(self, disk: OnDisk, text: EditableText, draft: EditableText | None) -> None:
        """Lets the user edit ``draft`` or else ``text``, and saves the result as the note ``disk``. Blocks."""
        before = draft or text
        data = self.hand_over(disk.path, before.encode(before.text))
        if data is None:
            return
        if data == disk.data:
            self._services.notify(f"{disk.path} was not changed: nothing to save", timeout=4)
        else:
            self.save(disk, data)

    def hand_over(self, path: str, data: bytes) -> bytes | None:
        """Lets the user edit ``data``, the text of the note at ``path``; returns the result, or None with a message.

        Blocks until the editor ends.
        """
        try:
            session = self._project.session
            projects = () if session is None else (session.project.root,)
            return _run_editor(self._command(), projects, path, data, self._services.suspend)
        except Refusal as error:
            self._services.notify(str(error), severity="error", timeout=8)
            return None

    def _command(self) -> EditorCommand:
        """Returns the command from the first of ``editor.command``, $VISUAL and $EDITOR that is set.

        Raises :class:`Refusal` if none is set, and always in a browser. A project's settings file cannot set
        ``editor.command``.
        """
        if self._services.is_web:
            raise Refusal("in a browser, no other program can be opened: edit the note here")
        configured = self._services.configuration.settings.editor.command
        if configured.strip():
            return _parse_command(configured, "editor.command")
        for name in ("VISUAL", "EDITOR"):
            if os.environ.get(name, "").strip():
                return _parse_command(os.environ[name], f"${name}")
        raise Refusal(
            "no editor is set: set editor.command, $VISUAL or $EDITOR (for example export EDITOR=nano), or "
            f"edit here with {self._services.shown_key('note.edit')}"
        )

    def save(self, disk: OnDisk, data: bytes) -> None:
        """Saves ``data`` as the note ``disk`` in a worker."""
        if self._project.session is not None:
            task = partial(note_saving.save, self._project.session, disk, data, False)
            self._services.background.run(task, self._save_ended, group="save")

    async def _save_ended(self, result: SaveResult) -> None:
        match result:
            case NoteSaved():
                self._saved(result)
            case SaveConflict():
                if result.notice:
                    self._services.notify(result.notice, severity="warning", timeout=10)
                await self._on_conflict(result)
            case SaveFailed() | SaveDoubt():
                self.set_aside(result.problem, result.disk, result.data)

    def _saved(self, saved: NoteSaved) -> None:
        for notice in saved.notices:
            self._services.notify(notice, severity="warning", timeout=10)
        self._services.notify(f"saved {saved.disk.path}; {self._services.shown_key('note.undo')} undoes it", timeout=4)
        self._project.follow(after_save=True)
        self._drafts.write(DraftRequest(saved.disk.path, None))

    def set_aside(self, why: str, disk: OnDisk, data: bytes) -> None:
        """Keeps ``data``, which could not be saved, as a draft, and shows the reason ``why``."""
        offers = self._services.with_keys("{note.edit} or {note.outside} brings it back")
        message = f"{why}; your text is kept as a draft: {offers}"
        self._services.notify(message, severity="error", timeout=10)
        self._drafts.write(DraftRequest(disk.path, data, disk.version, is_set_aside=True))


def _parse_command(text: str, origin: str) -> EditorCommand:
    """Parses ``text``, the value of the setting or variable ``origin``. Raises :class:`Refusal` for invalid quotes."""
    try:
        return EditorCommand(tuple(shlex.split(text)), origin)
    except ValueError as error:
        raise Refusal(f"{origin} is not a valid command ({error}): check its quotes") from error


def _run_editor(
    command: EditorCommand,
    projects: Sequence[Path],
    path: str,
    data: bytes,
    suspended: Callable[[], AbstractContextManager[None]],
) -> bytes:
    """Runs the editor on a copy of ``data`` and returns the edited bytes. Raises :class:`Refusal` on errors.

    ``suspended`` releases the terminal for the editor. The copy has the note's name. It is in a private folder, which
    is the editor's working directory and is removed afterwards. Edited text is returned even if the exit code reports
    an error. An editor inside one of ``projects`` is refused.
    """
    words, environ = command.words, programs.environment(*projects)
    program = programs.find_program(words[0], environ)
    if program is None or any(programs.is_inside(program, each) for each in projects):
        raise Refusal(f"{words[0]}: no such program on PATH outside the project; check {command.origin}")
    try:
        with writing.private_copy(PurePosixPath(path).name, data) as copy:
            with suspended():
                code = _run([program, *words[1:], str(copy)], environ, copy.parent)
            edited = read_regular(copy, LARGEST)
    except SuspendNotSupported as error:
        raise Refusal("this terminal cannot open another program; edit the note here instead") from error
    except OSError as error:
        raise Refusal(f"{words[0]}: {faults.reason(error)}; check {command.origin}") from error
    if code and edited == data:
        raise Refusal(f"{words[0]} exited with code {code} and wrote nothing; check {command.origin}")
    return edited


def _run(words: Sequence[str], environ: programs.Environment, folder: Path) -> int:
    """Runs a program in the terminal, in ``folder``, and returns its exit code.

    A signal that ends the app also ends the program. The app handles the signal when its event loop continues.
    """
    signals: list[int] = []
    running: list[programs.Process] = []

    def end(number: int, _: object) -> None:
        signals.append(number)
        for process in running:
            _end(process, number)

    with _handling_signals(end), programs.start(words, environ, cwd=folder) as process:
        running.append(process)
        for number in signals:  # signals from before the program was started
            _end(process, number)
        return process.wait()


def _end(process: programs.Process, number: int) -> None:
    """Sends a signal to ``process``, and kills it if it does not end soon."""
    process.send_signal(number)
    killer = threading.Timer(_ENDING_S, process.kill)
    killer.daemon = True
    killer.start()


@contextmanager
def _handling_signals(end: Callable[[int, object], None]) -> Iterator[None]:
    """Calls ``end`` for each signal that ends the app."""
    numbers = (signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ()
    before = {number: current for number in numbers if callable(current := signal.getsignal(number))}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
