"""The pane that shows a plan before it is carried out: every file and line that it changes."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line, line
from brvtui.paint.text import cut_left, wrap

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan, Recorded, Step, Write

_LOOKING = "looking what that changes…"


class PlanPane(Pane):
    """Shows the files that a plan changes, then notices, then lines."""

    TITLE = "What it does"
    HELP_TEXT = (
        "Every file that would be made, moved, changed or removed, and every line that would change. Nothing is done "
        "before you confirm; then all of it is done or nothing, and {note.undo} undoes it."
    )

    def __init__(self, *, id: str) -> None:
        """A pane that waits for a plan."""
        super().__init__(id=id)
        self.plan: Plan | None = None
        self.problem = ""

    def show_plan(self, plan: Plan | None, problem: str = "") -> None:
        """Shows ``plan``, or the ``problem`` that there is none; without both, that it is being made."""
        self.plan, self.problem = plan, problem
        self.offset_row = 0
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """The files, notices and lines of the plan."""
        if self.problem:
            return [line(f" {part}", "warn") for part in wrap(self.problem, width - 2)]
        if self.plan is None:
            return wrapped(_LOOKING, width)
        made = [entry for step in self.plan.steps for entry in _step(step, self.plan, width)]
        made += [line(f" {part}", "warn") for notice in self.plan.notices for part in wrap(notice, width - 2)]
        return made + _edits(self.plan, width) + _contents(self.plan, width)


def _step(step: Step, plan: Plan, width: int) -> list[Line]:
    from brvtui.notes.plan import Move, MoveFolder, Record

    if isinstance(step, Move | MoveFolder):
        return [_does("moves", step.path, width), _does("to", step.target, width)]
    if isinstance(step, Record):
        return [_does("records", f"{entry.path}: {_signals(entry)}", width) for entry in step.entries]
    if step.before is None:
        source = _source(step, plan)
        return [_does("makes", step.path, width), *([_does("from", source, width)] if source else [])]
    if step.after is None:
        return [_does("removes", step.path, width)]
    return [_does("changes", step.path, width)]


def _does(verb: str, what: str, width: int) -> Line:
    return line(f" {verb:>8} ", "muted").add(cut_left(what, width - 11), "strong")


def _source(step: Write, plan: Plan) -> str:
    """Returns the removed file whose text a new file has; empty when there is none."""
    from brvtui.notes.plan import Write

    assert step.after is not None
    for other in plan.steps:
        if isinstance(other, Write) and other.after is None and other.before and other.before.data == step.after.data:
            return other.path
    return ""


def _contents(plan: Plan, width: int) -> list[Line]:
    """Returns the content of new files, unless it is that of a removed file."""
    from brvtui.notes.plan import Write

    made: list[Line] = []
    for step in plan.steps:
        if isinstance(step, Write) and step.before is None and step.after is not None and not _source(step, plan):
            made += [Line(), line(f" {step.path}", "bold strong").cut(width)]
            rows = step.after.data.decode("utf-8", "replace").rstrip("\n").split("\n")
            for number, row in enumerate(rows, start=1):
                made += _change(number, "+", row, width)
    return made


def _signals(entry: Recorded) -> str:
    """What the overlay holds of a note then, and what it held before, if anything."""
    before, after = (
        f"{one.maturity}, importance {one.importance:g}" if one is not None else ""
        for one in (entry.before, entry.after)
    )
    return f"{before} → {after or 'nothing'}" if before else after


def _edits(plan: Plan, width: int) -> list[Line]:
    """Returns the lines that change in files that stay."""
    from brvtui.notes.plan import Write

    made: list[Line] = []
    listed = {edit.path for edit in plan.edits}
    for path, edits in groupby(plan.edits, lambda edit: edit.path):
        made += [Line(), line(f" {path}", "bold strong").cut(width)]
        for edit in edits:
            made += _change(edit.line, "-", edit.before, width) + _change(edit.line, "+", edit.after, width)
    for step in plan.steps:
        if isinstance(step, Write) and step.before and step.after and step.path not in listed:
            made += [Line(), line(f" {step.path}", "bold strong").cut(width)]
            made += _difference(step.before.data, step.after.data, width)
    return made


def _difference(before: bytes, after: bytes, width: int) -> list[Line]:
    from brvtui.app.editing.sides import SIGNS
    from brvtui.tree.editing.merging import difference

    old, new = (data.decode("utf-8", "replace") for data in (before, after))
    rows = [row for hunk in difference(new, old, context=0) for row in hunk.lines]
    return [made for row in rows for made in _change(row.mine or row.theirs or 0, SIGNS[row.side][0], row.text, width)]


def _change(number: int, sign: str, text: str, width: int) -> list[Line]:
    role = "bad" if sign == "-" else "ok"
    parts = wrap(text, width - 9)
    return [
        line(f" {number if place == 0 else '':>4} ", "faint").add(f"{sign if place == 0 else ' '} {part}", role)
        for place, part in enumerate(parts)
    ]
