"""The sentence that says why, and the strip of steps: what the eye lands on first, at every size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.app.states import LOOKING, AnswerState, EngineState, Phase, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.bars import meter
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, badge
from brvtui.paint.text import plural

if TYPE_CHECKING:  # few views have an answer
    from brvtui.paint.headline import Headline
    from brvtui.trace import Trace

_LEAST_METER, _MOST_METER = 8, 60


SENTENCE_ROWS = 2
"""The lines that a sentence may take; its lightest clauses give way."""


class Verdict(Lines):
    """The sentence, the steps, and how each ended."""

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def build(self, view: View, width: int) -> list[Line]:
        """Sentence and strip."""
        return [*verdict(view, width, self.glyphs), *strip(view, width, self.glyphs)]


def strip(view: View, width: int, glyphs: Glyphs, values: bool = False) -> list[Line]:
    """The steps of the answer, or those that there will be; nothing is known of them while the project is opened."""
    if view.opening:
        return [Line()] * (4 if values else 2)
    from brvtui.paint import steps

    outlook = view.presentation.outlook
    if view.answered is None:
        return steps.outlook_lines(outlook, width, glyphs, values)
    return steps.strip(view.answered.steps, view.answered.timings, outlook, width, glyphs, values)


def verdict(view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """Badge and sentence in as many lines as there is room for: the strip below does not move with every key."""
    made = _verdict(view, width, glyphs)
    return made + [Line()] * (SENTENCE_ROWS - len(made))


def shortened(view: View, width: int) -> str:
    """The whole sentence of the answer where a verdict of ``width`` cells leaves out a part of it; else nothing."""
    if view.answered is None:
        return ""
    from brvtui.paint.headline import shortened_sentence

    return shortened_sentence(*_headline(view, view.answered), width, SENTENCE_ROWS)


def _headline(view: View, trace: Trace) -> tuple[Headline, float, str]:
    """The headline of the answer, its milliseconds, and what goes on."""
    return view.presentation.headline(trace), trace.timings.get("total", 0.0), view.answer.busy


def _verdict(view: View, width: int, glyphs: Glyphs) -> list[Line]:
    if view.project.phase is Phase.FAILED:
        return [badge("CANNOT OPEN", "bad").add("  ").add(view.project.problem, "text").cut(width)]
    if view.project.overview is not None and view.project.overview.unreadable:
        return [badge("GONE", "bad").add(f"  {view.project.overview.why_empty}").cut(width)]
    if view.answered is None:
        return [_before(view, width, glyphs).cut(width)]
    from brvtui.paint.headline import headline_lines

    return headline_lines(*_headline(view, view.answered), width, SENTENCE_ROWS)


def _loading(view: View, width: int, glyphs: Glyphs) -> Line:
    """Returns how far reading has come; what follows has no measure."""
    if not view.project.total:
        return badge("OPENING", "accent").add(f"  {LOOKING}", "muted")
    if view.project.done >= view.project.total:
        return badge("INDEXING", "accent").add(f"  {plural(view.project.total, 'file')} read", "muted")
    made = badge("READING", "accent").add("  ")
    told = f"  {view.project.done / view.project.total:4.0%}   {view.project.done} of {view.project.total} files"
    room = max(_LEAST_METER, min(_MOST_METER, width - made.width - len(told) - 1))
    return made.extend(meter(view.project.done / view.project.total, room, glyphs)).add(told, "muted")


def _empty(view: View) -> str:
    overview = view.project.overview
    if overview is not None and overview.is_code:
        return overview.why_empty
    return "no notes yet: curate one with brv, and it appears here by itself"


def _before(view: View, width: int, glyphs: Glyphs) -> Line:
    if view.project.phase is Phase.LOADING:
        return _loading(view, width, glyphs)
    if view.project.overview and not view.project.overview.notes:
        return badge("EMPTY", "warn").add(f"  {_empty(view)}")
    made = badge("READY", "accent").add(
        f"  type a question to see {view.worded(view.presentation.question)}, and why", "muted"
    )
    return made.add(f"  {view.answer.busy}", "warn") if view.answer.busy else made
