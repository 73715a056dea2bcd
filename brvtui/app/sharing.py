"""Taking things out of the app: copies, and the trace as a file."""

from __future__ import annotations

import os
import re
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work

from brvtui.app import clipboard
from brvtui.app import messages as news
from brvtui.app.arranging import ArrangingApp
from brvtui.app.screens.export import ExportScreen
from brvtui.app.view import AnyTrace
from brvtui.store.folders import data_folder
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.saved.traces import Saved

_KEPT = "copied.txt"
_LONGEST_NAME = 40
_TOLD_S = 8
_NAMES = {"path": "the path", "answer": "the answer", "prompt": "the prompt", "trace": "the trace as JSON"}
_NOTHING = {
    "path": "no note is selected: there is no path to copy",
    "answer": "there is no answer to copy: type a query; where a model would answer, copy the prompt",
    "prompt": "there is no prompt to copy: no model is asked at this tier",
    "trace": "there is no trace yet: type a query",
}


class SharingApp(ArrangingApp):
    """Copies and saves what is shown. The work itself is done in threads."""

    _copied = ""

    @property
    def clipboard(self) -> str:
        """What was copied last in this app; fields paste it."""
        return self._copied

    def copy_to_clipboard(self, text: str) -> None:
        """Copies ``text``: what fields and selections copy."""
        self._copy_out(text, "the text")

    def action_copy(self, what: str) -> None:
        """Copies ``path``, ``answer``, ``prompt``, ``trace``, or ``shown``: what the focused pane shows."""
        if what == "shown":
            what = getattr(self.frame and self.frame.focused, "copies", "path")
        trace = self.view.answered
        if what == "trace" and trace is not None:
            self._copy_trace(trace)
        elif text := self._text_of(what, trace):
            self._copy_out(text, _NAMES[what])
        else:
            self.notify(_NOTHING[what], timeout=4)

    def _text_of(self, what: str, trace: AnyTrace | None) -> str:
        if what == "path":
            file = self.frame.note_at_hand if self.frame is not None else ""
            hits = trace.hits if isinstance(trace, Trace) else ()
            return next((hit.path for hit in hits if hit.file == file), file)
        if not isinstance(trace, Trace) or what == "trace":
            return ""
        if what == "prompt":
            return trace.answer.prompt.text if trace.answer.prompt else ""
        return trace.answer.text

    def _copy_out(self, text: str, named: str) -> None:
        self._copied = text
        if text:
            self._copy(text, named)

    @work(thread=True, exclusive=True, group="copy", exit_on_error=False, description="copy")
    def _copy(self, text: str, named: str) -> None:
        where = clipboard.Surroundings(os.environ, self.is_web)
        self.post_message(news.Copied(clipboard.copy(text, named, where, data_folder() / _KEPT)))

    @work(thread=True, exclusive=True, group="copy", exit_on_error=False, description="copy")
    def _copy_trace(self, trace: AnyTrace) -> None:
        from brvtui.saved.traces import as_json

        text = as_json(self._to_save(trace)).decode()
        self.call_from_thread(self._copy_out, text, _NAMES["trace"])

    @on(news.Copied)
    def _was_copied(self, event: news.Copied) -> None:
        done = event.done
        if done.escape and self._driver is not None:
            self._driver.write(done.escape)
        self.notify(done.message, severity="warning" if done.failed else "information", timeout=_TOLD_S)

    def action_export(self, ending: str) -> None:
        """Asks for a file and saves the trace to it; a browser is handed the file."""
        trace = self.view.answered
        if trace is None:
            self.notify(_NOTHING["trace"], timeout=4)
            return
        name = f"{_slug(trace.query)}.{ending}"
        if self.is_web:
            self._deliver(trace, name)
            return
        project = self.session.project if self.session is not None else None
        trees = (project.tree, *(source.tree for source in project.sources)) if project is not None else ()
        self.push_screen(ExportScreen(name, partial(self._to_save, trace), trees), self._was_saved)

    def _to_save(self, trace: AnyTrace) -> Saved:
        """``trace`` with all that is saved beside it. It blocks."""
        if self.saved is not None:
            return self.saved
        assert self.session is not None
        return self.session.saved(trace)

    def _was_saved(self, place: Path | None) -> None:
        if place is not None:
            self.notify(f"saved {place}", timeout=_TOLD_S)

    @work(thread=True, exclusive=True, group="export", exit_on_error=False, description="deliver")
    def _deliver(self, trace: AnyTrace, name: str) -> None:
        from brvtui.report.saved import form_of, rendered

        content = BytesIO(rendered(self._to_save(trace), form_of(Path(name))))
        self.call_from_thread(self.deliver_binary, content, save_filename=name)


def _slug(text: str) -> str:
    """A file's name that says what was asked."""
    kept = re.sub(r"[^\w]+", "-", text.lower()).strip("-_")[:_LONGEST_NAME].strip("-_")
    return kept or "trace"
