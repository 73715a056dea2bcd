"""The Score pane: the parts of the selected result's score, and its best possible score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.app.states import GONE, GONE_TEXT, NEWER, AnswerState, ProjectState, QueryState, SelectionState, StaleState
from brvtui.app.view import View
from brvtui.app.widgets.lines import stale_lines, wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line

if TYPE_CHECKING:
    from brvtui.trace import Trace

_STALE = {NEWER: "the file has changed: this is the score of the earlier text", GONE: GONE_TEXT}


class ScorePane(Pane):
    """The selected result's score as a bar and a table, followed by signals, best possible score and terms."""

    TITLE = "Score"
    READS = (QueryState, AnswerState, SelectionState, StaleState, ProjectState)
    HELP_TEXT = (
        "This pane explains the score of the selected result: every part, and their sum. The bar goes from 0 to 1, "
        "with ticks at the gates' thresholds; the part that the maturity factor or the cap removes is hatched. Below "
        "the sum, you see how far the result is ahead of the second, or behind the first, and which parts explain the "
        "difference. The best possible score is the highest score that this note can get for any query; you also see "
        "how long it will stay above each threshold. Below are the note's signals before and after decay, and the "
        "contribution of every matched word per field. For a near miss, the pane shows the difference to the "
        "threshold that it missed."
    )

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the explanation of the selected hit or near miss."""
        if view.opening:
            return []
        if view.answered is None:
            return wrapped("the selected result's score, part by part", width)
        is_scored = view.hit is not None or view.retried is not None or view.near_miss is not None
        if not is_scored and view.stale.files.get(view.selection.file) == GONE:
            return wrapped(f"{self.glyphs.warn} {view.selection.file}: the file is gone", width, "warn")
        return stale_lines(_STALE, view, width, self.glyphs) + self._explained(view.answered, view, width)

    def _explained(self, trace: Trace, view: View, width: int) -> list[Line]:
        from brvtui.paint.blocks import lines_of
        from brvtui.paint.score import miss_lines, score_lines, terms, title_line

        shown, glyphs = view.presentation, self.glyphs
        selected, key = view.selection, "" if view.project.saved else self.services.shown_key("results.why")
        detail = selected.detail if selected.detail is not None and selected.detail.path == selected.file else None
        hit, miss = view.hit or view.retried, view.near_miss
        if hit is None and miss is None:
            if not selected.file:
                return wrapped("no result to explain", width)
            asks = f": {key} says why" if key else ""
            return wrapped(f"{selected.file}: {shown.not_scored(trace)}{asks}", width)
        place = lines_of(shown.place(trace, view.selection.file, glyphs), width, glyphs)
        if hit is not None:
            maturity = hit.signals.maturity if hit.signals else view.maturity_of(hit.file)
            aside = "shown, not used " if view.unused else ""
            aside += "only by the ladder " if hit is view.retried else ""
            head = title_line(trace, hit, maturity, aside, width, glyphs)
            return [head, *score_lines(trace, hit, detail, view.answer.ticks, width, glyphs), *place]
        assert miss is not None
        lines = miss_lines(miss, trace.scale, shown.lack(miss, glyphs)[0], key, width, glyphs)
        if detail is not None and detail.hit is not None:
            return [*lines, *score_lines(trace, detail.hit, detail, view.answer.ticks, width, glyphs), *place]
        return [*lines, *terms(detail.score if detail else None, detail, width, glyphs), *place]

    def update(self, view: View) -> None:
        """Shows ``view``; scrolls to the top if another note was selected."""
        if view.selection.file != self.view.selection.file:
            self.offset_row = 0
        super().update(view)
