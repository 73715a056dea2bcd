"""The list of findings, by kind, and the pane with the details of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import FINDINGS
from brvtui.app.actions.registry import ACTIONS
from brvtui.app.health.checks import SessionRequest
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import HealthState, Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.lab.health.finding import Confidence, Finding, FindingKind
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.report.health import by_kind, summary
from brvtui.session.origins import NoteOrigin, origins_of
from brvtui.tree.engine_files.curate_log import Curation
from brvtui.tree.reading.files import Role, role_of

_MOST = 200
"""The maximum number of rows for each kind."""
_SURE = {
    Confidence.HIGH: ("bad", "high: only a few in a hundred such findings are wrong"),
    Confidence.MEDIUM: ("warn", "medium: check it before you act"),
    Confidence.LOW: ("muted", "low: about half of such findings are wrong"),
}
"""For each confidence, the role of its name, and its meaning."""
_NOTE, _PAIR = ("note.edit", "health.retitle", "note.archive"), ("health.merge", "health.supersede")
_WORTHLESS = frozenset({
    FindingKind.TRANSCRIPT_LEFTOVER, FindingKind.TOOL_OUTPUT, FindingKind.TEMPLATE_ONLY, FindingKind.TITLE_ONLY,
    FindingKind.NEVER_FOUND, FindingKind.ARCHIVE_CANDIDATE,
})  # fmt: skip
"""The kinds of findings about notes that are better archived than edited."""
"""The actions for a finding about one note, and the additional ones for a pair of notes."""
_REVIEWS = "Waiting for your review in ByteRover"
_IGNORED = "Ignored"

Row = Finding | Curation


def key_of(row: Row) -> str:
    """Returns the name of ``row``, which stays the same when the memory is checked again."""
    if isinstance(row, Curation):
        return f"review {row.task} {row.notes[0]}"
    return "\n".join((row.kind, *row.notes, *(row.queries[:1] if not row.notes else ())))


def title_of(row: Row, view: View) -> str:
    """Returns the title of the first note of ``row``, or the query of a gap."""
    if isinstance(row, Finding) and not row.notes:
        return f"“{row.queries[0]}”"
    branch = view.project.overview.branches.get(row.notes[0]) if view.project.overview is not None else None
    return branch.name if branch is not None and branch.name else row.notes[0]


class FindingsPane(ChoicePane):
    """One row for each finding, by kind."""

    TITLE = "Findings"
    READS = (HealthState, ProjectState)
    HELP_TEXT = (
        "This list shows what weakens the memory: notes that repeat or contradict each other, notes without content, "
        "notes that no query finds, and queries that no note answers. Kinds with more harmful or more certain "
        "findings come first; high, medium and low say how sure a finding is. The pane below gives the reason, the "
        "cost, and the keys that help.\n"
        "Press {pane.space} to mark findings: {health.merge}, {health.supersede}, {note.archive} and {health.ignore} "
        "then act on all marked ones at once. Before anything changes, you see every changed line and the effect on "
        "your judged and logged queries; {note.undo} undoes it in one step. Ignored findings are recorded in "
        "brv-tui's own data and moved to the end of the list; {health.ignore} on an ignored finding restores it."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FINDINGS)

    class Moved(Message):
        """Posted when another finding is selected."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows_by_key: dict[str, Row] = {}
        self.marked: set[str] = set()
        self._before_undo: frozenset[str] | None = None
        """The keys of the rows before a change was undone, until its findings are listed again."""

    @property
    def row(self) -> Row | None:
        """The selected finding or review; None if there is none."""
        return self.rows_by_key.get(self.chosen)

    @property
    def acted_on(self) -> list[Row]:
        """The marked rows, or else the selected one."""
        marked = [self.rows_by_key[key] for key in self.choices if key in self.marked]
        return marked or ([self.row] if self.row is not None else [])

    @property
    def note(self) -> str:
        """The first note of the selected finding."""
        return self.row.notes[0] if self.row is not None and self.row.notes else ""

    def heading(self, view: View) -> str:
        """Returns the title with the number of marked findings."""
        return f"Findings · {len(self.marked)} marked" if self.marked else self.TITLE

    def also_reads(self) -> tuple[object, ...]:
        """Returns the number of marked findings."""
        return (len(self.marked), *super().also_reads())

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the rows, grouped by kind, each group below its name and size."""
        before, place, health = self.chosen, self.cursor, view.health
        self.choices, self.owner, self.rows_by_key = [], [], {}
        lines: list[Line] = []
        self.add_rows(lines, wrapped(_status(view), width, "warn" if health.problem else "muted"))
        for name, rows in self._groups(view):
            self.add_rows(lines, [line(f" {name} ", "bold strong").add(f"{len(rows)}", "muted").cut(width)])
            for row in rows[:_MOST]:
                self.rows_by_key[key_of(row)] = row
                self.add_rows(lines, [self._line(row, view, width)], key_of(row))
            if len(rows) > _MOST:
                self.add_rows(lines, wrapped(f"and {len(rows) - _MOST} more: brv-tui health lists all", width))
        self.marked &= self.rows_by_key.keys()
        self.cursor = self.choices.index(before) if before in self.choices else min(place, len(self.choices) - 1)
        if restored := [key for key in self.choices if key not in (self._before_undo or self.choices)]:
            self._before_undo, self.cursor = None, self.choices.index(restored[0])
            self.call_later(self.reveal)
        self.cursor = max(self.cursor, 0)
        self.call_later(self.post_message, self.Moved())
        return lines

    def _groups(self, view: View) -> Iterator[tuple[str, Sequence[Row]]]:
        report = view.health.report
        if view.health.reviews:
            yield _REVIEWS, view.health.reviews
        if report is not None:
            yield from ((kind.heading, findings) for kind, findings in by_kind(report).items())
            if report.ignored:
                yield _IGNORED, report.ignored

    def _line(self, row: Row, view: View, width: int) -> Line:
        start = line(f" {'*' if key_of(row) in self.marked else ' '}", "bold accent")
        if isinstance(row, Curation):
            start, text = start.fit("review", 7, "accent"), row.reason or row.operation
        else:
            start, text = start.fit(row.confidence.value, 7, _SURE[row.confidence][0]), row.sentence
        return start.add(title_of(row, view), "strong").add(f"  {text}", "muted").cut(width)

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing for the selected row."""
        has_pair = any(len(row.notes) > 1 for row in self.acted_on)
        idle = super().idle.union(() if has_pair else _PAIR, () if self.note else ("health.retitle",))
        return idle if any(isinstance(row, Finding) for row in self.acted_on) else idle | {"health.ignore"}

    @property
    def renamed(self) -> Mapping[str, str]:
        """The label for archiving, if one of the notes can be archived."""
        notes = [row.notes[0] for row in self.acted_on if row.notes]
        can_archive = any(role_of(note) is Role.NOTE and self.view.knows(note) for note in notes)
        return {"note.archive": "archive"} if can_archive else {}

    def expect_undo(self) -> None:
        """Moves the cursor to the first finding that is listed again after an undo, unless the user moves it first."""
        self._before_undo = frozenset(self.choices)

    def moved(self, choice: str) -> None:
        """Selects the note of the finding, and shows its details."""
        self._before_undo = None
        if self.note:
            self.services.select(self.note)
        self.post_message(self.Moved())

    def action_space(self) -> None:
        """Marks the selected row, or removes its mark, and moves to the next one."""
        self.marked ^= {self.chosen} if self.chosen else set()
        self.move_to(self.cursor + 1)
        self.rebuild()
        self.show_keys()

    def leave(self, rows: Sequence[Row]) -> None:
        """Removes all marks, and moves to the next row that is not among ``rows``, or else to the previous one."""
        left, places = {key_of(row) for row in rows}, range(len(self.choices))
        self.marked.clear()
        others = (*places[self.cursor :], *places[: self.cursor][::-1])
        self.move_to(next((place for place in others if self.choices[place] not in left), self.cursor))

    def action_take(self) -> None:
        """Opens the note of the selected finding, or starts the note for a gap."""
        self.post_message(self.NoteWanted(self.note))


def _status(view: View) -> str:
    """Returns a sentence about the health of the memory, or about the check."""
    health = view.health
    if view.project.phase is Phase.FAILED or view.project.saved:
        return view.project.problem or "a saved trace: open its project to check its notes"
    if health.problem:
        return f"the notes could not be checked: {health.problem}"
    if health.report is None or health.is_checking:
        return "checking the notes…"
    sure = sum(one.confidence is Confidence.HIGH for one in health.report.findings)
    return f"{sure} almost certain of {summary(health.report, view.kind.noun)}"


class FindingPane(Pane):
    """The selected finding: its reason, cost, confidence and origin, and the actions that apply to it."""

    TITLE = "Finding"
    HELP_TEXT = (
        "This pane shows the selected finding: the reason, what it costs, how sure it is, where its notes come from, "
        "and the keys that help. The origin is known if the frontmatter, ByteRover's log or git contains it."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.row: Row | None = None
        self._origins: Mapping[str, NoteOrigin] | None = None
        """The origins of the row's notes, by path; None until they are known."""

    def put(self, row: Row | None) -> None:
        """Shows ``row``."""
        if row != self.row:
            self.row, self._origins, self.offset_row = row, None, 0
            self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the selected finding and its origins, which are not in the view."""
        return (self.row, self._origins, *super().also_reads())

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests the origins of the notes if they are not known yet."""
        if self._origins is None and self.row is not None and self.row.notes:
            find = partial(origins_of, paths=self.row.notes)
            yield SessionRequest("origins", find, partial(self._show_origins, self.row))

    def _show_origins(self, row: Row | None, origins: Mapping[str, NoteOrigin]) -> None:
        if row == self.row:
            self._origins = origins
            self.rebuild()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the lines about the finding."""
        row = self.row
        if row is None:
            return wrapped("select a finding: its reason, cost and remedies appear here", width)
        if isinstance(row, Curation):
            lines = wrapped(f"ByteRover asks you to review its change of this note ({row.operation}).", width, "strong")
            lines += wrapped("Approve or reject it in ByteRover; brv-tui only reads its reviews.", width)
        else:
            lines = wrapped(row.sentence, width, "strong")
            lines += self._fact("cost", row.cost or "not known", width)
            lines += self._fact("confidence", _SURE[row.confidence][1], width)
            lines += [part for query in row.queries for part in self._fact("query", query, width)]
        for path in row.notes:
            lines += [rule(width, path, dash=self.glyphs.dash)]
            known = self._origins[path] if self._origins is not None else (("origin", "looking…"),)
            for name, value in known or (("origin", "not known"),):
                lines += self._fact(name, value, width)
        if isinstance(row, Curation):
            helping: tuple[str, ...] = ("health.open", "note.edit")
        else:
            alone = _NOTE[::-1] if row.kind in _WORTHLESS else _NOTE
            helping = (
                *(_PAIR if len(row.notes) > 1 else ()),
                *(alone if row.notes else ("note.new",)),
                "health.ignore",
            )
        lines.append(rule(width, "what you can do", dash=self.glyphs.dash))
        for name in helping:
            key = Line().gap().fit(self.services.shown_key(name), 6, "bold accent")
            lines += hanging(key.add(ACTIONS[name].description, "text"), width, 7)
        return lines

    def _fact(self, name: str, value: str, width: int) -> list[Line]:
        return hanging(Line().gap().fit(name, 12, "muted").add(value, "text"), width, 13)
