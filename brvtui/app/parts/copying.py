"""Taking things out of the app by copying them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Protocol

from brvtui.app import clipboard
from brvtui.app import messages as news
from brvtui.app.parts.exporting import NO_TRACE, TOLD_S, to_save
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import CallsFromThreads, Notifies, Opened, Posts
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore
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
_COPY = Job("copy", exclusive=True)


class Host(CallsFromThreads, Notifies, Posts, Protocol):
    """What copying needs of the app."""

    @property
    def is_web(self) -> bool:
        """Whether a browser shows it."""
        ...


class Copying:
    """Copies what is shown. The work itself is done in threads."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        opened: Opened,
        store: ViewStore,
        write: Callable[[str], None],
    ) -> None:
        """Nothing was copied yet; ``write`` hands an escape sequence to the terminal."""
        self._host = host
        self._threads = threads
        self._opened = opened
        self._store = store
        self._write = write
        self.copied = ""
        """What was copied last in this app; fields paste it."""
        hearing.hear(news.Copied, self._was_copied)

    def copy(self, what: str, file: str) -> None:
        """Copies ``path`` (of ``file``, the note at hand), ``answer``, ``prompt`` or ``trace``."""
        trace = self._store.view.answered
        if what == "trace" and trace is not None:
            self._threads.start(_COPY, self._copy_trace, trace)
        elif text := self._text_of(what, trace, file):
            self.copy_out(text, _NAMES[what])
        else:
            self._host.notify(_NOTHING[what], timeout=4)

    def _text_of(self, what: str, trace: Trace | None, file: str) -> str:
        if what == "path":
            hits = trace.hits if isinstance(trace, Trace) else ()
            return next((hit.path for hit in hits if hit.file == file), file)
        if not isinstance(trace, Trace) or what == "trace":
            return ""
        if what == "prompt":
            return trace.answer.prompt.text if trace.answer.prompt else ""
        return trace.answer.text

    def copy_out(self, text: str, named: str) -> None:
        """Copies ``text``, which messages call ``named``."""
        self.copied = text
        if text:
            self._threads.start(_COPY, self._copy, text, named)

    def _was_copied(self, event: news.Copied) -> None:
        done = event.done
        if done.escape:
            self._write(done.escape)
        self._host.notify(done.message, severity="warning" if done.failed else "information", timeout=TOLD_S)

    # in threads

    def _copy(self, text: str, named: str) -> None:
        where = clipboard.Surroundings(os.environ, self._host.is_web)
        self._host.post_message(news.Copied(clipboard.copy(text, named, where, data_folder() / _KEPT)))

    def _copy_trace(self, trace: Trace) -> None:
        from brvtui.saved.traces import as_json

        text = as_json(to_save(self._opened, trace)).decode()
        self._host.call_from_thread(partial(self.copy_out, text, _NAMES["trace"]))
