"""Copies what is shown, and exports its trace to a file or the browser."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.exporting import clipboard
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal
from brvtui.engines.registry import presentation
from brvtui.store.folders import data_folder, pictures_folder, shown_path
from brvtui.trace import Trace
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.lab.whatif.sweep import Sweep
    from brvtui.paint.neighbourhood import Neighbourhood
    from brvtui.saved.traces import SavedTrace

_KEPT = "copied.txt"
_NAMES = {
    "path": "the path",
    "answer": "the answer",
    "prompt": "the prompt",
    "comparison": "the comparison",
}
_NO_TRACE = "there is no trace yet: type a query"
_NOTHING = {
    "path": "no note is selected: there is no path to copy",
    "answer": "no answer to copy: type a query; where a model would answer, copy the prompt; some engines write none",
    "prompt": "there is no prompt to copy: no model is asked at this tier",
    "comparison": "nothing to compare yet: ask something else than the pinned answer",
    "trace": _NO_TRACE,
}
_TOAST_S = 8
_ALONE = "the pinned answer is not saved with it: {copy.shown} in its tab copies the comparison"
_LONGEST_NAME = 40


class Sharing:
    """Copies what is shown, and exports its trace."""

    def __init__(
        self, services: AppServices, project: Project, write: Callable[[str], None], comparison: Callable[[], str]
    ) -> None:
        """Nothing was copied yet; ``write`` hands an escape sequence to the terminal.

        ``comparison`` is the answer beside the pinned one as text, empty without.
        """
        self._services = services
        self._project = project
        self._write = write
        self._comparison = comparison
        self.copied = ""
        """The text that was copied last in this app; fields paste it."""

    def copy(self, what: str, file: str) -> None:
        """Copies ``path`` (of ``file``, the note at hand), ``answer``, ``prompt``, ``comparison`` or ``trace``."""
        trace = self._services.store.view.answered
        if what == "trace" and trace is not None:
            otherwise = self._services.with_keys("; {trace.save} downloads it") if self._services.is_web else ""
            copy = partial(self.copy_text, named=f"the trace of {_quoted(trace)} as JSON", otherwise=otherwise)
            task = partial(_as_json, self._project, trace)
            self._services.background.run(task, copy, group="copy", exclusive=True)
        elif text := self._comparison() if what == "comparison" else _text_of(what, trace, file):
            self.copy_text(text, f"{_NAMES[what]} {text}" if what == "path" else _NAMES[what])
        else:
            self._services.notify(_NOTHING[what], timeout=4)

    def copy_text(self, text: str, named: str, otherwise: str = "") -> None:
        """Copies ``text``, which toasts call ``named``; they end with ``otherwise``, another way to it."""
        self.copied = text
        if text:
            session = self._project.session
            projects = () if session is None else (session.project.root,)
            where = clipboard.Surroundings(os.environ, self._services.is_web, projects=projects)
            task = partial(clipboard.copy, text, named, where, data_folder() / _KEPT)
            self._services.background.run(task, partial(self._was_copied, otherwise), group="copy", exclusive=True)

    def _was_copied(self, otherwise: str, copied: clipboard.Copied) -> None:
        if copied.escape:
            self._write(copied.escape)
        told = f"{copied.message}{otherwise}"
        self._services.notify(told, severity="warning" if copied.failed else "information", timeout=_TOAST_S)

    def export(self, ending: str) -> None:
        """Asks for a file and saves the trace in it; a browser that shows the app is handed the file."""
        trace = self._services.store.view.answered
        if trace is None:
            self._services.notify(_NO_TRACE, timeout=4)
            return
        from brvtui.app.exporting.export_dialog import ExportDialog

        name, what = f"{_slug(trace.query)}.{ending}", f"the trace of {_quoted(trace)}"
        alone = self._services.with_keys(_ALONE) if self._services.store.view.pin.trace is not None else ""
        if self._services.is_web:
            screen = ExportDialog(what, name, "the downloads of your browser", _file_of_form, alone)
            self._services.push_screen(screen, partial(self._hand_over, trace))
        else:
            write = partial(_written, self._project, trace)
            screen = ExportDialog(what, name, f"{shown_path(Path.cwd())}, unless a path is typed", write, alone)
            self._services.push_screen(screen, self._was_saved)

    def _hand_over(self, trace: Trace, file: Path | None) -> None:
        if file is not None:
            task, deliver = partial(_rendered, self._project, trace, file), partial(self.deliver, file.name)
            self._services.background.run(task, deliver, group="export", exclusive=True)

    def save_graph(self, shown: Neighbourhood) -> None:
        """Saves the links that are drawn as SVG among the user's pictures; a browser is handed the file instead."""
        self._save_picture(f"graph-of-{_slug(shown.title)}.svg", partial(_drawn, shown))

    def save_sweep(self, made: Sweep) -> None:
        """Saves the curve or heat map of a sweep as :meth:`save_graph` does."""
        names = "-".join(axis.control.key for axis in made.axes)
        self._save_picture(f"sweep-of-{_slug(names)}.svg", partial(_curve, made))

    def _save_picture(self, name: str, draw: Callable[[], bytes]) -> None:
        if self._services.is_web:
            self._services.background.run(draw, partial(self.deliver, name), group="export")
        else:
            self._services.background.run(partial(_saved_picture, draw, name), self._was_saved, group="export")

    def _was_saved(self, file: Path | None) -> None:
        if file is not None:
            self._services.notify(f"saved {file}", timeout=_TOAST_S)

    def deliver(self, name: str, content: bytes) -> None:
        """Hands a file called ``name`` to the browser that shows the app, and says where it then is."""
        self._services.deliver_binary(BytesIO(content), save_filename=name)
        said = f"{name} goes to your browser: it is among its downloads, on the machine that you sit at"
        self._services.notify(said, timeout=_TOAST_S)


def _text_of(what: str, trace: Trace | None, file: str) -> str:
    if what == "path":
        hits = trace.hits if trace is not None else ()
        return next((hit.path for hit in hits if hit.file == file), file)
    if trace is None or what == "trace":
        return ""
    if what == "prompt":
        return presentation(trace.engine).prompt_text(trace)
    return trace.answer.text


def _saved_trace(project: Project, trace: Trace) -> SavedTrace:
    """Returns ``trace`` with everything that is saved beside it. Blocks."""
    if project.saved is not None:
        return project.saved
    assert project.session is not None
    return project.session.answers.saved(trace)


def _as_json(project: Project, trace: Trace) -> str:
    """Returns ``trace`` as it is saved. Blocks."""
    from brvtui.saved.traces import as_json

    return as_json(_saved_trace(project, trace)).decode()


def _written(project: Project, trace: Trace, file: Path, replace: bool) -> Path:
    """Saves ``trace`` in ``file``, outside of the tree and its sources, and returns where it is. Blocks."""
    from brvtui.report.saved import export

    session = project.session
    trees = (session.project.tree, *(each.tree for each in session.project.sources)) if session is not None else ()
    return export(_saved_trace(project, trace), file, trees, replace)


def _file_of_form(file: Path, replace: bool) -> Path:
    """Returns ``file``'s name, which a browser puts among its downloads, if its ending is that of a form."""
    from brvtui.report.saved import form_of

    form_of(file)
    return Path(file.name)


def _rendered(project: Project, trace: Trace, file: Path) -> bytes:
    """Returns the content of a file with the name of ``file``. Blocks."""
    from brvtui.report.saved import form_of, rendered

    return rendered(_saved_trace(project, trace), form_of(file))


def _drawn(shown: Neighbourhood) -> bytes:
    """Returns the picture of the links. Blocks."""
    from brvtui.report.neighbourhood_svg import neighbourhood_svg

    return neighbourhood_svg(shown).encode()


def _curve(made: Sweep) -> bytes:
    """Returns the picture of a sweep. Blocks."""
    from brvtui.report.sweep_svg import sweep_svg

    return sweep_svg(made).encode()


def _saved_picture(draw: Callable[[], bytes], name: str) -> Path:
    """Writes what ``draw`` returns into the user's folder for pictures, over no other file. Blocks.

    Raises :class:`Refusal`.
    """
    from brvtui.disk import writing

    first = pictures_folder() / name
    try:
        numbered = (first.with_stem(f"{first.stem}-{number}") for number in itertools.count(2))
        file = next(path for path in itertools.chain([first], numbered) if not path.exists())
        writing.write(file, draw(), private=False)
    except OSError as error:
        raise Refusal(f"no picture: {faults.error_line(error, first)}") from error
    return file


def _quoted(trace: Trace) -> str:
    """The query of ``trace``, short enough for a title."""
    return f"“{shortened(trace.query, _LONGEST_NAME)}”"


def _slug(text: str) -> str:
    """Returns a file name, without an ending, that says what was asked."""
    kept = re.sub(r"[^\w]+", "-", text.lower()).strip("-_")[:_LONGEST_NAME].strip("-_")
    return kept or "trace"
