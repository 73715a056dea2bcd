"""The Problems pane, and checks of the edited text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message
from textual.timer import Timer

from brvtui.app.actions.panes import PROBLEMS
from brvtui.app.contents import Effect, TextCheck
from brvtui.app.editing.open_note import OpenNote
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import EditorState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.workers import Newest
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.editing.problems import Problem

# Checks texts and the effect of saving them. Every function blocks, so call it in a worker thread.


_MOST_ERRORS = 2
"""The maximum number of errors in the message after a save."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A text to check (``edited``), the ``note`` as it was opened, and the query whose answer is previewed."""

    path: str
    note: EditableText = field(repr=False)
    edited: str = field(repr=False)
    keep_mtime: bool
    query: str
    scope: str


def check(session: Session, request: CheckRequest) -> TextCheck:
    """Returns the problems of a text, and how saving it would affect the note's scores and the query's answer."""
    from brvtui.engines.contract import EngineError
    from brvtui.notes.note_problems import problems_of, refused_name
    from brvtui.tree.spaces.topic_html import UnreadableTopic

    path, query, keep, scope = request.path, request.query, request.keep_mtime, request.scope
    if refused := refused_name(session.snapshot, path):
        return TextCheck(refused)
    problems = problems_of(session.snapshot, path, request.note, request.edited)
    content = request.note.plain if session.kind.is_html else request.note.encode
    try:
        preview = session.preview_edit(query, path, content(request.edited), keep, scope)
    except (UnreadableTopic, EngineError):
        return TextCheck(problems)
    states = (preview.now, preview.renewed, preview.kept)
    effects = [
        Effect("best possible score", *(state.ceiling for state in states)),
        Effect("recency", *(state.recency for state in states)),
    ]
    if query.strip() and any(state.own for state in states):
        listed = any(moved.file == path for moved in preview.results)
        name = "score" if listed or not preview.now.own else "no result, score"
        score = Effect(name, *(state.own.score if state.own else None for state in states))
        effects = [score, *reversed(effects)]
    return TextCheck(problems, tuple(effects), preview)


def first_errors(session: Session, path: str, data: bytes, before: bytes) -> str:
    """Describes the first errors in a note's text with their line numbers; empty if there are none.

    ``before`` is the previous text on disk; if a new line above the frontmatter disables it, that is an error.
    """
    from brvtui.notes.note_problems import problems_of
    from brvtui.tree.editing.note_text import NotText, note_text
    from brvtui.tree.editing.problems import Severity

    try:
        note = was = note_text(data)
    except NotText:
        return ""
    with suppress(NotText):
        was = note_text(before)
    problems = problems_of(session.snapshot, path, replace(note, text=was.text), note.text)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    messages = [f"line {error.line + 1}: {error.message}" for error in errors[:_MOST_ERRORS]]
    return "; ".join(messages) + (f" (and {len(errors) - len(messages)} more)" if len(errors) > len(messages) else "")


# Checks of the text during typing.


CHECK_S = 0.2
"""The pause in typing, in seconds, after which the text is checked."""


class TextChecks:
    """Checks the open note's text after each pause in typing, one check at a time, and shows the newest result."""

    def __init__(self, screen: FrameScreen, note: OpenNote) -> None:
        self._screen = screen
        self._note = note
        self._newest: Newest[CheckRequest] = Newest(self._check)
        self._last: CheckRequest | None = None
        self._checked_for: tuple[object, ...] = ()
        """The query, scope, profile and tree at the time of the last check."""
        self._timer: Timer | None = None

    def look_at_view(self) -> None:
        """Checks the text again after a pause if the query or the tree has changed."""
        if self._note.disk is not None and self._checked_for != self._depends_on:
            self.check_soon()

    @property
    def _depends_on(self) -> tuple[object, ...]:
        view = self._screen.view
        return (view.query.text, view.query.scope, view.engine.profile, id(view.project.overview))

    def check_soon(self) -> None:
        """Checks the text after a pause."""
        self._checked_for = self._depends_on
        self._stop_timer()
        self._timer = self._screen.set_timer(CHECK_S, self._check_now)

    def _check_now(self) -> None:
        self._timer = None
        disk, edit, text, query = self._note.disk, self._note.edit, self._note.text, self._screen.view.query
        if disk is None or edit is None or text is None:
            return
        self._last = CheckRequest(disk.path, text, self._note.area.text, edit.keep_mtime, query.text, query.scope)
        self._newest.want(self._last)

    def _check(self, request: CheckRequest) -> None:
        task, on_result = partial(check, self._note.session, request), partial(self._checked, request)
        background = self._screen.services.background
        background.run(task, on_result, group="check", on_end=self._newest.finished, owner=self._screen)

    def _checked(self, request: CheckRequest, check: TextCheck) -> None:
        if request is self._last and self._note.edit is not None:
            self._note.show(replace(self._note.edit, check=check))

    def stop(self) -> None:
        """Stops checking; the result of a running check is not shown."""
        self._stop_timer()
        self._last = None
        self._checked_for = ()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


class ProblemsPane(ChoicePane):
    """Lists the problems with their line numbers."""

    TITLE = "Problems"
    READS = (EditorState,)
    HELP_TEXT = (
        "This pane lists the problems in the text that you are editing: frontmatter that the engine cannot read, "
        "values that it does not recognise, and relations to missing notes. The list is updated while you type, and "
        "you can save despite the problems. Press Enter to go to the line of the selected problem."
    )
    TAKES_CLICK = True
    BINDINGS = bindings(PROBLEMS)

    @dataclass
    class LineChosen(Message):
        """Posted when the user chooses a problem; line and column are counted from 0."""

        line: int
        column: int

    def heading(self, view: View) -> str:
        """Returns the title with the number of problems."""
        problems = view.editor.edit.check.problems if view.editor.edit else ()
        return f"Problems · {len(problems)}" if problems else "Problems"

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the line number and message of each problem."""
        problems = view.editor.edit.check.problems if view.editor.edit else ()
        self.choices, self.owner = [f"{problem.line + 1}:{problem.column + 1}" for problem in problems], []
        if not problems:
            return wrapped("none found", width)
        digits = len(str(problems[-1].line + 1))
        lines: list[Line] = []
        for number, problem in enumerate(problems):
            for place, part in enumerate(wrap(problem.message, width - digits - 3)):
                head = line(f" {problem.line + 1 if place == 0 else '':>{digits}} ", f"bold {role_of(problem)}")
                lines.append(head.add(part, "text"))
                self.owner.append(number)
        self.cursor = min(self.cursor, len(problems) - 1)
        return lines

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: going to a line if there is no problem."""
        return frozenset() if self.chosen else frozenset({"problems.line"})

    def action_take(self) -> None:
        """Moves the text cursor to the line of the selected problem."""
        if self.chosen:
            row, _, column = self.chosen.partition(":")
            self.post_message(self.LineChosen(int(row) - 1, int(column) - 1))


def role_of(problem: Problem) -> str:
    """Returns the role for painting a problem."""
    return "bad" if problem.severity == "error" else "warn"
