"""The Log screen: past queries, who ran them, and a comparison with their current answers."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.screens import LOG_SCREEN
from brvtui.app.arrangement import Arrangement, Split
from brvtui.app.keys.bindings import bindings
from brvtui.app.log.delivery_pane import DeliveryPane, TranscriptsDialog
from brvtui.app.log.log_pane import LogPane, is_of_tiers, moment, names_engines, tier_mark, tier_of
from brvtui.app.log.logs import Logs, answering_note, results_of
from brvtui.app.project.layouts import Layouts
from brvtui.app.screens.frame import FrameScreen, QueryAtHand
from brvtui.app.states import EngineLog, EngineState, LogState, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.registry import presentation
from brvtui.lab.evaluation.results import better_first
from brvtui.lab.log_comparison import LogComparison, LogSummary
from brvtui.paint.bars import eighths
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.paint.sentence import NO_ANSWER
from brvtui.paint.text import ms, number, wrap
from brvtui.report.delivery import day_lines
from brvtui.tree.engine_files.query_log import OURS, LoggedQuery

# The comparison of a logged query with its answer now.


_LABEL = 10


class LogEntryPane(Pane):
    """The selected entry as it was logged, its current answer, and the differences."""

    TITLE = "Then and now"
    READS = (LogState, ProjectState, EngineState)
    HELP_TEXT = (
        "This pane compares the selected query's logged answer with its current one, computed with an empty cache from "
        "the current notes. A cross marks a first note that is wrong by your grades, and a check marks one that was "
        "wrong and is now right. The pane lists differences in tier, first note and score, and their causes: edits "
        "(undone one by one to prove it), other changed notes, the passage of time, or another profile. If the logged "
        "answer came from the cache, it is compared with the answer from the notes themselves. The logged answer is at "
        "the end, if the log contains it."
    )

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the logged answer, the current answer, and the differences."""
        compared = view.log.compared
        if compared is None:
            hint = "select a query: it is run again, and the answers are compared"
            if not view.log.entries:
                hint = "a logged query's answer is compared here with its current one"
            return wrapped("a saved trace: open its project to compare" if view.project.saved else hint, width)
        lines = wrapped(compared.entry.query, width, "bold strong")
        lines += self._verdict(compared, width)
        lines.append(rule(width, "then", dash=self.glyphs.dash))
        named = names_engines(view)
        grades = _grades(view, compared)
        lines += _then(compared, named, grades, width)
        lines += _at_hand(view, compared, width)
        now = f"now by {compared.entry.engine}" if named else "now"
        caches = presentation(compared.entry.engine).caches
        lines.append(rule(width, f"{now}, with an empty cache" if caches else now, dash=self.glyphs.dash))
        lines += _now(compared, grades, width)
        if compared.entry.response:
            lines.append(rule(width, "the logged answer", dash=self.glyphs.dash))
            for paragraph in compared.entry.response.splitlines():
                lines += wrapped(paragraph, width, "text")
        return lines

    def update(self, view: View) -> None:
        """Shows ``view``; scrolls to the top if another query is compared."""
        before, compared = self.view.log.compared, view.log.compared
        if compared is not None and (before is None or before.entry != compared.entry):
            self.offset_row = 0
        super().update(view)

    def _verdict(self, compared: LogComparison, width: int) -> list[Line]:
        lines = wrapped(compared.cached, width, "muted") if compared.cached else []
        if not compared.differences and compared.cached and not compared.entry.paths:
            return lines  # the log contains nothing to compare
        whole = "the answer" if compared.entry.who == OURS else "everything that was logged"
        same = "the notes give the same answer" if compared.cached else f"{whole} would be the same"
        graded = self._graded(compared, width)
        sign, role = (self.glyphs.bullet, "faint") if compared.differences or graded else (self.glyphs.check, "ok")
        if compared.failure or compared.entry.status == "error":
            sign, role = self.glyphs.warn, "warn"
        lines += graded
        for difference in compared.differences or (same,):
            lines += _marked(sign, role, difference, width)
        lines += wrapped("since then:", width, "muted") if compared.causes else []
        for cause in compared.causes:
            lines += _marked(self.glyphs.bullet, "faint", cause, width, "muted")
        return lines + _moved(compared, width)

    def _graded(self, compared: LogComparison, width: int) -> list[Line]:
        """Returns a line that judges the first note now by the grades; none if it is right and was before."""
        grades, then, now = _grades(self.view, compared), compared.entry.paths[:1], "".join(compared.paths[:1])
        was, better = better_first(then[0], grades) if then else None, better_first(now, grades)
        if compared.failure or (was is None and better is None):
            return []
        if better is None:
            return _marked(self.glyphs.check, "ok", f"fixed: by your grades, {now} is right", width)
        why = f"{better} (grade {grades[better]}) should be first" if better else f"{now} is irrelevant"
        text = f"{'worse' if then and was is None else 'wrong'}: by your grades, {why}"
        return _marked(self.glyphs.cross, "warn", text, width)


def _grades(view: View, compared: LogComparison) -> dict[str, int]:
    """Returns the grades for the query, by logged and by current path."""
    answer = view.log.answers.get(compared.entry)
    grades = answer.grades if answer is not None else {}
    return {**grades, **{old: grades[now] for old, now in compared.paths_now.items() if now in grades}}


def _marked(sign: str, role: str, text: str, width: int, text_role: str = "text") -> list[Line]:
    """Returns ``text`` behind a sign, wrapped."""
    parts = enumerate(wrap(text, width - 4))
    return [line("   " if place else f" {sign} ", role).add(part, text_role) for place, part in parts]


def _moved(compared: LogComparison, width: int) -> list[Line]:
    """Returns lines with the new paths of logged results whose notes have been moved."""
    return [row for path, now in compared.paths_now.items() for row in wrapped(f"{path} is {now} now", width, "muted")]


def _then(compared: LogComparison, with_engine: bool, grades: Mapping[str, int], width: int) -> list[Line]:
    entry = compared.entry
    tier, role = tier_of(entry)
    lines = wrapped(entry.verdict_sentence, width, "text") if entry.verdict_sentence else []
    status = "not covered" if entry.not_covered else entry.status
    lines += [
        _field("when", f"{moment(entry.at_ms)}, {entry.who}", width),
        Line().gap().fit("tier", _LABEL, "muted").add(tier, role).add(f"  {entry.status}", "muted").cut(width)
        if _has_tiers(compared)
        else _field("status", status, width),
        _field("took", ms(entry.took_ms) if entry.took_ms is not None else "–", width),
        _field("number 1", number(entry.top_score, compared.decimals), width),
    ]
    fields = (
        ("engine", entry.engine if with_engine else ""),
        ("scope", entry.scope),
        ("profile", entry.profile),
        ("failed", entry.problem),
    )
    for name, value in fields:
        lines += [_field(name, value, width)] if value else []
    return lines + _paths(entry.paths, grades, width)


def _at_hand(view: View, compared: LogComparison, width: int) -> list[Line]:
    """Returns lines that name the note on which keys act, unless that is the first result."""
    note, results = answering_note(view, compared.entry), results_of(view, compared.entry)
    if not note or note == results[0]:
        return []
    why = "number 1 now" if note in compared.paths[:1] else "the first of these results that is still a note"
    return wrapped(f"keys for a note apply to {note}: {why}", width, "muted")


def _now(compared: LogComparison, grades: Mapping[str, int], width: int) -> list[Line]:
    lines = wrapped(compared.verdict_sentence, width, "text") if compared.verdict_sentence else []
    if _has_tiers(compared):
        mark = tier_mark(compared.tier, compared.is_covered)
        lines.append(Line().gap().fit("tier", _LABEL, "muted").add(*mark).cut(width))
    lines.append(_field("number 1", number(compared.top_score, compared.decimals), width))
    return lines + _paths(compared.paths, grades, width)


def _has_tiers(compared: LogComparison) -> bool:
    return is_of_tiers(compared.entry) or compared.tier is not None


def _field(name: str, value: str, width: int) -> Line:
    return Line().gap().fit(name, _LABEL, "muted").add(value, "text").cut(width)


def _paths(paths: tuple[str, ...], grades: Mapping[str, int], width: int) -> list[Line]:
    lines = []
    for place, path in enumerate(paths, start=1):
        grade = line(f"grade {grades[path]}", "accent") if path in grades else Line()
        lines.append(Line().gap().fit(f"{place}.", 4, "muted").add(path, "text").right(width, grade))
    return lines


# The summary of the log: tiers, cache, slow queries, and queries that were not covered.


_MOST = 8
_BAR = 16
_TIERS = ("exact cache", "fuzzy cache", "direct", "one call", "agent loop")


class LogSummaryPane(Pane):
    """Counts of the listed entries."""

    TITLE = "Summary"
    READS = (LogState,)
    HELP_TEXT = (
        "This pane is a summary of the log: how many queries each tier answered, how many answers came from the "
        "cache, which queries took longest, and which were not covered. Queries that are not covered show what is "
        "missing from the project's memory. For an engine without tiers, the pane shows how many queries it answered, "
        "and how many had no results."
    )

    def build(self, view: View, width: int) -> list[Line]:
        """Returns counts of tiers, cache hits, uncovered and slow queries, and the place of the engine's log."""
        summary = view.log.summary
        if summary is None or not view.log.entries:
            return wrapped("tiers, cache hits, slow queries, and queries that were not covered", width)
        lines = self._tiers(summary, width)
        lines.append(rule(width, "not covered", dash=self.glyphs.dash))
        lines += [_query(entry, "", width) for entry in summary.not_covered[:_MOST]]
        if not summary.not_covered:
            lines.append(line(" every query was covered", "muted"))
        lines.append(rule(width, "slowest", dash=self.glyphs.dash))
        lines += [_query(entry, ms(entry.took_ms or 0.0), width) for entry in summary.slowest]
        if view.log.engine_log is not None:
            lines += self._engine_log(view.log.engine_log, width)
        if view.log.delivery is not None:
            lines.append(rule(width, "tokens per day", dash=self.glyphs.dash))
            lines += [part for day in day_lines(view.log.delivery, self.glyphs) for part in hanging(day, width, 1)]
        return lines

    def _engine_log(self, log: EngineLog, width: int) -> list[Line]:
        lines = [rule(width, "the engine's log", dash=self.glyphs.dash)]
        lines += wrapped(f"{log.place}{'' if log.exists else ', which does not exist yet'}", width)
        if log.is_pending:
            lines += wrapped("V4's rows waiting to be sent (sent rows are removed). brv-tui only reads them.", width)
        return lines

    def _tiers(self, summary: LogSummary, width: int) -> list[Line]:
        highest = max(*summary.tiers, 1)
        cells = min(_BAR, max(width - 24, 4))
        lines = []
        has_tiers = any(summary.tiers) or not summary.untiered
        for tier, (name, count) in enumerate(zip(_TIERS, summary.tiers, strict=True) if has_tiers else ()):
            bar = eighths(count / highest, cells, self.glyphs)
            entry = Line().gap().add(f"T{tier} ", f"bold tier-{tier}").fit(name, 12, "text")
            lines.append(entry.add(f"{count:>5} ", "strong").add(bar, f"tier-{tier}").cut(width))
        if summary.uncovered:
            lines.append(line(" – ", "muted").add("not covered", NO_ANSWER).add(f" {summary.uncovered:>6} ", "strong"))
        if summary.cached is not None:
            of_whom = " of answers with a tier" if summary.untiered else ""
            lines.append(line(" from the cache ", "muted").add(f"{summary.cached:.0%}", "strong").add(of_whom, "muted"))
        for other in summary.untiered:
            counts = line(f" {other.engine} ", "muted").add(f"{other.answered} answered", "strong")
            if other.not_covered:
                counts.add(f", {other.not_covered} not covered", "warn")
            lines.append(counts.cut(width))
        if summary.failed:
            lines.append(line(f" {summary.failed} failed", "warn"))
        return lines


def _query(entry: LoggedQuery, right: str, width: int) -> Line:
    return line(" ").add(entry.query, "text").right(width, Line().add(right, "muted"))


def _wide_log(width: int, height: int) -> Split:
    right = max(44, width * 36 // 100)
    summary = height // 3
    entry = (height - summary) // 2
    beside = Split("entry", False, ("entry", "delivery", "summary"), (entry, height - summary - entry, summary))
    return Split("log", True, ("log", beside), (width - right, right))


LOG = Arrangement(
    panes=("log", "entry", "delivery", "summary"), beside="log", tabs=("entry", "delivery", "summary"),
    wide=_wide_log, beside_share=0.5, is_stacked=True,
)  # fmt: skip


GoToResults = Callable[[str, str], Coroutine[Any, Any, None]]


class LogScreen(FrameScreen):
    """The entries, the comparison of the selected entry with its current answer, and counts of all entries."""

    TITLE = "Log"
    PLAN = LOG
    BINDINGS: ClassVar[list[BindingType]] = bindings(LOG_SCREEN)
    AUTO_FOCUS = "#log"

    def __init__(self, layouts: Layouts, logs: Logs, judge: Callable[[str, str], None], go: GoToResults) -> None:
        """Creates the screen; ``judge`` judges a query in a scope by its current answer, ``go`` goes to its results."""
        super().__init__(layouts)
        self._logs, self._judge, self._go = logs, judge, go
        self._compared_state: tuple[object, ...] = ()
        """The state that the last comparison depended on; empty if none is shown."""

    def make_panes(self) -> ComposeResult:
        """Yields the log, the selected entry, its delivery and the summary."""
        yield LogPane(id="log")
        yield LogEntryPane(id="entry")
        yield DeliveryPane(id="delivery")
        yield LogSummaryPane(id="summary")

    def show(self, view: View) -> None:
        """Shows the logs, and immediately compares the selected entry."""
        super().show(view)
        self.body.collapse(frozenset({"delivery"} if view.log.delivery is None else ()))
        self._compare_chosen()

    @on(LogPane.EntryChosen)
    def _compare_chosen(self) -> None:
        """Repeats the selected entry's query, unless the last comparison was of the same entry and state."""
        log, view = self.query_one(LogPane), self.view
        self.query_one(DeliveryPane).put(log.entry)
        state = (log.chosen, view.project.generation, view.edits.earlier, view.engine.name, view.engine.profile)
        if log.entry is not None and state != self._compared_state and self._logs.compare(log.entry):
            if self._compared_state and state[1:] != self._compared_state[1:]:
                self._logs.read()  # the marks of the rows depend on the state, too
            self._compared_state = state
        elif log.entry is None and self._compared_state:
            self._compared_state = ()
            self._logs.compare_none()

    @on(LogPane.AskAgain)
    def _ask_again(self, event: LogPane.AskAgain) -> None:
        self.app.run_worker(self._go(event.entry.query, event.entry.scope), exclusive=True, group="ask again")

    def on_screen_resume(self) -> None:
        """Reads the logs again, since they may have grown."""
        self._logs.read()

    def action_judge(self) -> None:
        """Records the selected query's current answer as its judgment."""
        entry = self.query_one(LogPane).entry
        if entry is not None and entry.query.strip():
            self._judge(entry.query.strip(), entry.scope)

    def action_delivery(self) -> None:
        """Asks for permission to read transcripts; if it was given, shows only lost answers, or all queries."""
        if self.view.log.delivery is None:
            self.app.push_screen(TranscriptsDialog(self._logs.proposed_folder), self._logs.permit)
        else:
            self.query_one(LogPane).toggle_lost()

    @property
    def note_at_hand(self) -> str:
        """The first note that answered the selected query and still exists; empty if there is none."""
        return answering_note(self.view, self.query_one(LogPane).entry)

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including explaining a note if none answered the selected query."""
        return super().idle if self.note_at_hand else super().idle | {"log.why"}

    @property
    def query_at_hand(self) -> QueryAtHand:
        """The selected query, its scope, and whether a note covers the query now."""
        entry, compared = self.query_one(LogPane).entry, self.view.log.compared
        if entry is None:
            return QueryAtHand("", "", True)
        is_covered = compared is None or compared.entry != entry or compared.is_covered
        return QueryAtHand(entry.query.strip(), entry.scope, is_covered)

    def explains_itself(self) -> bool:
        """Explains why the current note is or is not in the current answer to the selected query."""
        self._logs.explain(self.query_one(LogPane).entry)
        return True

    def action_follow(self) -> None:
        """Starts or stops following the engine."""
        self._logs.follow_engine()
