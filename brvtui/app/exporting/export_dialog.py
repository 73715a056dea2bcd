"""The dialog that asks where to save a trace, and saves it there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual import on
from textual.widgets import Input

from brvtui.app.screens.field import FieldDialog
from brvtui.app.services import services_of

_FORMS = ".json opens again without the tree · .md a document · .svg a picture"


@dataclass(frozen=True, slots=True)
class _ExportResult:
    """The file that was written, or the ``problem`` that kept it from being written."""

    file: Path | None = None
    problem: str = ""
    exists: bool = False
    """Whether the problem is that there is a file already."""


class ExportDialog(FieldDialog[Path]):
    """Asks for a file's path. Dismissed with the path of the saved file, or with None."""

    def __init__(self, what: str, name: str, place: str, write: Callable[[Path, bool], Path], notice: str = "") -> None:
        """Proposes the file ``name`` for ``what`` is saved, and says in which ``place`` it will be, then a ``notice``.

        ``write`` saves the trace in a file, over another one only if told so, returns where it is, may block, and
        raises :class:`brvtui.report.saved.ExportError`.
        """
        super().__init__(f"Save {what}", name, "\n".join(filter(None, (f"in {place}", notice, _FORMS))))
        self._write = write
        self._confirmable = ""
        """The text whose file exists, as the user was told: Enter on it replaces the file."""

    def on_mount(self) -> None:
        """Puts the cursor before the ending, so that typing changes the name."""
        self.field.cursor_position = len(self.field.value) - len(Path(self.field.value).suffix)

    @on(Input.Changed)
    def _ending_typed(self, event: Input.Changed) -> None:
        """Takes the offered ending away once one is typed in front of it."""
        from brvtui.report.saved import Form

        endings = [f".{form}" for form in Form]
        if [suffix.lower() in endings for suffix in Path(event.value).suffixes[-2:]] == [True, True]:
            event.input.value = str(Path(event.value).with_suffix(""))

    def submit(self, text: str) -> None:
        """Saves the trace."""
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
    """Lets ``write`` save the trace in ``file``. Blocks."""
    from brvtui.report.saved import ExportError, InTheWayError

    try:
        return _ExportResult(write(file, replace))
    except InTheWayError as error:
        return _ExportResult(problem=f"{error}: enter again replaces it", exists=True)
    except ExportError as error:
        return _ExportResult(problem=str(error))
