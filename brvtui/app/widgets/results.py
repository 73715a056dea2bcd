"""Results: the ranked hits, and below a ruled line the notes that nearly were."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from brvtui.app.actions.panes import RESULTS
from brvtui.app.jeffs_brain import results as hybrid
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import ASTRAY, AnswerState, Phase, ProjectState, QueryState, SelectionState, StaleState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.verdict import empty_lines
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.bars import eighths
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import cut_left, number, plural, wrap
from brvtui.trace import Hit, NearMiss, Origin, Outcome, Trace

_BAR = 6
_SCORE = 5
_RANKS = "rank"
_WAY_OUT = "Leave with ctrl+q, then name a project or a folder of markdown: brv-tui PROJECT"


class ResultsPane(ChoicePane):
    """Two lines a hit (title and score, path) while there is room, else only for the selected one."""

    TITLE = "Results"
    READS = (QueryState, AnswerState, SelectionState, ProjectState, StaleState)
    HELP_TEXT = (
        "Hits in the order in which the gates saw them: rank, maturity (○ draft, ◐ validated, ● core, ▤ summary, "
        "▱ archived stub), title, score, bar. Below the ruled lines stand the near misses with what each lacked. "
        "Moving through them shows score, text and place in the tree of each. Of Jeffs Brain: the fused list, with "
        "each note's place by words (w) and by vectors (v)."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(RESULTS)

    def heading(self, view: View) -> str:
        """How many of how many."""
        match view.answered:
            case None:
                return "Results"
            case Trace() as trace:
                return _heading(trace)
            case HybridTrace() as trace:
                return hybrid.heading(trace)

    def build(self, view: View, width: int) -> list[Line]:
        """Hits and near misses; before a query, hints and the most important notes."""
        self.choices, self.owner = [], []
        match view.answered:
            case None:
                return self._empty(view, width)
            case Trace() as trace:
                made = self._routed(trace, view, width)
            case HybridTrace() as found:
                made = self._take(hybrid.listing(found, view, width, self.rows, self.glyphs))
        self.cursor = self.choices.index(view.selection.file) if view.selection.file in self.choices else 0
        return made

    def _take(self, listing: Iterable[tuple[str, list[Line]]]) -> list[Line]:
        """The lines of ``listing``, each group under the note that it stands for; empty for none."""
        made: list[Line] = []
        for choice, lines in listing:
            if choice:
                self.choices.append(choice)
            made += lines
            self.owner += [len(self.choices) - 1 if choice else -1] * len(lines)
        return made

    def _routed(self, trace: Trace, view: View, width: int) -> list[Line]:
        tall = len(trace.hits) * 2 + min(len(trace.search.near_misses), 4) + 2 <= self.content_size.height
        made: list[Line] = []
        for rank, hit in enumerate(trace.hits, 1):
            self.choices.append(hit.file)
            state = view.stale.files.get(hit.file, "")
            rows = _hit(hit, rank, width, tall or hit.file == view.selection.file, state, self.glyphs)
            made += rows
            self.owner += [len(self.choices) - 1] * len(rows)
        if not trace.hits:
            shut = (
                view.project.overview.why_empty
                if view.project.overview is not None and view.project.overview.shut
                else ""
            )
            made += [Line().gap().extend(part.spans) for part in _nothing(trace, shut, width - 2)]
            self.owner += [-1] * len(made)
        return made + self._near(trace, width)

    def changed(self) -> None:
        """Keeps the selected result in view."""
        super().changed()
        self.reveal()

    def _near(self, trace: Trace, width: int) -> list[Line]:
        made: list[Line] = []
        shown = {hit.file for hit in trace.hits}
        reason = ""
        misses = [miss for miss in trace.search.near_misses if miss.file not in shown]
        for miss in misses:
            if miss.reason != reason:
                reason = miss.reason
                made.append(rule(width, _limit(trace, reason), dash=self.glyphs.dash))
                self.owner.append(-1)
            self.choices.append(miss.file)
            self.owner.append(len(self.choices) - 1)
            made.append(_miss(miss, width, self.view.stale.files.get(miss.file, ""), self.glyphs))
        more = trace.search.matched - len(trace.search.hits) - len(misses)
        if more > 0 and misses:
            made.append(line(f"   … {more} more matched", "muted"))
            self.owner.append(-1)
        return made

    def _empty(self, view: View, width: int) -> list[Line]:
        if view.project.phase is not Phase.READY or view.project.overview is None:
            texts = [view.project.problem, _WAY_OUT] if view.project.phase is Phase.FAILED else ["reading the tree…"]
            made = [Line()]
            for text in texts:
                made += [*(line(f" {part}", "muted") for part in wrap(text, width - 2)), Line()]
        elif not view.project.overview.notes:
            made = [Line(), *empty_lines(view.project.overview.why_empty, width)]
        else:
            made = _hints(view, width, self.glyphs)
        self.owner = [-1] * len(made)
        return made

    def words(self, choice: str, lines: Sequence[Line]) -> str:
        """Title and path, uncut."""
        trace = self.view.answer.trace
        found: list[Hit | NearMiss] = [*trace.hits, *trace.search.near_misses] if trace else []
        return next((f"{one.title}\n{one.path}" for one in found if one.file == choice), "")

    def moved(self, choice: str) -> None:
        """Tells the screen."""
        self.services.select(choice)

    def clicked(self, place: int) -> None:
        """A first click selects; a second one on the same opens the note."""
        if place == self.cursor and self.has_focus:
            self.action_open()
        self.move_to(place)

    def action_open(self) -> None:
        """Shows the text of the selected note."""
        if self.chosen:
            self.post_message(self.NoteWanted(self.chosen))


def _heading(trace: Trace) -> str:
    found = trace.search
    if not trace.hits and not found.total_found:
        return "Results none"
    limit = f"limit {found.limit}" if trace.used else "computed, not used"
    added = sum(1 for hit in trace.hits if hit.found_by)
    lifted = sum(1 for hit in trace.hits if hit.origin is Origin.PROPAGATED and not hit.found_by)
    more = f" + {plural(lifted, 'folder')}" if lifted else ""
    more += f" + {added} by words" if added else ""
    return f"Results {len(trace.hits) - added - lifted} of {found.total_found}{more} · {limit}"


def _hit(hit: Hit, rank: int, width: int, with_path: bool, astray: str, glyphs: Glyphs) -> list[Line]:
    sign, role = glyph_of(hit.kind, hit.signals.maturity if hit.signals else "", glyphs)
    if astray:
        sign, role = glyphs.warn, "warn"
    bar = _BAR if width >= 32 else 0
    room = width - 5 - _SCORE - 1 - bar
    first = Line().add(f"{rank:>2} ", "muted").add(f"{sign} ", role)
    first.fit(hit.title, room, "bold strong" if rank == 1 else "text")
    first.add(f"{hit.score:>{_SCORE}.2f} ", "strong").add(eighths(hit.score, bar, glyphs), "bar")
    if not with_path:
        return [first]
    note = f"  by “{hit.found_by}”" if hit.found_by else "  shared" if hit.shared_source else ""
    note = "  lifted from below" if hit.origin.value == "propagated" and not note else note
    note = f"  {ASTRAY[astray]}" if astray else note
    path = cut_left(Line().add(hit.path).plain, width - 5 - len(note))
    return [first, Line().gap(5).add(path, "muted").add(note, "warn" if astray else "accent")]


def _miss(miss: NearMiss, width: int, astray: str, glyphs: Glyphs) -> Line:
    sign, role = (glyphs.warn, "warn") if astray else glyph_of(miss.kind, miss.maturity, glyphs)
    lack = f"{glyphs.minus}{miss.short:.3f}" if "limit" not in miss.reason else f"+{miss.short:.0f} {_RANKS}"
    room = width - 5 - _SCORE - 9
    made = line(" – ", "faint").add(f"{sign} ", role).fit(miss.title, room, "muted")
    return made.add(f"{miss.score:>{_SCORE}.2f} ", "muted").add(f"{lack:>8}", "warn")


def _limit(trace: Trace, reason: str) -> str:
    if "× top" in reason and trace.search.floor is not None:
        return f"{reason} = {number(trace.search.floor, 3)}"
    return f"{reason} of {trace.search.limit}" if reason == "past the limit" else reason


def _nothing(trace: Trace, shut: str, width: int) -> list[Line]:
    """What to say of no result; where the tree is ``shut``, no note can be begun either."""
    made = [line("nothing was found", "bold strong")]
    made += [line(part, "muted") for part in wrap(trace.verdict, width)]
    for word in trace.search.unmatched_words:
        made.append(line("no note has ", "muted").add(f"“{word}”", "warn"))
    if shut:
        made += [Line(), *(line(part, "warn") for part in wrap(shut, width))]
    elif trace.outcome is Outcome.NOT_COVERED:
        made += [Line(), line("a", "bold accent").add(" begins a note about it", "text")]
    return made


def _hints(view: View, width: int, glyphs: Glyphs) -> list[Line]:
    hints = (
        ("Type", "every key shows its tier"),
        ("Enter", "runs: ask twice for tier 0"),
        ("Folder", "choose one as scope"),
    )
    made = [Line()]
    for head, text in hints:
        made.append(line(f" {glyphs.bullet} ", "accent").add(head, "bold strong").add(f"  {text}", "muted").cut(width))
    important = view.project.overview.important if view.project.overview else ()
    if important:
        made += [Line(), rule(width, "most important notes", dash=glyphs.dash)]
    for note in important:
        entry = line(" ").add(f"{glyphs.maturity[note.maturity]} ", note.maturity)
        made.append(entry.fit(note.title, width - 9, "text").add(f"{note.importance:>5.0f}", "muted"))
    return made
