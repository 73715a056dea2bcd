"""The What-if pane: a slider for every constant, for the clock, and for the current note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import WHAT_IF
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import LabState, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.lab.evaluation.results import DEFAULT_METRICS, mean_of
from brvtui.lab.whatif.variant import CLOCK, Control, Value, Variant, value_in
from brvtui.paint.line import Line, line
from brvtui.wording import counted

_LABEL, _VALUE, _WAS = 18, 9, 9
_ROOMY = 60
"""The minimum width with space for names and units."""
_LEAST_TRACK = 8
_BOUNDS = ("limits", "text")
"""The groups of constants that limit how much text is read. These constants rarely explain an answer."""


class WhatIfPane(ChoicePane):
    """A row for each value that can be changed, with a heading for each group."""

    TITLE = "What if"
    READS = (LabState, ProjectState)
    HELP_TEXT = (
        "Here you can try other values for the engine's constants, the clock and the current note, and see how "
        "answers would change. The “what if” column in the table of judged queries shows these answers, first for the "
        "open query and the visible rows. Changed constants are marked and show their original value. Press "
        "{pane.filter} to find a constant by its name. A sweep runs the queries with many values of a constant and "
        "shows where the tier changes."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(WHAT_IF)

    @dataclass
    class ValueWanted(Message):
        """Posted to set a control to another value."""

        target: Control
        value: Value

        def can_replace(self, message: Message) -> bool:
            """True if ``message`` is for the same control, since only the last value of a drag matters."""
            return isinstance(message, WhatIfPane.ValueWanted) and message.target.key == self.target.key

    class ResetWanted(Message):
        """Posted to reset all controls."""

    class KeepWanted(Message):
        """Posted to save the constants as a profile."""

    @dataclass
    class SweepWanted(Message):
        """Posted to sweep a control, together with the last swept control if ``with_last``."""

        target: Control
        with_last: bool

    @dataclass
    class TypingWanted(Message):
        """Posted to ask the user for a value."""

        target: Control
        value: Value

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.note_controls: tuple[Control, ...] = ()
        self._by_key: dict[str, Control] = {}
        self._track = (0, 0)
        """The first cell and the length of all sliders, in cells."""
        self._value = _VALUE
        self._touched = ""
        """The key of the last changed control, which stays visible while filtering."""

    def put_note(self, controls: tuple[Control, ...]) -> None:
        """Sets the controls of the current note."""
        if controls != self.note_controls:
            self.note_controls = controls
            self.rebuild()

    def reads(self, view: View) -> tuple[object, ...]:
        """Returns the sliders and controls; new answers do not affect them."""
        return (view.lab.what_if, view.lab.controls)

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the note's controls."""
        return (self.note_controls, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title with the changes and their effect, so that they are visible even if the table is not."""
        changed = view.lab.what_if
        return f"{self.TITLE} · {effect_of(view.lab)}{changed}" if changed is not None else self.TITLE

    @property
    def control(self) -> Control | None:
        """The control under the cursor."""
        return self._by_key.get(self.chosen)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a line for each control, and a heading above each group."""
        before, lab = self.chosen, view.lab
        self.choices, self.owner, self._by_key = [], [], {}
        lines: list[Line] = []
        group = ""
        controls = _in_order(lab, self.note_controls)
        if not controls:
            if view.project.saved:
                return wrapped("a saved trace: open its project to change constants", width)
            return wrapped(f"the engine's constants appear here once the {view.kind.noun}s are read", width)
        is_roomy = width >= _ROOMY
        label = min(_LABEL + (4 if is_roomy else 0), width // 3)
        self._value = _VALUE + (6 if is_roomy else 0)
        cells = max(width - label - self._value - _WAS - 4, _LEAST_TRACK)
        self._track = (label + 3, cells)
        for control in controls:
            title = f"{control.group}: {control.path}" if control.path else control.group
            if title != group:
                group = title
                self.add_rows(lines, [line(f" {group}", "bold muted").cut(width)])
            self._by_key[control.key] = control
            self.add_rows(lines, [self._row(control, lab.what_if or Variant(), label, width)], control.key)
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return lines

    def _row(self, control: Control, variant: Variant, label: int, width: int) -> Line:
        value = value_in(variant, control)
        changed = value != control.base
        mark = self.glyphs.bullet if changed else " "
        row = (
            line(f"{mark} ", "bold accent")
            .fit(control.name if self.word_filter else control.label, label, "bold strong" if changed else "text")
            .gap()
        )
        if control.choices:
            for choice in control.choices:
                chosen = choice == value
                text = _value_text(choice, "")
                row.add(f"[{text}]" if chosen else f" {text} ", "bold accent" if chosen else "muted")
        else:
            row.extend(self._slider(control, value, changed).spans).gap()
            shown_value = _value_text(value, control.unit)
            shown_value = shown_value if len(shown_value) < self._value else _value_text(value, "")
            row.fit(shown_value, self._value, "strong" if changed else "text")
        return row.add(f"was {_value_text(control.base, '')}" if changed else "", "muted").cut(width)

    def _slider(self, control: Control, value: Value, changed: bool) -> Line:
        cells = self._track[1]
        full, rest, handle, was = ("━", "─", "●", "┊") if self.glyphs.unicode else ("=", "-", "O", ":")
        place, base = (round(control.share(each) * (cells - 1)) for each in (value, control.base))
        signs = [full] * place + [handle] + [rest] * (cells - place - 1)
        if changed and base != place:
            signs[base] = was
        role = "accent" if changed else "muted"
        return Line().add("".join(signs[: place + 1]), role).add("".join(signs[place + 1 :]), "faint")

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the names that the filter searches."""
        control = self._by_key[choice]
        return f"{control.group} {control.name} {control.key} {control.name.replace('_', ' ')}"

    def keeps(self, choice: str, lines: Sequence[Line]) -> bool:
        """True for rows that match the filter, and for the last changed control, so that keys can change it again."""
        return choice == self._touched or super().keeps(choice, lines)

    def put_filter(self, text: str) -> None:
        """Filters by ``text``, and no longer keeps the last changed control."""
        self._touched = ""
        super().put_filter(text)

    def on_click(self, event: events.Click) -> None:
        """Selects the row, and moves its slider to the clicked cell."""
        super().on_click(event)
        content, control = event.get_content_offset(self), self.control
        first, cells = self._track
        if content is None or control is None or control.choices or not first <= content.x < first + cells:
            return
        number = self.line_at(content.y)
        if 0 <= number < len(self.owner) and self.owner[number] == self.cursor:
            share = (content.x - first) / max(cells - 1, 1)
            self._want(control, control.at(control.least + share * (control.most - control.least)))

    def _want(self, control: Control, value: Value) -> None:
        self._touched = control.key
        self.post_message(self.ValueWanted(control, value))

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: moving past the end of a range, and resetting or saving unchanged values."""
        control, variant = self.control, self.view.lab.what_if or Variant()
        idle = set() if self.view.lab.what_if is not None else {"whatif.reset"}
        idle |= set() if variant.constants else {"whatif.keep"}
        if control is not None:
            value = value_in(variant, control)
            steps = {
                "whatif.more": control.moved(value, 1),
                "whatif.less": control.moved(value, -1),
                "whatif.restore": control.base,
            }
            idle |= {name for name, moved in steps.items() if moved == value}
        return frozenset(idle)

    # actions

    def action_step(self, steps: int) -> None:
        """Moves the slider by ``steps``."""
        control = self.control
        if control is not None:
            self._want(control, control.moved(value_in(self.view.lab.what_if or Variant(), control), steps))

    def action_type(self) -> None:
        """Asks for a value, or selects the next choice if the control has choices."""
        control = self.control
        if control is None:
            return
        value = value_in(self.view.lab.what_if or Variant(), control)
        if control.choices:
            self._want(control, control.moved(value, 1))
        else:
            self.post_message(self.TypingWanted(control, value))

    def action_restore(self) -> None:
        """Resets the value under the cursor."""
        if self.control is not None:
            self._want(self.control, self.control.base)

    def action_reset(self) -> None:
        """Resets all values."""
        self.post_message(self.ResetWanted())

    def action_sweep(self, with_last: bool = False) -> None:
        """Runs the queries over the range of the value under the cursor."""
        if self.control is not None:
            self.post_message(self.SweepWanted(self.control, with_last))

    def action_keep(self) -> None:
        """Saves the constants as a profile."""
        self.post_message(self.KeepWanted())


def effect_of(lab: LabState) -> str:
    """Describes the effect of the sliders on judged queries: the mean metrics, and the number of changed tiers."""
    slid = next((column for column in lab.columns if column.variant == lab.what_if), None)
    if slid is None or not lab.judgments:
        return ""
    first = lab.columns[0].cells
    both = [each.id for each in lab.judgments if each.id in first and each.id in slid.cells]
    means = [mean_of(cells[each].values[0] for each in both) for cells in (first, slid.cells)]
    tiers = sum(first[each].result.outcome != slid.cells[each].result.outcome for each in both)
    now, then = (f"{mean:.2f}" if mean is not None else "–" for mean in means)
    other = f", {counted(tiers, 'other tier', 'other tiers')}" if tiers else ""
    return f"{DEFAULT_METRICS[0]} {now} → {then}{other} · "


def _in_order(lab: LabState, notes: tuple[Control, ...]) -> list[Control]:
    """Returns the controls in order: the clock, the current note, and the constants, with the limits last."""
    clock = [each for each in lab.controls if each.group == CLOCK]
    constants = [each for each in lab.controls if each.group != CLOCK]
    return [*clock, *notes, *sorted(constants, key=lambda each: each.group in _BOUNDS)]


def _value_text(value: Value, unit: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.10g} {unit}".strip()
