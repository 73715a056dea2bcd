"""The list of findings, by kind, and the pane with the details of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import FINDINGS
from brvtui.app.actions.registry import ACTIONS
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import HealthState, Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.lab.health.finding import Confidence, Finding, Kind
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.report.health import NAMES, by_kind
from brvtui.tree.engine_files.curate_log import Curation

_MOST = 200
"""The maximum number of rows of a kind."""
_ROLES = {Confidence.HIGH: "bad", Confidence.MEDIUM: "warn", Confidence.LOW: "muted"}
_MEANINGS = {
    Confidence.HIGH: "high: only a few in a hundred such findings are wrong",
    Confidence.MEDIUM: "medium: check it before you act",
    Confidence.LOW: "low: about half of such findings are wrong",
}
_TEXT, _AWAY = ("note.edit",), ("note.archive", "note.edit")
_PAIR = ("health.merge", "note.archive", "note.edit")
_HELP = {
    Kind.NEAR_DUPLICATE: _PAIR,
    Kind.SUPERSEDED: ("health.supersede", *_PAIR),
    Kind.SHADOWED: ("note.edit", "health.retitle", "health.merge"),
    Kind.NOT_FOUND_BY_TITLE: ("health.retitle", "note.edit"),
    Kind.TOO_BROAD: ("note.edit", "health.retitle"),
    Kind.GAP: ("note.new",),
    **dict.fromkeys((Kind.TEMPLATE_ONLY, Kind.TRANSCRIPT_LEFTOVER, Kind.TOOL_OUTPUT, Kind.LINKS_ONLY), _AWAY),
    **dict.fromkeys((Kind.TITLE_ONLY, Kind.NEVER_FOUND, Kind.ORPHAN, Kind.ARCHIVE_CANDIDATE), _AWAY),
}
"""The actions that help against findings of a kind, the best first; for other kinds, an edit."""
_REVIEWS = "Waiting for your review in ByteRover"
_IGNORED = "Ignored"

Row = Finding | Curation


def key_of(row: Row) -> str:
    """Returns the name of ``row``, which stays the same when the memory is checked again."""
    if isinstance(row, Curation):
        return f"review {row.task} {row.path}"
    return "\n".join((row.kind, *row.notes, *(row.queries[:1] if not row.notes else ())))


def notes_of(row: Row | None) -> tuple[str, ...]:
    """Returns the paths of the notes of ``row``, the one to act on first; empty for a gap."""
    return (row.path,) if isinstance(row, Curation) else row.notes if row is not None else ()


def title_of(row: Row, view: View) -> str:
    """Returns the title of the first note of ``row``, or the query of a gap."""
    path, overview = next(iter(notes_of(row)), ""), view.project.overview
    if not path:
        return f"“{row.queries[0]}”" if isinstance(row, Finding) and row.queries else "no note"
    branch = overview.branches.get(path) if overview is not None else None
    return branch.name if branch is not None and branch.name else path


class FindingsPane(ChoicePane):
    """One row for each finding, worst first, by kind."""

    TITLE = "Findings"
    READS = (HealthState, ProjectState)
    HELP_TEXT = (
        "This list shows what weakens the memory, worst first: notes that repeat or contradict each other, notes "
        "without content, notes that no query finds, and queries that no note answers. high, medium and low say how "
        "sure a finding is. The pane on the right gives the reason, the cost, and the keys that help.\n"
        "Press {pane.space} to mark findings: {health.merge}, {health.supersede}, {note.archive} and {health.ignore} "
        "then act on all marked ones at once. Before anything changes, you see every changed line and the effect on "
        "your judged and logged queries; {note.undo} undoes it in one step. Ignored findings are kept in brv-tui's "
        "own data; {health.ignored} lists them, and {health.ignore} there lists one as a finding again."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FINDINGS)

    class Moved(Message):
        """Posted when another finding is selected."""

    @dataclass
    class IgnoreWanted(Message):
        """Posted to ignore findings, or to list ignored ones again."""

        findings: Sequence[Finding]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows_by_key: dict[str, Row] = {}
        self.marked: set[str] = set()
        self._shows_ignored = False

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
        return next(iter(notes_of(self.row)), "")

    def heading(self, view: View) -> str:
        """Returns the title with the number of marked findings."""
        return f"Findings · {len(self.marked)} marked" if self.marked else self.TITLE

    def also_reads(self) -> tuple[object, ...]:
        """Returns what is marked, and whether ignored findings are shown."""
        return (len(self.marked), self._shows_ignored, *super().also_reads())

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the rows of each kind below its name and their number."""
        before, place, health = self.chosen, self.cursor, view.health
        self.choices, self.owner, self.rows_by_key = [], [], {}
        lines: list[Line] = []
        for name, rows in self._groups(view):
            self.add_rows(lines, [line(f" {name} ", "bold strong").add(f"{len(rows)}", "muted").cut(width)])
            for row in rows[:_MOST]:
                self.rows_by_key[key_of(row)] = row
                self.add_rows(lines, [self._line(row, view, width)], key_of(row))
            if len(rows) > _MOST:
                self.add_rows(lines, wrapped(f"and {len(rows) - _MOST} more: brv-tui health lists all", width))
        self.marked &= self.rows_by_key.keys()
        self.cursor = self.choices.index(before) if before in self.choices else min(place, len(self.choices) - 1)
        self.cursor = max(self.cursor, 0)
        if not lines:
            self.add_rows(lines, wrapped(_empty(view), width, "warn" if health.problem else "muted"))
        self.call_later(self.post_message, self.Moved())
        return lines

    def _groups(self, view: View) -> Iterator[tuple[str, Sequence[Row]]]:
        report = view.health.report
        if view.health.reviews:
            yield _REVIEWS, view.health.reviews
        if report is not None:
            yield from ((NAMES[kind], findings) for kind, findings in by_kind(report).items())
            if self._shows_ignored and report.ignored:
                yield _IGNORED, report.ignored

    def _line(self, row: Row, view: View, width: int) -> Line:
        sure, role = (
            ("review", "accent") if isinstance(row, Curation) else (row.confidence.value, _ROLES[row.confidence])
        )
        mark = "*" if key_of(row) in self.marked else " "
        text = row.reason or row.operation if isinstance(row, Curation) else row.sentence
        start = line(f" {mark}", "bold accent").fit(sure, 7, role)
        return start.add(title_of(row, view), "strong").add(f"  {text}", "muted").cut(width)

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing for the selected row."""
        idle = set(super().idle)
        if not any(len(notes_of(row)) > 1 for row in self.acted_on):
            idle |= {"health.merge", "health.supersede"}
        if not self.note:
            idle.add("health.retitle")
        if not any(isinstance(row, Finding) for row in self.acted_on):
            idle.add("health.ignore")
        report = self.view.health.report
        return frozenset(idle if report is not None and report.ignored else idle | {"health.ignored"})

    def moved(self, choice: str) -> None:
        """Selects the note of the finding, and shows its details."""
        if self.note:
            self.services.select(self.note)
        self.post_message(self.Moved())

    def action_space(self) -> None:
        """Marks the selected row, or removes its mark, and moves to the next one."""
        self.marked ^= {self.chosen} if self.chosen else set()
        self.move_to(self.cursor + 1)
        self.rebuild()
        self.show_keys()

    def action_take(self) -> None:
        """Opens the note of the selected finding, or starts the note for a gap."""
        self.post_message(self.NoteWanted(self.note))

    def action_ignore(self) -> None:
        """Ignores the marked findings, or else the selected one."""
        findings = [row for row in self.acted_on if isinstance(row, Finding)]
        self.marked.clear()
        self.post_message(self.IgnoreWanted(findings))

    def action_ignored(self) -> None:
        """Shows or hides ignored findings."""
        self._shows_ignored = not self._shows_ignored
        self.rebuild()


def _empty(view: View) -> str:
    """Returns the reason why no finding is listed."""
    health = view.health
    if view.project.phase is Phase.FAILED or view.project.saved:
        return view.project.problem or "a saved trace: open its project to check its notes"
    if health.problem:
        return f"the notes could not be checked: {health.problem}"
    if health.stopped:
        return "the check was stopped"
    if health.report is None or health.total:
        return "checking the notes…"
    return f"No findings: {health.report.notes} notes were checked, and nothing weakens the memory."


class FindingPane(Pane):
    """The selected finding: reason, cost, confidence, origin, and what can be done."""

    TITLE = "Finding"
    READS = (HealthState, ProjectState)
    HELP_TEXT = (
        "This pane shows the selected finding: the reason, what it costs, how sure it is, where its notes come from, "
        "and the keys that help. The origin is known if the frontmatter, ByteRover's log or git contains it."
    )

    @dataclass
    class OriginsWanted(Message):
        """Posted to look up where notes come from."""

        paths: Sequence[str]

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.row: Row | None = None

    def put(self, row: Row | None) -> None:
        """Shows ``row``."""
        if row != self.row:
            self.row, self.offset_row = row, 0
            self.rebuild()

    def also_reads(self) -> tuple[object, ...]:
        """Returns the selected finding, which is not in the view."""
        return (self.row, *super().also_reads())

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests the origins of the notes that are not known yet."""
        if missing := [path for path in notes_of(self.row) if path not in view.health.origins]:
            yield self.OriginsWanted(missing)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the lines about the finding."""
        row = self.row
        if row is None:
            return wrapped("select a finding: its reason, cost and remedies appear here", width)
        if isinstance(row, Curation):
            lines = wrapped(f"ByteRover asks you to review its change of this note ({row.operation}).", width, "strong")
            day = datetime.fromtimestamp(row.at_ms / 1000, UTC).date()
            facts = (("reason", row.reason), ("when", f"{day}, task {row.task}"))
            lines += [part for name, value in facts if value for part in self._fact(name, value, width)]
            lines += wrapped("Approve or reject it in ByteRover; brv-tui only reads its reviews.", width)
        else:
            lines = wrapped(row.sentence, width, "strong")
            lines += self._fact("cost", row.cost or "not known", width)
            lines += self._fact("confidence", _MEANINGS[row.confidence], width)
            lines += [part for query in row.queries for part in self._fact("query", query, width)]
        for path in notes_of(row):
            lines += [rule(width, path, dash=self.glyphs.dash)]
            origin = view.health.origins.get(path)
            known = origin.facts if origin is not None else (("origin", "looking…"),)
            for name, value in known or (("origin", "not known"),):
                lines += self._fact(name, value, width)
        helping = (
            ("health.open", "note.edit")
            if isinstance(row, Curation)
            else (*_HELP.get(row.kind, _TEXT), "health.ignore")
        )
        lines.append(rule(width, "what you can do", dash=self.glyphs.dash))
        for name in helping:
            key = Line().gap().fit(self.services.shown_key(name), 6, "bold accent")
            lines += hanging(key.add(ACTIONS[name].description, "text"), width, 7)
        return lines

    def _fact(self, name: str, value: str, width: int) -> list[Line]:
        return hanging(Line().gap().fit(name, 12, "muted").add(value, "text"), width, 13)
