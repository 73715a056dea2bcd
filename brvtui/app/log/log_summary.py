"""The log in numbers: tiers, cache, the slowest queries, what was not covered."""

from __future__ import annotations

from brvtui.app.states import EngineLog, LogState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.lab.log_summary import LogSummary
from brvtui.paint.bars import eighths
from brvtui.paint.headline import NO_ANSWER
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import ms
from brvtui.tree.engine_files.query_log import LoggedQuery

_MOST = 8
_BAR = 16
_TIERS = ("exact cache", "fuzzy cache", "direct", "one call", "agent loop")


class LogSummaryPane(Pane):
    """Counts over the entries that are shown."""

    TITLE = "Summary"
    READS = (LogState,)
    HELP_TEXT = (
        "A summary of the log: how many queries each tier answered, how many came from the cache, which took longest, "
        "and which were not covered; those show what the project's memory lacks. For an engine without tiers: how many "
        "queries it answered, and for how many it found nothing."
    )

    def build(self, view: View, width: int) -> list[Line]:
        """Returns tiers, cache, queries that were not covered, the slowest, and where the engine's log is."""
        summary = view.log.summary
        if summary is None or not view.log.entries:
            return wrapped("tiers, cache hits, slow queries, and those that were not covered", width)
        made = self._tiers(summary, width)
        made.append(rule(width, "not covered", dash=self.glyphs.dash))
        made += [_query(entry, "", width) for entry in summary.not_covered[:_MOST]]
        if not summary.not_covered:
            made.append(line(" every query was covered", "muted"))
        made.append(rule(width, "slowest", dash=self.glyphs.dash))
        made += [_query(entry, ms(entry.took_ms or 0.0), width) for entry in summary.slowest]
        if view.log.engine_log is not None:
            made += self._engine_log(view.log.engine_log, width)
        return made

    def _engine_log(self, log: EngineLog, width: int) -> list[Line]:
        made = [rule(width, "the engine's log", dash=self.glyphs.dash)]
        made += wrapped(f"{log.place}{'' if log.exists else ', which is not there yet'}", width)
        if log.is_pending:
            made += wrapped("V4's rows that wait to be sent: what was sent is not here. They are only read.", width)
        return made

    def _tiers(self, summary: LogSummary, width: int) -> list[Line]:
        most = max(*summary.tiers, 1)
        cells = min(_BAR, max(width - 24, 4))
        made = []
        has_tiers = any(summary.tiers) or not summary.untiered
        for tier, (name, count) in enumerate(zip(_TIERS, summary.tiers, strict=True) if has_tiers else ()):
            bar = eighths(count / most, cells, self.glyphs)
            entry = Line().gap().add(f"T{tier} ", f"bold tier-{tier}").fit(name, 12, "text")
            made.append(entry.add(f"{count:>5} ", "strong").add(bar, f"tier-{tier}").cut(width))
        if summary.uncovered:
            made.append(line(" – ", "muted").add("not covered", NO_ANSWER).add(f" {summary.uncovered:>6} ", "strong"))
        if summary.cached is not None:
            of_whom = " of those with a tier" if summary.untiered else ""
            made.append(line(" from the cache ", "muted").add(f"{summary.cached:.0%}", "strong").add(of_whom, "muted"))
        for other in summary.untiered:
            counts = line(f" {other.engine} ", "muted").add(f"{other.answered} answered", "strong")
            if other.not_covered:
                counts.add(f", {other.not_covered} not covered", "warn")
            made.append(counts.cut(width))
        if summary.failed:
            made.append(line(f" {summary.failed} failed", "warn"))
        return made


def _query(entry: LoggedQuery, right: str, width: int) -> Line:
    return line(" ").add(entry.query, "text").right(width, Line().add(right, "muted"))
