"""The effect of a migration to ByteRover V4: answers and notes before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container

from brvtui.app.actions.dialogs import VERSIONS
from brvtui.app.actions.panes import MIGRATED, MIGRATION
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.pane import Pane
from brvtui.lab.migration import AnswerChange
from brvtui.paint.line import Line, flowed, line, rule
from brvtui.report.migration import CHANGE_ROLES, answer_lines, losses
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.engines.migration import MigratedNote, MigratedTree
    from brvtui.engines.verification.results import Verification
    from brvtui.session.migrating import MigrationReport
    from brvtui.session.verifying import VerificationStatus

# The dialog about the installed engine.


VERIFY, MIGRATE = "verify", "migrate"
"""The results of :class:`VersionsDialog`: verify the engine, or preview a migration."""
_SHOWN = 3


class VersionsDialog(Dialog[str]):
    """Shows the installed engine and its verification; returns the next step, or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(VERSIONS)

    def __init__(self, status: VerificationStatus, result: Verification | None, is_asking: bool, is_tree: bool) -> None:
        """Creates the dialog for ``status`` and this session's ``result``; ``is_tree`` means a context tree."""
        super().__init__("The installed engine", *_paragraphs(status, result, is_asking))
        self._acts = {VERIFY: status.installed is not None and not is_asking, MIGRATE: is_tree}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enables verification only for an installed engine that is idle, and migration only for a context tree."""
        return all(self._acts.get(str(one), True) for one in parameters)


def _paragraphs(status: VerificationStatus, result: Verification | None, is_asking: bool) -> Iterator[str]:
    if status.installed is not None:
        yield f"{status.installed.name}, in {status.installed.folder}"
    yield f"{status.sentence}."
    if is_asking:
        yield "Verification is running in the background."
    if result is None:
        yield (
            "Verifying sends the same queries to the engine and to brv-tui, on a copy of this project, without "
            "network access and at the same simulated time. Your project is not changed."
        )
        return
    yield f"In this session: {result.sentence}; {result.isolation}."
    for difference in result.differences[:_SHOWN]:
        query = difference.query or "every query"
        yield f"{query} first differs in {difference.step}: {difference.engine} there, {difference.ours} here."


_BESIDE = 100
"""The minimum width, in cells, for two panes side by side."""
_QUERY, _NOTE = "query ", "note "
_ORDER = list(AnswerChange)


@dataclass(frozen=True)
class ShownMigration:
    """The space that a migration would create, and the answers before and after."""

    tree: MigratedTree
    report: MigrationReport
    not_run: int = 0
    """The number of judged queries that are left out, because running all of them would take minutes."""


class MigrationDialog(Dialog[None]):
    """Lists answers and notes, and shows how the selected one changes."""

    DEFAULT_CSS = """
    MigrationDialog #migration { height: 1fr; layout: vertical; }
    MigrationDialog #migration.-beside { layout: horizontal; }
    MigrationDialog #migration.-beside #changes { width: 2fr; }
    MigrationDialog #migration.-beside #change { width: 3fr; }
    """
    AUTO_FOCUS = "#changes"

    def __init__(self, shown: ShownMigration) -> None:
        """Shows ``shown``."""
        super().__init__("From 3 to 4: a preview, nothing is written", _summary(shown.report, shown.not_run), wide=True)
        self._changes = MigrationList(shown, id="changes")
        self._change = MigrationText(shown, id="change")

    def make_parts(self) -> ComposeResult:
        """Yields the summary, then the list and the selected change."""
        yield from super().make_parts()
        with Container(id="migration"):
            yield self._changes
            yield self._change

    def on_resize(self, event: events.Resize) -> None:
        """Places the panes side by side if there is enough space."""
        self.query_one("#migration").set_class(event.size.width >= _BESIDE, "-beside")

    def chosen(self, choice: str) -> None:
        """Shows ``choice`` beside the list."""
        self._change.put(choice)


def _summary(report: MigrationReport, not_run: int) -> str:
    topics = sum(not note.unseen for note in report.notes)
    files = counted(len(report.notes), "Markdown file", "Markdown files")
    queries = counted(len(report.answers), "query", "queries")
    unchanged = report.changes.get(AnswerChange.SAME_FIRST, 0)
    answered = f"{unchanged} of {queries} keep their first note" if report.answers else "no query is judged or logged"
    rest = counted(not_run, "judged query is", "judged queries are")
    left = f" {rest} not run, because that would take too long." if not_run else ""
    gone = "All ages and signals would be lost."
    return f"{files} would become {counted(topics, 'topic', 'topics')}; {answered}.{left} {gone}"


class MigrationList(ChoicePane):
    """The answers, the worst first, followed by the notes."""

    TITLE = "Answers and notes"
    HELP_TEXT = (
        "This list shows what a migration to ByteRover V4 would change: every judged and logged query with the change "
        "in its answer, then every Markdown file with its losses. On the right are both answers to the selected "
        "query, or the selected note's losses and the topic that it would become."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(MIGRATION)

    def __init__(self, shown: ShownMigration, *, id: str) -> None:
        super().__init__(id=id)
        self._shown = shown

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a line for each query and each note."""
        self.choices, self.owner = [], []
        lines: list[Line] = []
        answers = sorted(self._shown.report.answers, key=lambda answer: _ORDER.index(answer.change))
        for number, answer in enumerate(answers):
            role = CHANGE_ROLES.get(answer.change, "muted")
            row = Line().gap().add(answer.query, "strong").right(width, line(f"{answer.change} ", role))
            self.add_rows(lines, [row], f"{_QUERY}{number}")
        for note in self._shown.tree.notes:
            sign = Line().add("not read " if note.unseen else _loss(note), "bad" if note.unseen else "warn")
            self.add_rows(lines, [Line().gap().add(note.note, "text").right(width, sign)], f"{_NOTE}{note.note}")
        return lines

    def changed(self) -> None:
        """Repaints the list, and shows the selected choice beside it."""
        super().changed()
        self.moved(self.chosen)

    def moved(self, choice: str) -> None:
        """Shows the choice beside the list."""
        if isinstance(self.screen, MigrationDialog):
            self.screen.chosen(choice)

    def action_take(self) -> None:
        """Moves the focus to the text beside the list."""
        self.screen.query_one("#change").focus()


def _loss(note: MigratedNote) -> str:
    words = len(note.lost_words) + len(note.lost_path_words)
    parts = ("signals" if note.lost_signals else "", counted(words, "word", "words") if words else "")
    lost = ", ".join(part for part in parts if part)
    return f"loses {lost} " if lost else ""


class MigrationText(Pane):
    """The effect of the migration on the selected answer or note."""

    TITLE = "Before and after"
    HELP_TEXT = (
        "This pane shows the row selected in the list: for a query, both answers; for a note, its losses, its topic "
        "in HTML, and its own text."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(MIGRATED)

    def __init__(self, shown: ShownMigration, *, id: str) -> None:
        super().__init__(id=id)
        self._shown = shown
        self._choice = ""

    def put(self, choice: str) -> None:
        """Shows the row ``choice`` of the list, scrolled to the top."""
        self._choice = choice
        self.rebuild(force=True)
        self.scroll_to_row(0)

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns lines for the selected row: both answers to a query, or a note with its losses and its topic."""
        if self._choice.startswith(_QUERY):
            answers = sorted(self._shown.report.answers, key=lambda answer: _ORDER.index(answer.change))
            lines = list(answer_lines(answers[int(self._choice.removeprefix(_QUERY))]))
        else:
            lines = self._of_note(self._choice.removeprefix(_NOTE), width)
        return [part for one in lines for part in _indented(one, width)]

    def action_back(self) -> None:
        """Moves the focus to the list."""
        self.screen.query_one("#changes").focus()

    def _of_note(self, path: str, width: int) -> list[Line]:
        note = next((note for note in self._shown.tree.notes if note.note == path), None)
        if note is None:
            return [line(" select a query or a note", "muted")]
        converted = self._shown.tree.converted[path]
        lines = [Line().gap().add(path, "strong"), *(line(f" {text}", "warn") for text in losses(note))]
        lines.append(line(f" {note.lost_age_days:.0f} days old, but new as a topic", "muted"))
        lines.append(rule(width, converted.topic, dash=self.glyphs.dash))
        lines += [line(f" {part}", "text") for part in _pieces(converted.html)]
        lines.append(rule(width, "the note without its frontmatter", dash=self.glyphs.dash))
        lines += [line(f" {part}", "muted") for part in converted.body.splitlines()]
        return lines


def _indented(whole: Line, width: int) -> list[Line]:
    """Returns ``whole`` as lines of at most ``width`` cells, all with the same indent."""
    first, *others = flowed(whole, width, max(1, width - 1))
    return [first, *(Line().gap().extend(part.spans) for part in others)]


def _pieces(html: str) -> list[str]:
    """Returns ``html`` as lines, with each V4 element on its own line."""
    return html.replace("><bv-", ">\n<bv-").replace("</bv-topic>", "\n</bv-topic>").splitlines()
