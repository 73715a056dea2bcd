"""Score: why the selected result has the score it has, part by part, and how far it can get."""

from __future__ import annotations

from brvtui.app.jeffs_brain import score as hybrid
from brvtui.app.states import GONE, NEWER, AnswerState, QueryState, SelectionState, StaleState
from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.terms import terms
from brvtui.app.widgets.verdict import astray_lines, empty_lines
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.bars import role_of, stacked, tick_labels
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import days, number, signed, wrap
from brvtui.trace import Aged, Ceiling, Hit, Kind, NearMiss, Part, Trace, adds_up, parts_gap

_TICKS = ("direct.prefetch", "direct.min_top", "direct.sure_top")
_ASTRAY = {
    NEWER: "the file changed since: this is the score of the text before",
    GONE: "the file is gone: what is known of it is from before",
}
_VALUE = 9
_NAME = 13


class ScorePane(Pane):
    """The selected result's score as one bar and a table whose rows add up; then signals, ceiling and terms."""

    TITLE = "Score"
    READS = (QueryState, AnswerState, SelectionState, StaleState)
    HELP_TEXT = (
        "Every part of the score and their sum. The bar runs from 0 to 1, with ticks at the thresholds of the gates; "
        "what the maturity factor or the cap take away is hatched. Ceiling: the score this note would have with a "
        "perfect text match, and for how long that is enough. Below: its signals before and after decay, and what "
        "every matched term adds per field. For a near miss: what it lacked. Of Jeffs Brain: what each leg adds, "
        "1 / (60 + place), what each factor of intent changes, and the places."
    )

    def build(self, view: View, width: int) -> list[Line]:
        """The explanation of the selected hit or near miss."""
        match view.answered:
            case None:
                return legend(width, self.glyphs)
            case Trace():
                return self._astray(view, width) + self._routed(view, width)
            case HybridTrace() as trace:
                return self._astray(view, width) + hybrid.lines(trace, view, width, self.glyphs)

    def _astray(self, view: View, width: int) -> list[Line]:
        return astray_lines(_ASTRAY, view, width, self.glyphs)

    def _routed(self, view: View, width: int) -> list[Line]:
        if view.hit is not None:
            return explain(view.hit, view, width, self.glyphs)
        if view.near_miss is not None:
            return miss(view.near_miss, view, width, self.glyphs)
        if view.retried is not None:
            return explain(view.retried, view, width, self.glyphs)
        if view.selection.file:
            return empty_lines("not a result of this query, and not a near miss: w says why", width)
        return empty_lines("no result to explain", width)

    def changed(self) -> None:
        """Another note is read from its beginning."""
        super().changed()

    def update(self, view: View) -> None:
        """Scrolls back when another note is shown."""
        if view.selection.file != self.view.selection.file:
            self.offset_row = 0
        super().update(view)


_LEGEND = (
    ("relevance", "how well the words match"),
    ("importance", "grows with use, decays daily"),
    ("recency", "since the last change"),
    ("maturity", "draft less, core more"),
    ("local bonus", "the project's own notes"),
    ("lost", "taken away: maturity, cap"),
)


def legend(width: int, glyphs: Glyphs) -> list[Line]:
    """What a score is made of, before there is one."""
    made = [Line(), line(" a score is made of", "muted"), Line()]
    for name, what in _LEGEND:
        label = "" if name == "lost" else name
        entry = Line().gap().add(glyphs.fills[name] * 2, role_of(name)).gap().fit(label or "hatched", _NAME, "text")
        made.append(entry.add(f" {what}", "muted").cut(width))
    return made


def explain(hit: Hit, view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """Everything about one hit."""
    return [_head(hit, view, width, glyphs), *_body(hit, view, width, glyphs)]


def _body(hit: Hit, view: View, width: int, glyphs: Glyphs) -> list[Line]:
    made: list[Line] = []
    if not adds_up(hit):
        off = f"explanation does not add up (off by {parts_gap(hit):.2g})"
        made += [Line(), line(f" {glyphs.warn} {off}", "bold bad"), Line()]
    else:
        ticks = {
            view.answer.constants[name]: f"{glyphs.tick}{_short(view.answer.constants[name])}"
            for name in _TICKS
            if name in view.answer.constants
        }
        made.append(Line().extend(stacked(hit.parts, width, tuple(ticks), glyphs)))
        made.append(tick_labels(width, ticks))
    made += [_part(part, width, glyphs) for part in hit.parts]
    made.append(_sum(hit, width, glyphs))
    if hit.ceiling:
        made += ceiling_lines(hit.ceiling, width)
    if hit.signals:
        made += signals(hit.signals, width, glyphs)
    return made + terms(hit.text, view.selection.detail if _is_for(view, hit.file) else None, width, glyphs)


def miss(missed: NearMiss, view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """What is known of a note that is not in the results."""
    sign, role = glyph_of(missed.kind, missed.maturity, glyphs)
    right = Line().add(f"{missed.score:.2f}", "bold strong")
    made = [Line().gap().add(f"{sign} ", role).add(missed.title, "bold strong").right(width, right)]
    made.append(line(f" {missed.path}", "muted").cut(width))
    short = f"{missed.short:.0f} places" if "limit" in missed.reason else f"{missed.short:.4f}"
    made += [Line(), line(" not in the results: ", "muted").add(missed.reason, "bold warn")]
    made.append(line(" it lacked ", "muted").add(short, "bold warn").add(f", at rank {missed.rank}", "muted"))
    made += [line(" why not, and what would bring it in: w", "muted"), Line()]
    if view.selection.own is not None and view.selection.own.file == missed.file:
        return [*made, *_body(view.selection.own, view, width, glyphs)]
    detail = view.selection.detail if _is_for(view, missed.file) else None
    return [*made, *terms(detail.score if detail else None, detail, width, glyphs)]


def _is_for(view: View, file: str) -> bool:
    return view.selection.detail is not None and view.selection.detail.path == file


def _head(hit: Hit, view: View, width: int, glyphs: Glyphs) -> Line:
    maturity = hit.signals.maturity if hit.signals else ""
    sign, role = glyph_of(hit.kind, maturity, glyphs)
    kind = hit.kind.value.replace("_", " ") if hit.kind.value != "context" else maturity
    made = Line().gap().add(f"{sign} {kind}  ", role).add(hit.title, "bold strong")
    right = Line().add("computed, not used ", "warn") if view.unused else Line()
    if hit is view.retried:
        right.add("found by the ladder ", "warn")
    return made.right(width, right.add(f"{hit.score:.2f}", "bold strong"))


def _short(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


def _part(part: Part, width: int, glyphs: Glyphs) -> Line:
    role = role_of(part.name) if part.value >= 0 else "lost"
    lost = part.value < 0 and part.name != "rounding"
    fill = glyphs.fills["lost"] if lost else glyphs.fills.get(part.name, " ")
    made = Line().gap().add(f"{fill} ", role if part.value else "faint").fit(part.name, _NAME, "text").gap()
    value = signed(part.value, 4) if part.value else "0.0000"
    right = Line().add(f"{value:>{_VALUE}}", role if part.value else "faint")
    return made.add(how(part), "muted").right(width, right)


def how(part: Part) -> str:
    """What a part was made of: ``0.957 × 0.6``."""
    if part.name == "rounding":
        return part.note
    if part.name == "cap":
        return f"at most {part.factor:g}" if part.factor is not None else ""
    if part.factor is None:
        return part.note
    if part.name == "maturity":
        return f"{part.note} × {part.factor:g}"
    if part.amount is None:
        return part.note
    divisor = part.amount * part.factor / part.value if part.value else 1.0
    scale = f" ÷ {divisor:g}" if abs(round(divisor) - divisor) < 1e-6 and round(divisor) > 1 else ""
    note = f"  {part.note}" if part.note else ""
    return f"{part.amount:.3f} × {part.factor:g}{scale}{note}"


def _sum(hit: Hit, width: int, glyphs: Glyphs) -> Line:
    right = Line()
    if adds_up(hit):
        right.add(f"sum {glyphs.check} ", "ok")
    else:
        right.add(f"sum {glyphs.cross} ", "bold bad")
    return Line().right(width, right.add(f"= {hit.score:.4f}", "bold strong"))


def ceiling_lines(ceiling: Ceiling, width: int) -> list[Line]:
    """The best score that any wording could give, and for how long that is enough."""
    text = f"ceiling {ceiling.score:.3f}"
    for horizon in ceiling.horizons:
        threshold = _short(horizon.threshold)
        if not horizon.reachable:
            text += f" · never {threshold}"
        elif horizon.days_left is None:
            text += f" · {threshold} always"
        else:
            text += f" · {threshold} for {days(horizon.days_left)}"
    return [line(f" {part}", "accent") for part in wrap(text, width - 1)]


def signals(aged: Aged, width: int, glyphs: Glyphs) -> list[Line]:
    """Signals before and after decay, their source, and what an access hit would do."""
    made = [rule(width, f"signals from {aged.source} · {days(aged.days)} old", dash=glyphs.dash)]
    first = line(" importance ", "muted").add(f"{aged.importance_stored:.4g} → {aged.importance:.1f}", "text")
    then = line(" recency ", "muted").add(f"{number(aged.recency_stored)} → {aged.recency:.3f}", "text")
    if first.width + then.width < width:
        made.append(first.gap().extend(then.spans))
    else:
        made += [first.cut(width), then.cut(width)]
    sign, role = glyph_of(Kind.CONTEXT, aged.maturity, glyphs)
    second = Line().gap().add(f"{sign} {aged.maturity}", role)
    made.append(second.add(f"  read {aged.access_count}×  changed {aged.update_count}×", "muted").cut(width))
    return made + [line(f" {part}", "muted") for part in wrap(aged.after_access, width - 1)]
