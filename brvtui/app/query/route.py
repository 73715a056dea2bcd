"""The Route pane: the sequence of tiers, with the value, threshold and margin of every gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import ROUTE
from brvtui.app.arrangement import SLIM
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import LOOKING, AnswerState, EngineState, Phase, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines, wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.bars import meter
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, badge, line, rule
from brvtui.paint.text import plural

if TYPE_CHECKING:
    from brvtui.paint.sentence import Headline
    from brvtui.trace import Trace

# The headline sentence and the strip of steps, which are visible at every screen size.


_LEAST_METER, _MOST_METER = 8, 60
VERDICT = "verdict"
"""The id of the headline widget."""


def sentence_rows(width: int) -> int:
    """Returns the maximum number of lines for the sentence; its least important clauses are left out to fit."""
    return 3 if width < SLIM else 2


class Verdict(Lines):
    """The headline sentence and the steps with their results."""

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the sentence and the strip of steps."""
        return [*verdict(view, width, self.glyphs), *strip(view, width, self.glyphs)]


def strip(view: View, width: int, glyphs: Glyphs, values: bool = False) -> list[Line]:
    """Returns the steps of the answer as a strip; blank lines before the first answer."""
    if view.answered is None:
        return [Line()] * (4 if values else 2)
    from brvtui.paint import steps

    return steps.strip(view.answered.steps, view.answered.timings, view.presentation.outlook, width, glyphs, values)


def verdict(view: View, width: int, glyphs: Glyphs, rows: int = 0) -> list[Line]:
    """Returns the badge and the sentence in ``rows`` lines (by default :func:`sentence_rows`), padded to them."""
    lines = _verdict(view, width, glyphs, rows or sentence_rows(width))
    return lines + [Line()] * (sentence_rows(width) - len(lines))


def shortened(view: View, width: int) -> str:
    """Returns the whole sentence if a verdict of ``width`` cells shortens it; otherwise an empty string."""
    if view.answered is None:
        return ""
    from brvtui.paint.sentence import shortened_sentence

    return shortened_sentence(view.presentation.headline(view.answered), view.answer.busy, width, sentence_rows(width))


def _headline(view: View, trace: Trace) -> tuple[Headline, float, str]:
    """Returns the headline of the answer, its duration in milliseconds, and the work in progress."""
    return view.presentation.headline(trace), trace.timings.get("total", 0.0), view.answer.busy


def _verdict(view: View, width: int, glyphs: Glyphs, rows: int) -> list[Line]:
    if view.project.phase is Phase.FAILED:
        return [badge("CANNOT OPEN", "bad").add("  ").add(view.project.problem, "text").cut(width)]
    if view.project.overview is not None and view.project.overview.unreadable:
        return [badge("GONE", "bad").add(f"  {view.project.overview.why_empty}").cut(width)]
    if view.answered is None:
        return [_line_before(view, width, glyphs).cut(width)]
    from brvtui.paint.sentence import headline_lines

    return headline_lines(*_headline(view, view.answered), width, rows)


def _loading(view: View, width: int, glyphs: Glyphs) -> Line:
    if not view.project.total:
        return badge("OPENING", "accent").add(f"  {LOOKING}", "muted")
    if view.project.done >= view.project.total:
        return badge("INDEXING", "accent").add(f"  {plural(view.project.total, 'file')} read", "muted")
    row = badge("READING", "accent").add("  ")
    progress = f"  {view.project.done / view.project.total:4.0%}   {view.project.done} of {view.project.total} files"
    room = max(_LEAST_METER, min(_MOST_METER, width - row.width - len(progress) - 1))
    return row.extend(meter(view.project.done / view.project.total, room, glyphs)).add(progress, "muted")


def _empty(view: View) -> str:
    overview = view.project.overview
    if overview is not None and (overview.kind.why_empty or overview.unread):
        return overview.why_empty
    return "no notes yet: curate one with brv, and it appears here automatically"


def _line_before(view: View, width: int, glyphs: Glyphs) -> Line:
    if view.project.phase is Phase.LOADING:
        return _loading(view, width, glyphs)
    if view.project.overview and not view.project.overview.notes:
        return badge("EMPTY", "warn").add(f"  {_empty(view)}")
    row = badge("READY", "accent").add(
        f"  type a question to see {view.worded(view.presentation.question)}, and why", "muted"
    )
    return row.add(f"  {view.answer.busy}", "warn") if view.answer.busy else row


_HOW = (
    "to change a note, select it: {note.edit} edits it, {note.signals} sets its importance and "
    "maturity. To use a path, type it as the query"
)
_WHOLE_SENTENCE = 1000
"""The maximum number of lines for the sentence when Route is maximised."""
_LEAST_ROWS = 8
"""The minimum number of rows below the verdict and the strip. With fewer, opening the pane maximises it."""


class RoutePane(Pane):
    """The steps of the route with their checks, stages and times.

    A maximised pane starts with the whole sentence and the strip. Otherwise the pane starts with the sentence if that
    is shortened above the panes.
    """

    TITLE = "Route"
    READS = (QueryState, AnswerState, EngineState, ProjectState)
    HELP_TEXT = (
        "This pane shows the steps that led to the answer and what decided each of them. In ByteRover, the order is: "
        "two cache look-ups, entity searches (for single words of a query that found few results; they have their own "
        "stop words), the out-of-domain test, then tier 2 (direct answer), 3 (one model call) or 4 (agent loop). Each "
        "gate shows its value, the name of its threshold, and the margin by which it passed or failed. The symbols "
        "mean: » taken, ✓ passed, ✗ failed, – missed, ⊘ skipped, · not reached. If a query needs a model or is not "
        "covered, press {route.takes} to list the smallest changes with which the notes would answer it directly: "
        "verified on a copy of the tree (✓), proven impossible (✗), or not found (–)."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(ROUTE)

    class CounterfactualsWanted(Message):
        """Posted to start a search for the smallest changes that make a model unnecessary."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.with_verdict = self.alone = False
        self._counterfactuals_at = 0
        self._reveals = False

    def arranged(self, shown: frozenset[str]) -> None:
        """Shows the verdict in this pane if the widget above the panes is hidden."""
        self.with_verdict, self.alone = VERDICT not in shown, len(shown) == 1

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including where to show the verdict."""
        return (self.with_verdict, self.alone, *super().also_reads())

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: the search for changes if no model is needed now."""
        return frozenset() if self.view.may_need_less else frozenset({"route.takes"})

    @property
    def has_room(self) -> bool:
        """True if enough rows remain below the verdict and the strip."""
        return self.rows - self.pinned >= _LEAST_ROWS

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the verdict and the strip if this pane shows them, then notices, gates, stages and times."""
        top: list[Line] = []
        if self.with_verdict:
            rows = _WHOLE_SENTENCE if self.alone else 0
            top = [*verdict(view, width, self.glyphs, rows), *strip(view, width, self.glyphs, values=True)]
        self.pinned = len(top)
        trace = view.answered
        if trace is None:
            return top or wrapped("a query's route: the gates that it passes and fails", width)
        from brvtui.paint.blocks import lines_of
        from brvtui.paint.steps import notices, times

        if not self.with_verdict and (sentence := shortened(view, self.app.size.width)):
            top += wrapped(sentence, width, "text")
        top += notices(trace.notices, width, self.glyphs)
        decision = lines_of(view.presentation.decision(trace, self.glyphs), width, self.glyphs)
        counterfactuals = self._counterfactuals(view, width)
        self._counterfactuals_at = len(top) - self.pinned + len(decision)
        flow = lines_of(view.presentation.flow(trace, self.glyphs), width, self.glyphs)
        return [*top, *decision, *counterfactuals, *flow, *times(trace.timings, width)]

    def _counterfactuals(self, view: View, width: int) -> list[Line]:
        """Returns the counterfactuals, the key that starts the search for them, or a message while the search runs."""
        if not view.may_need_less or view.project.saved:
            return []
        lines = [rule(width, "changes that make a model unnecessary", dash=self.glyphs.dash)]
        search = view.answer.counterfactuals
        if search is None or search.trace is not view.answer.trace:
            key = self.services.shown_key("route.takes")
            hint = line(" press ", "muted").add(key, "bold accent").add(" to look for the smallest changes", "muted")
            return [*lines, hint.cut(width)]
        if search.found is None:
            return [*lines, line(" trying changes…", "muted").cut(width)]
        from brvtui.engines.counterfactuals import counterfactual_blocks  # imported late, since few users need it
        from brvtui.paint.blocks import lines_of

        lines += lines_of(counterfactual_blocks(search.found, self.glyphs), width, self.glyphs)
        if any(way.is_verified for way in search.found.ways):
            lines += wrapped(self.services.with_keys(_HOW), width)
        return lines

    def changed(self) -> None:
        """Scrolls to the counterfactuals when they appear after a request."""
        super().changed()
        if self._reveals and self.view.answer.counterfactuals is not None:
            self.scroll_to_row(self._counterfactuals_at)
            self._reveals = self.view.answer.counterfactuals.found is None

    def action_counterfactuals(self) -> None:
        """Starts the search for the smallest changes that avoid a model call, and scrolls to the result."""
        self._reveals = True
        self.post_message(self.CounterfactualsWanted())
