"""Taking things out of the app by copying them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from brvtui.app.exporting import clipboard
from brvtui.app.exporting.exporting import NO_TRACE, TOLD_S, to_save
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.store.folders import data_folder
from brvtui.trace import Trace

_KEPT = "copied.txt"
_NAMES = {"path": "the path", "answer": "the answer", "prompt": "the prompt", "trace": "the trace as JSON"}
_NOTHING = {
    "path": "no note is selected: there is no path to copy",
    "answer": "there is no answer to copy: type a query; where a model would answer, copy the prompt",
    "prompt": "there is no prompt to copy: no model is asked at this tier",
    "trace": NO_TRACE,
}
_GROUP = "copy"


class Copying:
    """Copies what is shown."""

    def __init__(
        self, services: AppServices, project: Project, write: Callable[[str], None], is_web: Callable[[], bool]
    ) -> None:
        """Nothing was copied yet; ``write`` hands an escape sequence to the terminal, ``is_web`` says whether a browser
        shows the app."""
        self._services = services
        self._project = project
        self._write = write
        self._is_web = is_web
        self.copied = ""
        """What was copied last in this app; fields paste it."""

    def copy(self, what: str, file: str) -> None:
        """Copies ``path`` (of ``file``, the note at hand), ``answer``, ``prompt`` or ``trace``."""
        trace = self._services.store.view.answered
        if what == "trace" and trace is not None:
            copied = partial(self.copy_out, named=_NAMES["trace"])
            run = self._services.background.run
            run(partial(_as_json, self._project, trace), copied, group=_GROUP, exclusive=True)
        elif text := _text_of(what, trace, file):
            self.copy_out(text, _NAMES[what])
        else:
            self._services.notify(_NOTHING[what], timeout=4)

    def copy_out(self, text: str, named: str) -> None:
        """Copies ``text``, which messages call ``named``."""
        self.copied = text
        if text:
            where = clipboard.Surroundings(os.environ, self._is_web())
            copy = partial(clipboard.copy, text, named, where, data_folder() / _KEPT)
            self._services.background.run(copy, self._was_copied, group=_GROUP, exclusive=True)

    def _was_copied(self, done: clipboard.Copied) -> None:
        if done.escape:
            self._write(done.escape)
        self._services.notify(done.message, severity="warning" if done.failed else "information", timeout=TOLD_S)


def _text_of(what: str, trace: Trace | None, file: str) -> str:
    if what == "path":
        hits = trace.hits if trace is not None else ()
        return next((hit.path for hit in hits if hit.file == file), file)
    if trace is None or what == "trace":
        return ""
    if what == "prompt":
        return trace.answer.prompt.text if trace.answer.prompt else ""
    return trace.answer.text


def _as_json(project: Project, trace: Trace) -> str:
    """``trace`` as it is saved. It blocks."""
    from brvtui.saved.traces import as_json

    return as_json(to_save(project, trace)).decode()
