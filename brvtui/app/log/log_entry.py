"""Then and now: one logged query beside its answer at this moment."""

from __future__ import annotations

from brvtui.app.log.log_pane import is_of_tiers, moment, names_engines, tier_mark, tier_of
from brvtui.app.log.logs import answering_note, results_of
from brvtui.app.states import EngineState, LogState, ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.engines.registry import presentation
from brvtui.lab.log_comparison import LogComparison
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import ms, number, wrap

_LABEL = 10


class LogEntryPane(Pane):
    """The entry under the cursor as it was logged, beside the answer now, with the differences."""

    TITLE = "Then and now"
    READS = (LogState, ProjectState, EngineState)
    HELP_TEXT = (
        "What the log says of the chosen query, and what asking it again, on an empty cache, gives with the notes as "
        "they are now. Differences of tier, first note and its score are listed, and their cause: notes that changed "
        "since, time that has passed, another profile. What came from the cache then is compared with what the notes "
        "themselves give. At the end stands the answer that the agent received, where the log holds it."
    )

    def build(self, view: View, width: int) -> list[Line]:
        """Then, now, differences."""
        compared = view.log.compared
        if compared is None:
            said = "choose a query: it is asked again, and compared"
            if not view.log.entries:
                said = "a logged query is compared here with its answer now"
            return wrapped("a saved trace: open its project to compare" if view.project.saved else said, width)
        made = wrapped(compared.entry.query, width, "bold strong")
        made += self._verdict(compared, width)
        made.append(rule(width, "then", dash=self.glyphs.dash))
        named = names_engines(view)
        made += _then(compared, named, width)
        made += _at_hand(view, compared, width)
        now = f"now by {compared.entry.engine}" if named else "now"
        caches = presentation(compared.entry.engine).caches
        made.append(rule(width, f"{now}, on an empty cache" if caches else now, dash=self.glyphs.dash))
        made += _now(compared, width)
        if compared.entry.response:
            made.append(rule(width, "the answer that the agent received", dash=self.glyphs.dash))
            for paragraph in compared.entry.response.splitlines():
                made += wrapped(paragraph, width, "text")
        return made

    def update(self, view: View) -> None:
        """Scrolls back when another query is compared."""
        before, compared = self.view.log.compared, view.log.compared
        if compared is not None and (before is None or before.entry != compared.entry):
            self.offset_row = 0
        super().update(view)

    def _verdict(self, compared: LogComparison, width: int) -> list[Line]:
        made = wrapped(compared.cached, width, "muted") if compared.cached else []
        if not compared.differences and compared.cached and not compared.entry.paths:
            return made  # the log holds nothing to compare
        if not compared.differences:
            same = "the notes give the same" if compared.cached else "would be answered the same"
            return [*made, line(f" {self.glyphs.check} {same}", "ok"), *_moved(compared, width)]
        for difference in compared.differences:
            for place, part in enumerate(wrap(difference, width - 4)):
                made.append(line(f" {self.glyphs.cross} " if place == 0 else "   ", "warn").add(part, "text"))
        made += wrapped("since then:", width, "muted") if compared.causes else []
        for cause in compared.causes:
            for place, part in enumerate(wrap(cause, width - 4)):
                made.append(line(f" {self.glyphs.bullet} " if place == 0 else "   ", "faint").add(part, "muted"))
        return made + _moved(compared, width)


def _moved(compared: LogComparison, width: int) -> list[Line]:
    """Where the results of then are that were moved since."""
    return [row for path, now in compared.paths_now.items() for row in wrapped(f"{path} is {now} now", width, "muted")]


def _then(compared: LogComparison, with_engine: bool, width: int) -> list[Line]:
    entry = compared.entry
    tier, role = tier_of(entry)
    made = wrapped(entry.verdict_sentence, width, "text") if entry.verdict_sentence else []
    status = "not covered" if entry.not_covered else entry.status
    made += [
        _field("when", f"{moment(entry.at_ms)}, {entry.who}", width),
        Line().gap().fit("tier", _LABEL, "muted").add(tier, role).add(f"  {entry.status}", "muted").cut(width)
        if _has_tiers(compared)
        else _field("status", status, width),
        _field("took", ms(entry.took_ms) if entry.took_ms is not None else "–", width),
        _field("number 1", number(entry.top_score, compared.decimals), width),
    ]
    told = (
        ("engine", entry.engine if with_engine else ""),
        ("scope", entry.scope),
        ("profile", entry.profile),
        ("failed", entry.problem),
    )
    for name, value in told:
        made += [_field(name, value, width)] if value else []
    return made + _paths(entry.paths, width)


def _at_hand(view: View, compared: LogComparison, width: int) -> list[Line]:
    """Names the note that keys act on where that is not the first result."""
    note, results = answering_note(view, compared.entry), results_of(view, compared.entry)
    if not note or note == results[0]:
        return []
    why = "number 1 now" if note in compared.paths[:1] else "of these results, the first that is a note now"
    return wrapped(f"keys for a note act on {note}: {why}", width, "muted")


def _now(compared: LogComparison, width: int) -> list[Line]:
    made = wrapped(compared.verdict_sentence, width, "text") if compared.verdict_sentence else []
    if _has_tiers(compared):
        mark = tier_mark(compared.tier, compared.is_covered)
        made.append(Line().gap().fit("tier", _LABEL, "muted").add(*mark).cut(width))
    made.append(_field("number 1", number(compared.top_score, compared.decimals), width))
    return made + _paths(compared.paths, width)


def _has_tiers(compared: LogComparison) -> bool:
    return is_of_tiers(compared.entry) or compared.tier is not None


def _field(name: str, value: str, width: int) -> Line:
    return Line().gap().fit(name, _LABEL, "muted").add(value, "text").cut(width)


def _paths(paths: tuple[str, ...], width: int) -> list[Line]:
    return [
        Line().gap().fit(f"{place}.", 4, "muted").add(path, "text").cut(width)
        for place, path in enumerate(paths, start=1)
    ]
