"""Copies the displayed content, and exports its trace to a file or the browser."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import App
from textual.widgets import Input

from brvtui import faults
from brvtui.app.exporting.clipboard import Copied, Surroundings, copy
from brvtui.app.project.project import Project
from brvtui.app.screens.dialog import FieldDialog
from brvtui.app.services import AppServices, services_of
from brvtui.app.workers import Refusal
from brvtui.disk import writing
from brvtui.engines.registry import presentation
from brvtui.store.folders import data_folder, pictures_folder, shown_path
from brvtui.text.visible import visible
from brvtui.trace import Trace
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.lab.whatif.sweep import Sweep
    from brvtui.paint.neighbourhood import Neighbourhood
    from brvtui.saved.traces import SavedTrace

# Saves the screen as a picture.


Deliver = Callable[[str, bytes], None]
"""Sends a file, given by its name and content, to the browser that shows the app."""


def take_screenshot(app: App[None], deliver: Deliver, filename: str | None, path: str | None) -> None:
    """Saves the screen of ``app`` as SVG in ``path`` or the user's pictures folder, and shows the file's path.

    A browser receives the file instead. Messages are removed first, since they would cover parts of the screen.
    """
    app.clear_notifications()
    for rack in app.screen.query("ToastRack"):
        rack.display = False
    app.screen.call_after_refresh(partial(_take, app, deliver, filename, path))


def _take(app: App[None], deliver: Deliver, filename: str | None, path: str | None) -> None:
    if app.is_web:
        name = filename or f"brv-tui-{datetime.now():%Y-%m-%d-%H%M%S}.svg"
        deliver(name, app.export_screenshot().encode())
        return
    folder = Path(path) if path else pictures_folder()
    try:
        writing.make_folder(folder)
        saved = app.save_screenshot(filename, str(folder))
    except OSError as error:
        app.notify(f"no screenshot: {faults.advice(error)}", severity="error")
    else:
        app.notify(f"saved {saved}", timeout=8)


# The dialog that asks where to save a trace, and saves it there.


_FORMS = ".json can be reopened without the tree · .md is a document · .svg is a picture"


@dataclass(frozen=True, slots=True)
class _ExportResult:
    """The file that was written, or the ``problem`` that prevented writing."""

    file: Path | None = None
    problem: str = ""
    exists: bool = False
    """True if the problem is that the file exists."""


class ExportDialog(FieldDialog[Path]):
    """Asks for a path; returns the path of the saved file, or None."""

    def __init__(self, what: str, name: str, place: str, write: Callable[[Path, bool], Path], notice: str = "") -> None:
        """Creates a dialog to save ``what``, with the proposed file ``name`` in ``place`` and a ``notice``.

        ``write`` saves the trace in a file and returns its path; its second argument permits replacing a file. It may
        block, and raises :class:`brvtui.report.saved.ExportError`.
        """
        super().__init__(f"Save {what}", name, "\n".join(filter(None, (f"in {place}", notice, _FORMS))))
        self._write = write
        self._confirmable = ""
        """The typed path whose file exists; Enter on the same path replaces the file."""

    def on_mount(self) -> None:
        """Moves the cursor before the file ending, so that typing changes the name."""
        self.field.cursor_position = len(self.field.value) - len(Path(self.field.value).suffix)

    @on(Input.Changed)
    def _ending_typed(self, event: Input.Changed) -> None:
        """Removes the proposed file ending when the user types another ending before it."""
        from brvtui.report.saved import Form

        endings = [f".{form}" for form in Form]
        if [suffix.lower() in endings for suffix in Path(event.value).suffixes[-2:]] == [True, True]:
            event.input.value = str(Path(event.value).with_suffix(""))

    def submit(self, text: str) -> None:
        """Saves the trace in the file ``text``."""
        if text.strip():
            task = partial(_export, self._write, Path(text.strip()), text == self._confirmable)
            services_of(self).background.run(task, self._exported, group="export", exclusive=True, owner=self)

    def _exported(self, result: _ExportResult) -> None:
        if result.file is not None:
            self.dismiss(result.file)
            return
        self._confirmable = self.field.value if result.exists else ""
        self.show_problem(result.problem)


def _export(write: Callable[[Path, bool], Path], file: Path, replace: bool) -> _ExportResult:
    from brvtui.report.saved import ExportError, OutputExistsError

    try:
        return _ExportResult(write(file, replace))
    except OutputExistsError as error:
        return _ExportResult(problem=f"{error}: press Enter again to replace it", exists=True)
    except ExportError as error:
        return _ExportResult(problem=str(error))


_KEPT = "copied.txt"
_NAMES = {"path": "the path", "answer": "the answer", "prompt": "the prompt", "comparison": "the comparison"}
_NO_TRACE = "there is no trace yet: type a query"
_NOTHING = {
    "path": "no note is selected: there is no path to copy",
    "answer": (
        "there is no answer to copy: type a query. If a model would answer it, copy the prompt instead. Some engines "
        "do not write answers."
    ),
    "prompt": "there is no prompt to copy: no model is called at this tier",
    "comparison": "nothing to compare yet: type a query other than the pinned one",
    "trace": _NO_TRACE,
}
_TOAST_S = 8
_ALONE = "the pinned answer is not saved with the trace; {copy.shown} in the comparison's tab copies the comparison"
_LONGEST_NAME = 40
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""The control characters that a terminal may obey when copied text is pasted."""


class Sharing:
    """Copies the displayed content, and exports its trace."""

    def __init__(self, services: AppServices, project: Project, comparison: Callable[[], str]) -> None:
        """Creates the controller; ``comparison`` returns the comparison with the pinned answer, or an empty string."""
        self._services = services
        self._project = project
        self._comparison = comparison
        self.copied = ""
        """The text last copied in this app, which fields paste."""

    def copy(self, what: str, file: str) -> None:
        """Copies ``path`` (of ``file``, the current note), ``answer``, ``prompt``, ``comparison`` or ``trace``."""
        trace = self._services.store.view.answered
        if what == "trace" and trace is not None:
            otherwise = self._services.with_keys("; {trace.save} downloads it") if self._services.is_web else ""
            copy = partial(self.copy_text, named=f"the trace of {_quoted(trace)} as JSON", otherwise=otherwise)
            task = partial(_as_json, self._project, trace)
            self._services.background.run(task, copy, group="copy", exclusive=True)
        elif text := self._comparison() if what == "comparison" else _text_of(what, trace, file):
            is_path = what == "path"  # on one line, since a shell runs the lines of a pasted text
            self.copy_text(visible(text) if is_path else text, f"{_NAMES[what]} {text}" if is_path else _NAMES[what])
        else:
            self._services.notify(_NOTHING[what], timeout=4)

    def copy_text(self, text: str, named: str, otherwise: str = "") -> None:
        """Copies ``text``. Messages call it ``named``, and end with ``otherwise``, a hint about another way to copy."""
        text = _CONTROLS.sub(lambda match: visible(match[0]), text)
        self.copied = text
        if text:
            session = self._project.session
            projects = () if session is None else (session.project.root,)
            where = Surroundings(os.environ, self._services.is_web, projects=projects)
            task = partial(copy, text, named, where, data_folder() / _KEPT)
            self._services.background.run(task, partial(self._was_copied, otherwise), group="copy", exclusive=True)

    def _was_copied(self, otherwise: str, copied: Copied) -> None:
        if copied.escape and self._services._driver is not None:
            self._services._driver.write(copied.escape)
        message = f"{copied.message}{otherwise}"
        self._services.notify(message, severity="warning" if copied.failed else "information", timeout=_TOAST_S)

    def export(self, ending: str) -> None:
        """Asks for a file and saves the trace in it; a browser receives the file instead."""
        trace = self._services.store.view.answered
        if trace is None:
            self._services.notify(_NO_TRACE, timeout=4)
            return

        name, what = f"{_slug(trace.query)}.{ending}", f"the trace of {_quoted(trace)}"
        alone = self._services.with_keys(_ALONE) if self._services.store.view.pin.trace is not None else ""
        if self._services.is_web:
            screen = ExportDialog(what, name, "your browser's downloads folder", _file_of_form, alone)
            self._services.push_screen(screen, partial(self._hand_over, trace))
        else:
            write = partial(_written, self._project, trace)
            screen = ExportDialog(what, name, f"{shown_path(Path.cwd())}, unless you type a path", write, alone)
            self._services.push_screen(screen, self._was_saved)

    def _hand_over(self, trace: Trace, file: Path | None) -> None:
        if file is not None:
            task, deliver = partial(_rendered, self._project, trace, file), partial(self.deliver, file.name)
            self._services.background.run(task, deliver, group="export", exclusive=True)

    def save_graph(self, shown: Neighbourhood) -> None:
        """Saves the displayed links as SVG in the user's pictures folder; a browser receives the file instead."""
        self._save_picture(f"graph-of-{_slug(shown.title)}.svg", partial(_drawn, shown))

    def save_sweep(self, sweep: Sweep) -> None:
        """Saves the curve or heat map of a sweep in the same way as :meth:`save_graph`."""
        names = "-".join(axis.control.key for axis in sweep.axes)
        self._save_picture(f"sweep-of-{_slug(names)}.svg", partial(_curve, sweep))

    def _save_picture(self, name: str, draw: Callable[[], bytes]) -> None:
        if self._services.is_web:
            self._services.background.run(draw, partial(self.deliver, name), group="export")
        else:
            self._services.background.run(partial(_saved_picture, draw, name), self._was_saved, group="export")

    def _was_saved(self, file: Path | None) -> None:
        if file is not None:
            self._services.notify(f"saved {file}", timeout=_TOAST_S)

    def deliver(self, name: str, content: bytes) -> None:
        """Sends a file to the browser that shows the app, and shows a message about it."""
        self._services.deliver_binary(BytesIO(content), save_filename=name)
        message = f"your browser downloads {name} to your own machine"
        self._services.notify(message, timeout=_TOAST_S)


def _text_of(what: str, trace: Trace | None, file: str) -> str:
    if what == "path":
        hits = trace.hits if trace is not None else ()
        return next((hit.path for hit in hits if hit.file == file), file)
    if trace is None or what == "trace":
        return ""
    if what == "prompt":
        return presentation(trace.engine).prompt(trace).text
    return trace.answer.text


def _saved_trace(project: Project, trace: Trace) -> SavedTrace:
    """Returns ``trace`` together with the other data of a saved trace. Blocks."""
    if project.saved is not None:
        return project.saved
    assert project.session is not None
    return project.session.explainer.saved(trace)


def _as_json(project: Project, trace: Trace) -> str:
    from brvtui.saved.traces import as_json

    return as_json(_saved_trace(project, trace)).decode()


def _written(project: Project, trace: Trace, file: Path, replace: bool) -> Path:
    """Saves ``trace`` in ``file``, which must be outside of the tree and its sources, and returns the path. Blocks."""
    from brvtui.report.saved import export

    session = project.session
    trees = (session.project.tree, *(each.tree for each in session.project.sources)) if session is not None else ()
    return export(_saved_trace(project, trace), file, trees, replace)


def _file_of_form(file: Path, replace: bool) -> Path:
    """Returns the name under which a browser saves ``file``; raises ExportError for an unknown ending."""
    from brvtui.report.saved import form_of

    form_of(file)
    return Path(file.name)


def _rendered(project: Project, trace: Trace, file: Path) -> bytes:
    """Renders ``trace`` in the format given by the extension of ``file``. Blocks."""
    from brvtui.report.saved import form_of, rendered

    return rendered(_saved_trace(project, trace), form_of(file))


def _drawn(shown: Neighbourhood) -> bytes:
    from brvtui.report.neighbourhood_svg import neighbourhood_svg

    return neighbourhood_svg(shown).encode()


def _curve(sweep: Sweep) -> bytes:
    from brvtui.report.sweep import sweep_svg

    return sweep_svg(sweep).encode()


def _saved_picture(draw: Callable[[], bytes], name: str) -> Path:
    """Writes the result of ``draw`` to a new file in the user's pictures folder, and returns its path. Blocks.

    Raises :class:`Refusal` if that fails.
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
    return f"“{shortened(trace.query, _LONGEST_NAME)}”"


def _slug(text: str) -> str:
    """Returns a file name for ``text``, without an ending."""
    slug = re.sub(r"[^\w]+", "-", text.lower()).strip("-_")[:_LONGEST_NAME].strip("-_")
    return slug or "trace"
