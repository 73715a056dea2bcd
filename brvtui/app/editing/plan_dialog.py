"""Dialogs that show a plan to change notes before it is applied. They return the plan, or None."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from brvtui.app.actions.dialogs import PLAN
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.ordered_keys import Field, Options
from brvtui.app.widgets.pane import Pane
from brvtui.paint.differences import hunk_lines
from brvtui.paint.glyphs import MATURITIES, Glyphs
from brvtui.paint.line import Line, hanging, line
from brvtui.paint.text import cut_left, wrap
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan, Recorded, Step
    from brvtui.notes.signals import SignalTarget
    from brvtui.session.edit_effect import EditEffect
    from brvtui.tree.editing.merging import Hunk

# The pane with a plan before it is applied: every file and line that it changes.


_LOOKING = "working out what would change…"


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """A plan with its changes to files; without a plan, the problem, if it is known."""

    plan: Plan | None = None
    problem: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The removed file with the same text as a new file, keyed by the new file's path."""
    hunks: Mapping[str, Sequence[Hunk]] = field(default_factory=dict)
    """The changed lines, keyed by the path of each file that is written but not copied."""


_NOTHING = PlanPreview()


def preview_of(make: Callable[[], Plan]) -> PlanPreview:
    """Returns the preview of the plan from ``make``, or the reason why there is no plan. Blocks."""
    from brvtui.notes.plan import NoteError, Write
    from brvtui.tree.editing.merging import difference

    try:
        plan = make()
    except NoteError as error:
        return PlanPreview(problem=str(error))
    writes = [step for step in plan.steps if isinstance(step, Write)]
    removed = {step.before.data: step.path for step in reversed(writes) if step.after is None and step.before}
    sources, hunks = {}, {}
    for step in writes:
        if step.after is None:
            continue
        if step.before is None and step.after.data in removed:
            sources[step.path] = removed[step.after.data]
            continue
        before, after = (
            held.data.decode("utf-8", "replace").replace("\r\n", "\n") if held else ""
            for held in (step.before, step.after)
        )
        hunks[step.path] = difference(after, before, context=0)
    return PlanPreview(plan, "", sources, hunks)


class PlanPane(Pane):
    """Shows the files that a plan changes, its notices, and the changed lines."""

    TITLE = "What will change"
    HELP_TEXT = (
        "This is a preview of the change: every file that would be created, moved, changed or removed, and every line "
        "that would change. Nothing happens until you confirm. The change is then made completely or not at all, and "
        "{note.undo} undoes it as a whole."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.preview = _NOTHING
        self.effect: Sequence[Line] | None = ()
        """The effect of the plan on queries; None until it is known."""

    @property
    def plan(self) -> Plan | None:
        """The plan, if it is ready."""
        return self.preview.plan

    @property
    def problem(self) -> str:
        """The reason why there is no plan."""
        return self.preview.problem

    def show_plan(self, preview: PlanPreview) -> None:
        """Shows ``preview``; if it is empty, shows that the plan is being prepared."""
        self.preview, self.effect = preview, ()
        self.offset_row = 0
        self.rebuild(force=True)

    def show_effect(self, effect: Sequence[Line] | None) -> None:
        """Shows the ``effect`` of the plan above it; if it is None, shows that queries are being run."""
        self.effect = effect
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the files, notices and lines of the plan."""
        if self.problem:
            return [line(f" {part}", "warn") for part in wrap(self.problem, width - 2)]
        if self.plan is None:
            return wrapped(_LOOKING, width)
        effect = [line(_RUNNING, "muted")] if self.effect is None else self.effect
        lines = [part for entry in effect for part in hanging(entry, width, 3)]
        lines += [Line()] if lines else []
        sources = self.preview.sources
        lines += [entry for step in self.plan.steps for entry in _step(step, sources, width)]
        lines += [line(f" {part}", "warn") for notice in self.plan.notices for part in wrap(notice, width - 2)]
        for path, hunks in self.preview.hunks.items():
            lines += [Line(), line(f" {path}", "bold strong").cut(width), *hunk_lines(hunks, width)]
        return lines


def _step(step: Step, sources: Mapping[str, str], width: int) -> list[Line]:
    from brvtui.notes.plan import Move, MoveFolder, Record

    if isinstance(step, Move | MoveFolder):
        return [_step_line("moves", step.path, width), _step_line("to", step.target, width)]
    if isinstance(step, Record):
        return [_step_line("records", f"{entry.path}: {_signals(entry)}", width) for entry in step.entries]
    if step.before is None:
        source = sources.get(step.path, "")
        return [_step_line("creates", step.path, width), *([_step_line("from", source, width)] if source else [])]
    if step.after is None:
        return [_step_line("removes", step.path, width)]
    return [_step_line("changes", step.path, width)]


def _step_line(verb: str, what: str, width: int) -> Line:
    return line(f" {verb:>8} ", "muted").add(cut_left(what, width - 11), "strong")


def _signals(entry: Recorded) -> str:
    """Describes a note's overlay signals before and after the plan."""
    before, after = (
        f"{one.maturity}, importance {one.importance:g}" if one is not None else ""
        for one in (entry.before, entry.after)
    )
    return f"{before} → {after or 'nothing'}" if before else after


FindEffect = Callable[["Plan"], Sequence[Line]]
_RUNNING = " running the judged and logged queries with this change…"
_MOST_QUERIES = 6


def effect_lines(effect: EditEffect, glyphs: Glyphs) -> list[Line]:
    """Returns lines about the effect of a plan on queries, worse answers first."""
    asked = effect.judged + effect.unjudged
    if not asked:
        return [line(" no query is judged or logged, so the effect on answers is not known", "muted")]
    queries = counted(asked, "judged or logged query", "judged and logged queries")
    if not effect.otherwise:
        return [line(f" {glyphs.check} {queries}: every answer stays the same", "ok")]
    worse = [change for change in effect.judged_otherwise if change.is_loss]
    head = f"{len(effect.otherwise)} of {queries} would get a different answer, {len(worse)} of them worse"
    lines = [line(f" {glyphs.cross if worse else glyphs.bullet} {head}", "bad" if worse else "strong")]
    for change in sorted(effect.otherwise, key=lambda change: change not in worse)[:_MOST_QUERIES]:
        mark = "worse" if change in worse else ""
        lines.append(line(f" {mark:>5} ", "bad").add(change.now.text, "strong").add(f": {change.summary}", "text"))
    return lines


PAUSE_S = 0.15
"""The pause in typing, in seconds, after which the plan is prepared again."""
_SAME = "type another path in the tree, ending in .md; Enter then moves the note"
_SAME_TITLE = "type another title; Enter then changes it"
_SAME_SIGNALS = "these are its current signals: change one, or choose where they are stored"
_NUMBER = "importance must be a number from 0 to 100"


class PlanDialog(Dialog["Plan"]):
    """Shows a plan and waits for Enter. Subclasses add fields that change the plan."""

    BINDINGS = bindings(PLAN)
    AUTO_FOCUS = "#plan"

    def __init__(
        self, title: str, message: str, make: Callable[[], Plan] | None = None, effect: FindEffect | None = None
    ) -> None:
        """Creates a dialog that shows ``message``.

        ``make`` returns the plan; it may block, and raises NoteError if no plan is possible. ``effect`` returns the
        plan's effect on queries, which is shown before the plan can be applied; it may block too.
        """
        super().__init__(title, message, wide=True)
        self._make = make
        self._effect = effect
        self._number = 0
        """The number of requested plans, used to recognise outdated results."""
        self._planned_for: object = None
        self._pause_timer: Timer | None = None

    def make_fields(self) -> ComposeResult:
        """Yields the fields between the question and the plan."""
        yield from ()

    def make_parts(self) -> ComposeResult:
        """Yields the question, the fields and the plan."""
        yield from super().make_parts()
        yield from self.make_fields()
        yield PlanPane(id="plan")

    @property
    def pane(self) -> PlanPane:
        """The pane that shows the plan."""
        return self.query_one(PlanPane)

    @property
    def entered(self) -> object:
        """The current values of the dialog's fields."""
        return None

    def maker(self) -> Callable[[], Plan] | str:
        """Returns a function that prepares the plan for the fields, or a line that explains why there is none."""
        return self._make or ""

    def on_mount(self) -> None:
        """Requests the plan."""
        self._plan()

    @on(Options.Chosen)
    @on(Input.Changed)
    def _changed(self) -> None:
        if self._pause_timer is not None:
            self._pause_timer.stop()
        if isinstance(self.maker(), str):
            self._plan()
            return
        self._number += 1  # ignore the plan that is being prepared
        self._show(_NOTHING)
        self._pause_timer = self.set_timer(PAUSE_S, self._plan)

    def _plan(self) -> None:
        self._number += 1
        self._planned_for = self.entered
        make = self.maker()
        if isinstance(make, str):
            self._show(PlanPreview(problem=make))
            return
        self._show(_NOTHING)
        on_result = partial(self._planned, self._number)
        self.services.background.run(partial(preview_of, make), on_result, group="plan", owner=self)

    def _planned(self, number: int, preview: PlanPreview) -> None:
        if number != self._number:
            return
        self._show(preview)
        if self._effect is not None and (plan := preview.plan) is not None:
            self.pane.show_effect(None)
            task, shown = partial(self._effect, plan), partial(self._show_effect, number)
            self.services.background.run(task, shown, group="effect", exclusive=True, owner=self)

    def _show_effect(self, number: int, effect: Sequence[Line]) -> None:
        if number == self._number:
            self.pane.show_effect(effect)

    def _show(self, preview: PlanPreview) -> None:
        self.pane.show_plan(preview)
        self.show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables Enter while there is a problem instead of a plan."""
        return action != "carry_out" or not any(pane.problem for pane in self.query(PlanPane))

    async def action_carry_out(self) -> None:
        """Closes the dialog and returns the plan, if it matches the current values of the fields."""
        await caught_up(self.focused)
        if self.pane.plan is not None and self._planned_for == self.entered and self.pane.effect is not None:
            self.dismiss(self.pane.plan)
        else:  # only a plan that has been shown can be applied
            self.services.notify("the changes will appear here; then press Enter to make them", timeout=3)


class TextDialog(PlanDialog):
    """Asks for another text, such as a title."""

    AUTO_FOCUS = "Input"

    def __init__(
        self,
        title: str,
        message: str,
        text: str,
        make: Callable[[str], Plan],
        hint: str = _SAME_TITLE,
        effect: FindEffect | None = None,
    ) -> None:
        """Creates a dialog that proposes ``text``; ``make`` plans another one. ``hint`` asks for another one."""
        super().__init__(title, message, effect=effect)
        self._text = text
        self._make_of = make
        self._hint = hint

    def make_fields(self) -> ComposeResult:
        """Yields the field for the text."""
        yield Field("to", self._text, id="target")

    @property
    def entered(self) -> str:
        """The typed text, in one line."""
        return " ".join(self.query_one(Field).value.split())

    def maker(self) -> Callable[[], Plan] | str:
        """Returns a function that makes the plan, or a hint if the text is unchanged or empty."""
        return self._hint if self.entered in ("", self._text) else partial(self._make_of, self.entered)


class MoveDialog(TextDialog):
    """Asks for the new path of a note or folder."""

    def __init__(self, path: str, make: Callable[[str], Plan]) -> None:
        """Creates a dialog for ``path``; ``make`` plans the move to another path."""
        message = f"Changes the path of {path}, and updates the links to it and in it."
        super().__init__("Rename or move", message, path, make, _SAME)

    def on_mount(self) -> None:
        """Requests the plan and places the cursor before the file ending."""
        super().on_mount()
        self.query_one(Input).cursor_position = len(self._text.removesuffix(".md"))

    @on(Input.Changed)
    def _ending_typed(self, event: Input.Changed) -> None:
        """Removes the proposed file ending when the user types another ending before it."""
        if event.input.value.endswith(".md.md"):
            event.input.value = event.input.value.removesuffix(".md")

    @property
    def entered(self) -> str:
        """The typed path, with at most one ``.md`` at its end."""
        target = self.query_one(Field).value.strip()
        while target.endswith(".md.md"):
            target = target.removesuffix(".md")
        return target


class SignalsDialog(PlanDialog):
    """Asks for a note's maturity and importance, and for the place to store them."""

    AUTO_FOCUS = "#maturity"

    def __init__(
        self,
        path: str,
        maturity: str,
        importance: float,
        target: SignalTarget,
        make: Callable[[str, float, SignalTarget], Plan],
        proposed: str = "",
    ) -> None:
        """Creates a dialog for the note at ``path`` with its current signals, which are stored in ``target``.

        ``make`` plans other signals. If ``proposed`` is not empty, this maturity is selected at first.
        """
        message = f"{path}: {maturity}, importance {importance:g}. The engine's own store is never changed."
        super().__init__("Signals", message)
        self._now = maturity, importance, target
        self._proposed = proposed or maturity
        self._make_signals = make

    def make_fields(self) -> ComposeResult:
        """Yields the fields for maturity, importance and the place to store them."""
        from brvtui.notes.signals import SignalTarget

        yield Options("maturity", MATURITIES, self._proposed, id="maturity")
        yield Field("importance", f"{self._now[1]:g}", id="importance")
        yield Options("keep in", [where.value for where in SignalTarget], self._now[2].value, id="where")

    def on_key(self, event: events.Key) -> None:
        """Types a digit into the field for the importance, even if another control has the focus."""
        field = self.query_one(Input)
        if self.focused is not field and event.character and event.character.isdecimal():
            field.focus()
            field.value, field.cursor_position = event.character, 1

    @property
    def entered(self) -> tuple[str, str, str]:
        """The selected maturity, the typed importance, and the selected place to store them."""
        maturity, where = (self.query_one(name, Options).chosen for name in ("#maturity", "#where"))
        return maturity, self.query_one(Field).value, where

    def maker(self) -> Callable[[], Plan] | str:
        """Returns a function that plans new signals, or a hint if they are invalid or unchanged."""
        from brvtui.notes.signals import SignalTarget

        maturity, typed, where = self.entered
        try:
            # the field shows fewer digits than are stored
            importance = self._now[1] if typed == f"{self._now[1]:g}" else float(typed)
        except ValueError:
            return _NUMBER
        if not 0 <= importance <= 100:
            return _NUMBER
        target = SignalTarget(where)
        if (maturity, importance, target) == self._now:
            return _SAME_SIGNALS
        return partial(self._make_signals, maturity, importance, target)
