"""The modal that asks where a trace is to be saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from brvtui.app.actions.dialogs import EXPORT
from brvtui.app.keys.bindings import bindings
from brvtui.app.services import services_of
from brvtui.app.styles import sheet
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.saved.traces import SavedTrace

_FORMS = ".json opens again without the tree · .md a document · .svg a picture"


@dataclass(frozen=True, slots=True)
class _Written:
    """How saving ended: ``place`` is the file, or ``problem`` says why there is none."""

    place: Path | None = None
    problem: str = ""
    in_the_way: bool = False


class ExportScreen(ModalScreen[Path | None]):
    """A field for the file's path. It is dismissed with the path of the saved file, or with None."""

    CSS_PATH = sheet("modal")
    BINDINGS: ClassVar[list[BindingType]] = bindings(EXPORT)

    def __init__(self, name: str, saved: Callable[[], SavedTrace], trees: Sequence[Path]) -> None:
        """A modal that proposes ``name``; ``saved`` gives the trace and may block; ``trees`` take no files."""
        super().__init__()
        self._proposed = name
        self._saved = saved
        self._trees = trees
        self._replaced = ""
        """The path that the user was told to be taken, and may now confirm."""

    def compose(self) -> ComposeResult:
        """Field, the forms, and a line for what is wrong."""
        with Vertical(id="export") as box:
            box.border_title = "Save the trace"
            box.border_subtitle = "enter saves · esc leaves"
            yield OrderedInput(self._proposed, id="export-file", select_on_focus=False, compact=True)
            yield Static(_FORMS, id="export-forms", markup=False)
            yield Static("", id="export-problem", markup=False)

    def on_mount(self) -> None:
        """The cursor stands before the ending: what is typed changes the name."""
        field = self.query_one(Input)
        field.cursor_blink = False
        field.cursor_position = len(self._proposed) - len(Path(self._proposed).suffix)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        file = event.value.strip()
        ending = Path(file).suffix
        while ending and Path(file).stem.endswith(ending):  # typed in front of the one that was proposed
            file = file.removesuffix(ending)
        if file:
            self._write(file, event.value == self._replaced)

    def _write(self, file: str, replace: bool) -> None:
        write = partial(_written, self._saved, Path(file), self._trees, replace)
        run = services_of(self).background.run
        run(write, self._ended, group="export", exclusive=True, owner=self)

    def _ended(self, ended: _Written) -> None:
        if ended.place is not None:
            self.dismiss(ended.place)
            return
        self._replaced = self.query_one(Input).value if ended.in_the_way else ""
        self.query_one("#export-problem", Static).update(visible(ended.problem))


def _written(saved: Callable[[], SavedTrace], file: Path, trees: Sequence[Path], replace: bool) -> _Written:
    """Saves what ``saved`` returns. It blocks."""
    from brvtui.report.saved import ExportError, InTheWayError, export

    try:
        return _Written(export(saved(), file, trees, replace))
    except InTheWayError as error:
        return _Written(problem=f"{error}: enter again replaces it", in_the_way=True)
    except ExportError as error:
        return _Written(problem=str(error))
