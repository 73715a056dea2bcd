"""The pane with the problems of the text that is being edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from brvtui.app.actions.panes import PROBLEMS
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import EditorState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.tree.editing.problems import Problem


class ProblemsPane(ChoicePane):
    """Lists the problems with the numbers of their lines."""

    TITLE = "Problems"
    READS = (EditorState,)
    HELP_TEXT = (
        "What is wrong with the text: frontmatter that the engine would not read, values that it does not know, "
        "relations to notes that do not exist. Problems are found while you type, and you can save all the same. Enter "
        "goes to the line."
    )
    BINDINGS = bindings(PROBLEMS)

    @dataclass
    class LineChosen(Message):
        """Asks to show a place in the text; line and column count from 0."""

        line: int
        column: int

    def heading(self, view: View) -> str:
        """The title with the number of problems."""
        problems = view.editor.edit.check.problems if view.editor.edit else ()
        return f"Problems · {len(problems)}" if problems else "Problems"

    def build(self, view: View, width: int) -> list[Line]:
        """The number of the line and the message of each problem."""
        problems = view.editor.edit.check.problems if view.editor.edit else ()
        self.choices, self.owner = [f"{problem.line + 1}:{problem.column + 1}" for problem in problems], []
        if not problems:
            return wrapped("none found", width)
        digits = len(str(problems[-1].line + 1))
        made: list[Line] = []
        for number, problem in enumerate(problems):
            for place, part in enumerate(wrap(problem.message, width - digits - 3)):
                head = line(f" {problem.line + 1 if place == 0 else '':>{digits}} ", f"bold {role_of(problem)}")
                made.append(head.add(part, "text"))
                self.owner.append(number)
        self.cursor = min(self.cursor, len(problems) - 1)
        return made

    @property
    def idle(self) -> frozenset[str]:
        """Going to the line of a problem, where there is none."""
        return frozenset() if self.chosen else frozenset({"problems.line"})

    def clicked(self, place: int) -> None:
        """Goes to the line of the problem that was clicked."""
        self.move_to(place)
        self.action_take()

    def action_take(self) -> None:
        """Goes to the line of the problem under the cursor."""
        if self.chosen:
            row, _, column = self.chosen.partition(":")
            self.post_message(self.LineChosen(int(row) - 1, int(column) - 1))


def role_of(problem: Problem) -> str:
    """Returns the role that a problem is painted in."""
    return "bad" if problem.severity == "error" else "warn"
