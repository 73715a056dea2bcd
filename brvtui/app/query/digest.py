"""A summary of the Retry and Cache panes, shown while these panes are hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.app.query.cache import SAVED
from brvtui.app.states import AnswerState, CacheState, EngineState, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, Span, flowed, rule, spread

if TYPE_CHECKING:
    from brvtui.trace import Trace

DIGEST = "digest"
ROWS = {"retry": 4, "cache": 3}
"""The maximum number of rows for each pane, including its heading."""


class Digest(Lines):
    """A heading and a few phrases for each pane that is not shown; on a narrow screen, all in one row."""

    READS = (QueryState, AnswerState, CacheState, EngineState, ProjectState)

    @property
    def _others(self) -> set[str]:
        return {widget.id or "" for widget in self.siblings if widget.display}

    def also_reads(self) -> tuple[object, ...]:
        """Returns the visible panes, since the rows depend on them."""
        return (" ".join(sorted(self._others)),)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the rungs that ran, the number of cached entries, and the query's similarity to the nearest one."""
        if view.answered is None:
            return []
        if self.content_size.height == 1:
            return [self._in_one_row(view, view.answered, width)]
        lines: list[Line] = []
        for pane, (title, phrases) in self._topics(view, view.answered, width).items():
            if pane not in self._others:
                lines.append(rule(width, title, dash=self.glyphs.dash))
                lines += _wrapped(phrases, width, ROWS[pane] - 1)
        return lines

    def _in_one_row(self, view: View, trace: Trace, width: int) -> Line:
        groups: list[tuple[int, list[Span]]] = []
        for pane, (title, (first, *more)) in self._topics(view, trace, width // 3).items():
            groups.append((3 if pane == "cache" else 4, [(f"{title}: ", "muted"), first]))
            groups += [(2 if pane == "cache" else 1, [phrase]) for phrase in more]
        return Line().gap().extend(spread(width - 1, groups, cut_from=3).spans)

    def _topics(self, view: View, trace: Trace, width: int) -> dict[str, tuple[str, list[Span]]]:
        shown, seen, topics = view.presentation, view.cache.seen, {}
        if shown.has_ladder:
            topics["retry"] = ("Retry", shown.attempts_in_short(trace))
        if shown.caches:
            phrases = shown.cache_in_short(trace, seen)
            phrases += [(SAVED, "muted")] if view.project.saved else []
            topics["cache"] = (shown.cache(trace, seen, width, self.glyphs).title, phrases)
        return topics


def _wrapped(phrases: list[Span], width: int, rows: int) -> list[Line]:
    whole = Line()
    for text, role in phrases:
        whole.add(" · " if whole.spans else "", "faint").add(text, role)
    lines = [Line().gap().extend(part.spans) for part in flowed(whole, width - 2, width - 2)]
    return lines if len(lines) <= rows else [*lines[: rows - 1], lines[rows - 1].add("…", "muted")]
