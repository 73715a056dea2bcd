"""The Log pane: the queries that the engine and this app answered, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import LOG_LIST
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import EngineState, LogState, Phase, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.engines.registry import presentation
from brvtui.lab.delivery.turns import LOST, Turn
from brvtui.lab.evaluation.results import better_first
from brvtui.lab.judgments.model import FAILED, NOT_COVERED
from brvtui.paint.line import Line, line, rule
from brvtui.paint.sentence import NO_ANSWER, tier_role
from brvtui.report.delivery import ROLES, SHORT
from brvtui.tree.engine_files.query_log import ENGINE, OURS, UNLOGGED, LoggedQuery

_DAY = len("11-24")
_WIDE = 72
"""The least width at which the query keeps enough cells beside wide columns, if there is none for delivery."""
_DELIVERED = 12
_FROM_HERE = (
    "From here: type a query on the Query screen ({screens.query}) and press Enter. The app logs every run, but no "
    "previews."
)
_FROM_ENGINE = (
    "From the engine: let an agent ask ByteRover, or run brv query in the project. New entries appear at once."
)


class LogPane(ChoicePane):
    """One line for each entry, below the column names."""

    TITLE = "Log"
    READS = (LogState, ProjectState, EngineState)
    HELP_TEXT = (
        "This pane lists the answered queries, newest first: those that the engine logged and those that you ran "
        "here. Each row has the time, who asked, the tier, the milliseconds and the best score; a cross marks an "
        "answer whose first note is wrong by your grades; a check marks one that would be right now. If you permit "
        "reading transcripts ({log.lost}), it also shows whether the answer reached the agent. The query under the "
        "cursor is run again with an empty cache, and the pane beside the list shows what has changed. Press "
        "{log.take} to run it on the Query screen. Press {log.follow} to follow the engine: each query that it logs "
        "is then explained on the Query screen."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(LOG_LIST)

    class EntryChosen(Message):
        """Posted when the cursor moves to another entry."""

    @dataclass
    class AskAgain(Message):
        """Posted to put the query of an entry into the Query screen."""

        entry: LoggedQuery

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.only_uncovered = self.only_lost = False
        self._entries: dict[str, LoggedQuery] = {}

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the filter of entries."""
        return (self.only_uncovered, self.only_lost, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title with the number of entries, and a mark if the engine is followed."""
        if view.log.entries is None:
            return "Log"
        following = " · following the engine" if view.log.following else ""
        amount, shown = f"{len(view.log.entries)}", "newest first"
        if self.only_uncovered:
            amount, shown = f"{sum(entry.not_covered for entry in view.log.entries)} of {amount}", "not covered"
        elif self.only_lost:
            lost = sum(turn.outcome in LOST for turn in view.log.turns.values())
            amount, shown = f"{lost} of {amount}", "did not reach the agent"
        return f"Log {amount} · {shown}{following}"

    @property
    def entry(self) -> LoggedQuery | None:
        """The entry under the cursor, or None."""
        return self._entries.get(self.chosen)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the column names, then the entries."""
        before = self.chosen
        self.choices, self.owner, self._entries, self.pinned = [], [], {}, 0
        if not view.log.entries:
            return self._nothing(view, width)
        self.pinned = 1
        lines: list[Line] = []
        wide = _is_wide(width, view.log.turns)
        self.add_rows(lines, [_names(width, wide, any(map(is_of_tiers, view.log.entries)), bool(view.log.turns))])
        with_engine, day = names_engines(view), ""
        for entry in view.log.entries:
            turn = view.log.turns.get(entry)
            if (self.only_uncovered and not entry.not_covered) or (
                self.only_lost and (turn is None or turn.outcome not in LOST)
            ):
                continue
            if not wide and moment(entry.at_ms)[:_DAY].rstrip() != day:  # a narrow row shows only the time
                day = moment(entry.at_ms)[:_DAY].rstrip()
                self.add_rows(lines, [rule(width, day, dash=self.glyphs.dash)])
            self._entries[key_of(entry)] = entry
            self.add_rows(lines, [self._row(entry, width, with_engine, view.log.turns)], key_of(entry))
        if not self.choices:
            nothing = "no answer is known to have been lost" if self.only_lost else "every query was covered"
            self.add_rows(lines, [line(f" {nothing}", "muted")])
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return lines

    def _nothing(self, view: View, width: int) -> list[Line]:
        if view.log.entries is None and view.project.phase is not Phase.FAILED and not view.project.saved:
            return [line(" reading the logs…", "muted")]
        if view.project.saved:
            return wrapped("a saved trace: open its project to see the log", width)
        if view.log.entries is None and view.project.problem:
            return [Line(), *wrapped(view.project.problem, width), *_looked_for(view, width)]
        from_here = wrapped(self.services.with_keys(_FROM_HERE), width, "text")
        lines = [line(" No query is logged yet", "bold text"), Line(), *from_here]
        return [*lines, Line(), *wrapped(_FROM_ENGINE, width, "text"), *_looked_for(view, width)]

    def _row(self, entry: LoggedQuery, width: int, with_engine: bool, turns: Mapping[LoggedQuery, Turn]) -> Line:
        wide = _is_wide(width, turns)
        who = "here" if entry.who == OURS else entry.who if wide else entry.who[:3]
        row = line(f" {moment(entry.at_ms) if wide else moment(entry.at_ms)[6:11]} ", "muted")
        row.fit(who, 8 if wide else 5, "accent" if entry.who == ENGINE else "text")
        tier, role = tier_of(entry)
        row.fit(tier, 5, role)
        row.add(f"{_whole(entry.took_ms):>{7 if wide else 5}} ", "muted").add(f"{score_of(entry):>5}  ", "strong")
        if turns:
            name, role = self._delivered(turns.get(entry), width >= _WIDE)
            row.fit(name, _DELIVERED if width >= _WIDE else 2, role)
        signs = {"right now": (self.glyphs.check, "ok"), "wrong note first": (self.glyphs.cross, "warn")}
        failed = entry.not_covered or entry.status == "error"
        remark = standing_of(self.view, entry)
        sign, role = signs.get(remark, (self.glyphs.warn if failed else "", "warn"))
        row.add(f"{sign} " if sign else "", role).add(entry.query or "(no words)", "text")
        row.add(f"  {remark}" if remark and row.width + len(remark) + 2 <= width else "", role)
        row.add(f"  {entry.engine}" if with_engine else "", "muted")
        return row.cut(width)

    def _delivered(self, turn: Turn | None, wide: bool) -> tuple[str, str]:
        """Returns the outcome of ``turn`` in at most 11 cells, or in one cell if the pane is narrow, and its role."""
        if turn is None:
            return "–", "muted"
        role = ROLES.get(turn.outcome, "muted")
        if wide:
            return SHORT.get(turn.outcome, turn.outcome.replace("_", " ")), role
        return {"ok": self.glyphs.check, "bad": self.glyphs.cross, "warn": self.glyphs.check}.get(role, "–"), role

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Returns the text of an entry with its outcome, so that ``timed out`` finds lost answers at any width."""
        entry = self._entries.get(choice)
        turn = self.view.log.turns.get(entry) if entry is not None else None
        return super().words(choice, lines) + (f"\n{turn.outcome.replace('_', ' ')}" if turn is not None else "")

    def go_to_query(self, query: str) -> None:
        """Moves the cursor to the newest entry of ``query``, if there is one."""
        entries = map(self._entries.get, self.choices)
        places = (place for place, entry in enumerate(entries) if entry is not None and entry.query == query)
        self.move_to(next(places, self.cursor))

    def moved(self, choice: str) -> None:
        """Posts :class:`EntryChosen` for the entry under the cursor."""
        self.post_message(self.EntryChosen())

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: actions on an entry if there is none, following if the engine has no log."""
        log = self.view.log
        has_log = log.engine_log is not None and (log.engine_log.exists or log.engine_log.is_pending)
        idle = frozenset() if has_log or log.following else frozenset({"log.follow"})
        return idle if self.entry is not None else idle | {"log.take", "log.judge", "log.why"}

    @property
    def renamed(self) -> Mapping[str, str]:
        """The changed labels in the key bar, for keys that now switch off follow mode or the filter of entries."""
        renamed: dict[str, str] = {"log.follow": "stop following"} if self.view.log.following else {}
        if self.view.log.delivery is not None:
            renamed["log.lost"] = "lost only"
        for name, is_on in (("log.uncovered", self.only_uncovered), ("log.lost", self.only_lost)):
            renamed |= {name: "all queries"} if is_on else {}
        return renamed

    def filter_changed(self) -> None:
        """Applies the filter. If it matches no entry or was closed, posts that the selection may have changed."""
        super().filter_changed()
        if self.field is None or not self.chosen:
            self.post_message(self.EntryChosen())

    def action_take(self) -> None:
        """Puts the selected query into the Query screen."""
        if self.entry is not None:
            self.post_message(self.AskAgain(self.entry))

    def action_uncovered(self) -> None:
        """Switches between queries that were not covered and all queries."""
        self.only_uncovered, self.only_lost = not self.only_uncovered, False
        self._refilter()

    def toggle_lost(self) -> None:
        """Switches between answers that did not reach the agent and all queries."""
        self.only_lost, self.only_uncovered = not self.only_lost, False
        self._refilter()

    def _refilter(self) -> None:
        self.rebuild(force=True)
        self.show_keys()
        self.post_message(self.EntryChosen())


def standing_of(view: View, entry: LoggedQuery) -> str:
    """Returns a remark on an answer whose first note is wrong by the grades, or that no note covered, if it is right
    now or still wrong; empty for all other answers.
    """
    answer = view.log.answers.get(entry)
    first = next((path for path in entry.paths[:1] if view.knows(path)), "")
    if answer is None:
        return ""
    is_wrong = bool(first) and better_first(first, answer.grades) is not None
    is_gap = entry.not_covered and answer.expected != NOT_COVERED
    if (is_wrong or is_gap) and answer.outcome not in (NOT_COVERED, FAILED) and not answer.misleads:
        return "right now"
    return "wrong note first" if is_wrong else ""


def _looked_for(view: View, width: int) -> list[Line]:
    log = view.log.engine_log
    found = "exists, but contains no queries from this project" if log is not None and log.exists else "does not exist"
    return wrapped(f"Searched: {log.place} ({found}).", width) if log is not None else []


def names_engines(view: View) -> bool:
    """True if rows must name their engines; False if the native engine is selected and answered all entries."""
    engines = {entry.engine for entry in view.log.entries or ()}
    return not engines <= ({view.kind.native} if view.is_native else frozenset())


def is_of_tiers(entry: LoggedQuery) -> bool:
    """True if the engine of ``entry`` has tiers."""
    return presentation(entry.engine).has_tiers or entry.tier is not None


def key_of(entry: LoggedQuery) -> str:
    """Returns a key for ``entry``, which is unique unless the same query was run twice within a millisecond."""
    return f"{entry.at_ms:.0f} {entry.who} {entry.query} {entry.scope} {entry.options}"


def moment(at_ms: float) -> str:
    """Returns the day and time in the local time zone, 14 cells wide; dashes if the logged time is invalid."""
    try:
        return datetime.fromtimestamp(at_ms / 1000).strftime("%m-%d %H:%M:%S")  # local time is meant
    except (OverflowError, OSError, ValueError):
        return f"{'–':6}{'–':8}"


def tier_of(entry: LoggedQuery) -> tuple[str, str]:
    """Returns the tier in two characters, or a short word for the status, and its role."""
    if entry.not_covered or (entry.tier is not None and entry.status == "completed"):
        return tier_mark(entry.tier, not entry.not_covered)
    if entry.status == "completed" and not presentation(entry.engine).has_tiers:
        return "–", "muted"
    return {"error": "fail", "cancelled": "stop", "processing": "…", UNLOGGED: "–"}.get(entry.status, "?"), "warn"


def tier_mark(tier: int | None, is_covered: bool) -> tuple[str, str]:
    """Returns the tier of an answer in two characters, or "none" if no note answers the query, and its role."""
    if not is_covered:
        return "none", NO_ANSWER
    return ("–", "muted") if tier is None else (f"T{tier}", tier_role(tier))


def _is_wide(width: int, turns: Mapping[LoggedQuery, Turn]) -> bool:
    """True if times and names are written out; ``turns`` need a column of their own."""
    return width >= _WIDE + (_DELIVERED if turns else 0)


def _names(width: int, wide: bool, with_tiers: bool, with_delivery: bool) -> Line:
    tier = "tier" if with_tiers else ""
    delivered = (f"{'delivered':<{_DELIVERED}}" if width >= _WIDE else "  ") if with_delivery else ""
    if not wide:
        return line(f" when  by   {tier:<4} {'ms':>5}  {'no.1':>4}  {delivered}query", "faint")
    return line(f" {'when':<14} {'who':<8}{tier:<4} {'ms':>7}  {'no.1':>4}  {delivered}query", "faint").cut(width)


def _whole(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def score_of(entry: LoggedQuery) -> str:
    """Returns the top score in at most 5 cells; engines without tiers may have very small scores."""
    if entry.top_score is None:
        return "–"
    if presentation(entry.engine).has_tiers:
        return f"{entry.top_score:.2f}"
    written = (f"{entry.top_score:.{places}f}".removeprefix("0") for places in (4, 3, 2, 1, 0))
    return next((text for text in written if len(text) <= 5), f"{entry.top_score:.0e}"[:5])
