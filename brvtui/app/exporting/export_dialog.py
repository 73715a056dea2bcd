"""The modal that asks where to save a trace, and saves it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.app.actions.dialogs import EXPORT
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.field import FieldScreen
from brvtui.app.services import services_of

if TYPE_CHECKING:
    from brvtui.saved.traces import SavedTrace

_FORMS = ".json opens again without the tree · .md a document · .svg a picture"


@dataclass(frozen=True, slots=True)
class _ExportResult:
    """The file that was written, or the ``problem`` that kept it from being written."""

    file: Path | None = None
    problem: str = ""
    exists: bool = False
    """Whether the problem is that there is a file already."""


class ExportScreen(FieldScreen[Path]):
    """Asks for a file's path. Dismissed with the path of the saved file, or with None."""

    BINDINGS = bindings(EXPORT)

    def __init__(self, name: str, saved: Callable[[], SavedTrace], trees: Sequence[Path]) -> None:
        """Proposes the file ``name``; ``saved`` returns the trace and may block; no file is written into ``trees``."""
        super().__init__("Save the trace", "enter saves · esc leaves", name, _FORMS)
        self._saved = saved
        self._trees = trees
        self._confirmable = ""
        """The text whose file exists, as the user was told: Enter on it replaces the file."""

    def on_mount(self) -> None:
        """Puts the cursor before the ending, so that typing changes the name."""
        self.field.cursor_position = len(self.field.value) - len(Path(self.field.value).suffix)

    def submit(self, text: str) -> None:
        """Saves the trace; an ending that was typed in front of the proposed one counts."""
        from brvtui.report.saved import Form

        file, endings = text.strip(), [f".{form}" for form in Form]
        while Path(Path(file).stem).suffix.lower() in endings:
            file = file.removesuffix(Path(file).suffix)
        if file:
            task = partial(_export, self._saved, Path(file), self._trees, text == self._confirmable)
            services_of(self).background.run(task, self._exported, group="export", exclusive=True, owner=self)

    def _exported(self, result: _ExportResult) -> None:
        if result.file is not None:
            self.dismiss(result.file)
            return
        self._confirmable = self.field.value if result.exists else ""
        self.show_problem(result.problem)


def _export(saved: Callable[[], SavedTrace], file: Path, trees: Sequence[Path], replace: bool) -> _ExportResult:
    """Writes the trace that ``saved`` returns to ``file``. Blocks."""
    from brvtui.report.saved import ExportError, InTheWayError, export

    try:
        return _ExportResult(export(saved(), file, trees, replace))
    except InTheWayError as error:
        return _ExportResult(problem=f"{error}: enter again replaces it", exists=True)
    except ExportError as error:
        return _ExportResult(problem=str(error))
