"""The Lab screen: the results of judged queries now, after an edit, at another time, or with other constants."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import LAB_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.keys.bindings import bindings
from brvtui.app.lab.cell import CellPane
from brvtui.app.lab.judged import JudgedPane
from brvtui.app.lab.lab import Lab
from brvtui.app.lab.sweeps import Sweeps
from brvtui.app.lab.variant_dialog import VariantDialog
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.dialog import FieldDialog
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.view import View
from brvtui.lab.evaluation.results import DEFAULT_METRICS
from brvtui.lab.whatif.variant import Control, Value, Variant, read_value

# The fields for a value and for the name of a profile.


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class ValueField(FieldDialog[float]):
    """Asks for a number; returns it or None."""

    def __init__(self, control: Control, value: Value) -> None:
        """Creates a field for ``control`` with its current ``value``."""
        super().__init__(
            control.key,
            f"{value:g}" if isinstance(value, float) else f"{value}",
            f"a number of at least {control.least:g}; it was {control.base}",
        )
        self._control = control

    def on_mount(self) -> None:
        """Selects the number, so that typing replaces it."""
        self.field.action_select_all()

    def submit(self, text: str) -> None:
        """Closes the dialog and returns the number, if it is valid."""
        value = read_value(text.strip())
        is_whole = isinstance(self._control.base, int)
        is_number = not isinstance(value, (bool, str)) and math.isfinite(value) and value >= self._control.least
        if not is_number or (is_whole and value != int(value)):
            self.show_problem(f"must be a {'whole ' if is_whole else ''}number of at least {self._control.least:g}")
        else:
            self.dismiss(int(value) if is_whole else float(value))


class ProfileNameField(FieldDialog[str]):
    """Asks for the name of a profile; returns it or None."""

    def __init__(self) -> None:
        super().__init__("Profile name", "", ("letters, digits, - and _; the profile is saved next to your settings"))

    def submit(self, text: str) -> None:
        """Closes the dialog and returns the name, if it is valid."""
        name = text.strip()
        if _NAME.fullmatch(name):
            self.dismiss(name)
        else:
            self.show_problem("must be 1 to 40 letters, digits, - and _")


def _wide_lab(width: int, height: int) -> Split:
    right = max(50, width * 40 // 100)
    cell = height * 55 // 100
    beside = Split("cell", False, ("cell", "sliders"), (cell, height - cell))
    return Split("judged", True, ("judged", beside), (width - right, right))


_LAB_PANES = ("judged", "cell", "sliders")
LAB = Arrangement(panes=_LAB_PANES, beside="", tabs=_LAB_PANES, wide=_wide_lab)


class LabScreen(FrameScreen):
    """The table of judged queries, and the answer in the cell under the cursor."""

    TITLE = "Lab"
    PLAN = LAB
    BINDINGS: ClassVar[list[BindingType]] = bindings(LAB_SCREEN)
    AUTO_FOCUS = "#judged"

    def __init__(self, layouts: Layouts, lab: Lab, sweeps: Sweeps) -> None:
        """Creates the screen for the controllers ``lab`` and ``sweeps``."""
        super().__init__(layouts)
        self._lab = lab
        self._sweeps = sweeps

    def make_panes(self) -> ComposeResult:
        """Yields the table, the cell and the sliders."""
        yield JudgedPane(id="judged")
        yield CellPane(id="cell")
        yield WhatIfPane(id="sliders")

    @property
    def table(self) -> JudgedPane:
        """The table of judged queries."""
        return self.query_one(JudgedPane)

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including judging if there is no query."""
        can_judge = self.view.query.text.strip() or self.view.lab.rows
        return super().idle if can_judge else super().idle | {"lab.judge"}

    def show(self, view: View) -> None:
        """Shows ``view`` in the table, and the answer in the cell under the table's cursor."""
        super().show(view)
        self._show_cell()

    @on(JudgedPane.CellChosen)
    def _show_cell(self) -> None:
        self.query_one(CellPane).put(self.table.judgment, self.table.chosen_column)
        self._lab.looked_at = self.table.looked_at
        self.call_later(self._explain)
        session = self._lab.session
        if session is not None:
            self.query_one(WhatIfPane).put_note(session.variants.note_controls(self.table.note))

    def _explain(self) -> None:
        self._lab.explain(self.table.judgment, self.table.chosen_column)

    def on_screen_resume(self) -> None:
        """Reads the judgments, runs queries without an answer, and finds the first query whose answer was changed by
        edits.
        """
        if self.view.edits.unseen:
            self.table.seek_changed()
        super().on_screen_resume()
        self._lab.read()

    @on(JudgedPane.OpenWanted)
    def _open(self) -> None:
        judgment, column = self.table.judgment, self.table.chosen_column
        if judgment is not None and column is not None:
            self.app.run_worker(self._lab.open(judgment, column.variant), exclusive=True, group="open query")

    @on(JudgedPane.RemoveWanted)
    def _remove(self, event: JudgedPane.RemoveWanted) -> None:
        self._lab.remove(event.column.variant)

    @on(JudgedPane.UnjudgeWanted)
    def _unjudge(self, event: JudgedPane.UnjudgeWanted) -> None:
        self._lab.unjudge(event.judgment)

    @on(WhatIfPane.ValueWanted)
    def _change(self, event: WhatIfPane.ValueWanted) -> None:
        if self.view.lab.what_if is None:
            self.table.column = 1  # the position of the new what-if column
        self._lab.change(event.target, event.value)

    @on(WhatIfPane.SweepWanted)
    def _sweep(self, event: WhatIfPane.SweepWanted) -> None:
        self._sweeps.begin(event.target, DEFAULT_METRICS[self.table.metric], event.with_last)

    @on(WhatIfPane.TypingWanted)
    def _type(self, event: WhatIfPane.TypingWanted) -> None:
        control = event.target

        def change(value: float | None) -> None:
            if value is not None:
                self._lab.change(control, value)

        self.app.push_screen(ValueField(control, event.value), change)

    @on(WhatIfPane.ResetWanted)
    def _reset(self) -> None:
        self._lab.reset()

    @on(WhatIfPane.KeepWanted)
    def _keep(self) -> None:
        def keep(name: str | None) -> None:
            if name is not None:
                self._lab.keep_profile(name)

        if self.view.lab.what_if is not None and self.view.lab.what_if.constants:
            self.app.push_screen(ProfileNameField(), keep)
        else:
            message = "no constant is changed, so there is nothing to save: {whatif.less} and {whatif.more} change one"
            self.notify(self.services.with_keys(message), timeout=4)

    # actions

    def action_add(self) -> None:
        """Asks for another column."""
        session = self._lab.session
        if session is None:
            return

        def add(variant: Variant | None) -> None:
            if variant is not None:
                self.add_column(variant)

        self.app.push_screen(VariantDialog(session.variants, self._lab.unsaved, self._lab.revisions, self.view), add)

    def add_column(self, variant: Variant) -> None:
        """Adds a column for ``variant`` and moves to it."""
        if self._lab.add(variant):
            self.table.show_column(variant)

    def action_stop(self) -> None:
        """Stops the running queries, or continues if they are stopped."""
        self._lab.stop()

    @property
    def renamed(self) -> Mapping[str, str]:
        """The label of the key that judges, which depends on whether a query is open."""
        name = "judge open query" if self.view.query.text.strip() else "judge logged queries"
        return {**super().renamed, "lab.judge": name}

    def action_judge(self) -> None:
        """Judges the open or logged queries by the answer in the selected column, or in the present without one."""
        column = self.table.chosen_column
        if column is not None:
            self._lab.keep_open_or_logged(Variant() if column.problem else column.variant)
