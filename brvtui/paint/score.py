"""Shows a score as lines: a bar and a table of its parts with their sum, the best possible score, signals and terms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from rich.cells import cell_len

from brvtui.paint.bars import role_of, stacked, tick_labels
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.hits import SIGNS, lead_lines
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.paint.text import days, number, signed, wrap
from brvtui.trace import (
    AgedSignals,
    Ceiling,
    Contribution,
    Detail,
    Hit,
    Horizon,
    Kind,
    MatchKind,
    NearMiss,
    Origin,
    Part,
    Scale,
    TextScore,
    Trace,
    adds_up,
    parts_gap,
)

_VALUE = 9
_NAME = 13
_FACTORS = 18
"""The maximum number of cells for the two factors of a part."""
_MOST_ASKED = 12
"""The maximum number of cells for the query's terms in the table of terms."""
_FULL_TERMS = 62
"""The minimum width, in cells, of a term's row with all numbers."""
TICKS = ("direct.prefetch", "direct.min_top", "direct.sure_top", "results.medium", "results.high")
"""The constants whose values are marked on the bar of a score, if the trace contains them."""
_SOURCES = {"sidecar": "ByteRover's own store", "overlay": "brv-tui's own data"}


def ticks_of(trace: Trace) -> dict[str, float]:
    """Returns the thresholds for scores in ``trace``, keyed by the name of their constant."""
    named = {
        check.constant: check.threshold for step in trace.steps for check in step.checks if check.threshold is not None
    }
    for hit in trace.hits:
        for horizon in hit.ceiling.horizons if hit.ceiling else ():
            named.setdefault(horizon.constant, horizon.threshold)
    return {name: named[name] for name in TICKS if name in named}


def score_lines(
    trace: Trace, hit: Hit, detail: Detail | None, ticks: Mapping[str, float], width: int, glyphs: Glyphs
) -> list[Line]:
    """Returns parts, sum, lead, best possible score, signals and terms; ``detail`` is None until computed."""
    scale = trace.scale
    best = max((one.score for one in trace.hits), default=0.0)
    lines = sum_lines(hit, scale, best, ticks, width, glyphs)
    lines += lead_lines(trace.hits, hit, scale.decimals, width)
    if hit.ceiling:
        lines += ceiling_lines(hit.ceiling, scale.decimals, width, hit.origin is Origin.PATH)
    if hit.signals:
        lines += signals(hit.signals, width, glyphs)
    return lines + terms(hit.text, detail, width, glyphs)


def sum_lines(
    hit: Hit, scale: Scale, best: float, ticks: Mapping[str, float], width: int, glyphs: Glyphs
) -> list[Line]:
    """Returns a result's score as a bar, its parts, and their sum. ``best`` is the highest score in the list."""
    lines = _bar(hit, scale, best, ticks, width, glyphs)
    places = _places(hit, max(4, scale.decimals))
    longest = max((cell_len(part.name) for part in hit.parts if how(part)), default=0)
    names = max(_NAME, min(longest, width - _VALUE - _FACTORS))
    lines += [entry for part in hit.parts for entry in _part(part, scale, places, names, width, glyphs)]
    return [*lines, _sum(hit, places, width, glyphs)]


def _places(hit: Hit, least: int) -> int:
    """Returns the fewest decimal places, from ``least`` on, with which rounded parts add up to the rounded score."""
    off = {n: sum(round(part.value, n) for part in hit.parts) - round(hit.score, n) for n in range(least, least + 4)}
    return next((places for places, error in off.items() if abs(error) < 0.5 / 10**places), least)


def title_line(trace: Trace, hit: Hit, maturity: str, aside: str, width: int, glyphs: Glyphs) -> Line:
    """Returns the rank, kind, title and score of a result. ``aside`` is a warning before the score."""
    sign, role = glyph_of(hit.kind, maturity, glyphs)
    kind = hit.kind.value.replace("_", " ") if hit.kind is not Kind.CONTEXT else maturity
    rank, _ = trace.place_of(hit.file)
    left = Line().gap().add(f"{rank} " if rank else "", "muted")
    left.add(f"{sign} {kind}  " if kind else f"{sign} ", role).add(hit.title, "bold strong")
    right = Line().add(aside, "warn")
    return left.right(width, right.add(f"{hit.score:.{trace.scale.decimals}f}", "bold strong"))


def miss_lines(missed: NearMiss, scale: Scale, lack: str, key: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the score of a document that is not a result, the reason, and how far it fell short.

    ``key`` shows what would change that; empty if nothing does.
    """
    sign, role = glyph_of(missed.kind, missed.maturity, glyphs)
    right = Line().add(f"{missed.score:.{scale.decimals}f}", "bold strong")
    lines = [Line().gap().add(f"{sign} ", role).add(missed.title, "bold strong").right(width, right)]
    lines.append(line(f" {missed.path}", "muted").cut(width))
    reason = line(" not in the results: ", "muted").add(missed.reason, "bold warn")
    lines += [Line(), *hanging(reason, width, 1)]
    if missed.rank:  # a document that was dropped before ranking is not compared with a threshold
        lines.append(line(" short by ", "muted").add(lack, "bold warn").add(f", at rank {missed.rank}", "muted"))
    asks = [line(f" {key}: why not, and what would change that", "muted")] if key else []
    return [*lines, *asks, Line()]


def _bar(
    hit: Hit, scale: Scale, best: float, thresholds: Mapping[str, float], width: int, glyphs: Glyphs
) -> list[Line]:
    """Returns the bar with the parts of a score. Its full width is the maximum of the scale."""
    if not adds_up(hit):
        off = f"the explanation does not add up (off by {parts_gap(hit):.2g})"
        return [Line(), line(f" {glyphs.warn} {off}", "bold bad"), Line()]
    if scale.full == 1.0:
        ticks = {value: f"{glyphs.tick}{_short(value)}" for value in thresholds.values()}
        bar = stacked(hit.parts, width, tuple(ticks), glyphs, scale.reach)
        return [Line().extend(bar), *([tick_labels(width, ticks)] if ticks else [])]
    scaled: Sequence[Part] = [replace(part, value=part.value / (scale.full or 1.0)) for part in hit.parts]
    label = f"full width: {scale.full:g}, the highest possible score"
    if best >= scale.full:
        label = f"full width: {scale.full:.{max(5, scale.decimals)}f}, the best score in the list"
    return [Line().extend(stacked(scaled, width, (), glyphs)), line(f" {label}", "faint").cut(width)]


def _part(part: Part, scale: Scale, places: int, names: int, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the line for a part of a score. A remark that does not fit on this line has its own line below it."""
    role = role_of(part.name) if part.value >= 0 else "lost"
    lost = part.value < 0 and part.name != "rounding"
    fill = glyphs.fills["lost"] if lost else glyphs.fills.get(part.name, " ")
    left = Line().gap().add(f"{fill} ", role if part.value else "faint")
    value = signed(part.value, places) if part.value else f"{0:.{places}f}"
    right = Line().add(f"{value:>{_VALUE}}", role if part.value else "faint")
    made_of = how(part, scale.decimals + 1)
    if not made_of:
        return [left.add(part.name, "text").right(width, right)]
    left.fit(part.name, names, "text").gap()
    below = ""
    if left.width + cell_len(made_of) + 1 + right.width > width:
        made_of, _, below = made_of.partition("  ") if "  " in made_of else ("", "", made_of)
    notes = [line(f"   {text}", "muted") for text in wrap(below, width - 3)] if below else []
    return [left.add(made_of, "muted").right(width, right), *notes]


def _sum(hit: Hit, places: int, width: int, glyphs: Glyphs) -> Line:
    right = Line()
    if adds_up(hit):
        right.add(f"sum {glyphs.check} ", "ok")
    else:
        right.add(f"sum {glyphs.cross} ", "bold bad")
    return Line().right(width, right.add(f"= {hit.score:.{places}f}", "bold strong"))


def _short(value: float) -> str:
    return f"{value:.2f}".lstrip("0")


def how(part: Part, places: int = 3) -> str:
    """Returns the formula for a part, with amounts to ``places`` decimal places: ``0.957 × 0.6``."""
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
    scale = f" ÷ {divisor:g}" if 1.5 < divisor < 1e9 and abs(round(divisor) - divisor) < 1e-6 else ""
    note = f"  {part.note}" if part.note else ""
    return f"{part.amount:.{places}f} × {part.factor:g}{scale}{note}"


def ceiling_lines(ceiling: Ceiling, decimals: int, width: int, by_path: bool = False) -> list[Line]:
    """Describes the best possible score for any words, and for how long that score will be high enough.

    The score is rounded to ``decimals``, as in comparisons with thresholds. ``by_path`` is True if the query names the
    path. Such a query is answered without words, and its result can have a higher score.
    """
    best = math.floor(ceiling.score * 10**decimals + 0.5) / 10**decimals
    text = f"best possible score today for any query{' without its path' if by_path else ''}: {best:.{decimals}f}; "
    standings = [(_standing(horizon), _short(horizon.threshold)) for horizon in ceiling.horizons]
    alike = [(standing, [each for _, each in group]) for standing, group in groupby(standings, lambda one: one[0])]
    text += ", ".join(phrase.format(" and ".join(each)) for phrase, each in alike)
    return [line(f" {part}", "accent") for part in wrap(text.rstrip("; "), width - 1)]


def _standing(horizon: Horizon) -> str:
    """Returns a phrase that compares a best possible score with a threshold. It contains ``{}`` for the threshold."""
    if not horizon.reachable or horizon.days_left == 0:
        return "below {}"
    return (
        "reaches {} at any age"
        if horizon.days_left is None
        else f"reaches {{}} for {days(horizon.days_left).removesuffix(' d')} more days"
    )


def source_name(source: str) -> str:
    """Returns the name of a source of signals, as in docs/reference/glossary.md."""
    return _SOURCES.get(source, source)


def signals(aged: AgedSignals, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the signals before and after decay, their source, and the effect of an access hit."""
    lines = [rule(width, f"signals from {source_name(aged.source)} · note {days(aged.days)} old", dash=glyphs.dash)]
    first = line(" importance ", "muted").add(f"{aged.importance_stored:.4g} stored, {aged.importance:.1f} now", "text")
    then = line(" recency ", "muted").add(f"{number(aged.recency_stored)} stored, {aged.recency:.3f} now", "text")
    if first.width + then.width < width:
        lines.append(first.gap().extend(then.spans))
    else:
        lines += [first.cut(width), then.cut(width)]
    sign, role = glyph_of(Kind.CONTEXT, aged.maturity, glyphs)
    second = Line().gap().add(f"{sign} {aged.maturity}", role)
    lines.append(second.add(f"  read {aged.access_count}×  changed {aged.update_count}×", "muted").cut(width))
    return lines + [line(f" {part}", "muted") for part in wrap(aged.after_access, width - 1)]


def terms(score: TextScore | None, detail: Detail | None, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the text score, then the contribution of each term. ``detail`` is None until it has been computed."""
    if score is None:
        return []
    head = f"text · raw {score.raw:.2f} = {score.term_sum:.2f} × {score.matched_terms} terms → {score.relevance:.3f}"
    if score.matched_terms == 1:
        head = f"text · raw {score.raw:.2f} from 1 term → {score.relevance:.3f}"
    lines = [rule(width, head, dash=glyphs.dash)]
    if detail is None:
        return [*lines, line(" computing the terms…", "muted")]
    full = width >= _FULL_TERMS
    if full:
        lines.append(_term_columns(width))
    lines += list(_term_rows(detail.contributions, width, full))
    return lines + [line(f" {part}", "faint") for part in wrap(f"value = {detail.formula}", width - 1)]


def _term_columns(width: int) -> Line:
    left = Line().gap().fit("query → matched", width - 47, "faint").fit("field", 8, "faint")
    return left.add(f"{'tf':>4}{'df':>5}{'idf':>6}{'len':>6}{'weight':>8}{'value':>8}", "faint")


def _term_rows(contributions: Iterable[Contribution], width: int, full: bool) -> Iterable[Line]:
    ordered = sorted(contributions, key=lambda item: item.query_term)
    cells = min(_MOST_ASKED, max((len(item.query_term) for item in ordered), default=0) + 1)
    for query_term, group in groupby(ordered, key=lambda item: item.query_term):
        items = sorted(group, key=lambda item: -item.value)
        for place, item in enumerate(items):
            yield _term_row(item, query_term if place == 0 else "", cells if full else 0, width)


def _term_row(item: Contribution, query_term: str, cells: int, width: int) -> Line:
    """Returns the numbers of a term, with ``cells`` cells for the query's term; if 0, only the value."""
    matched = f"{SIGNS[item.kind]}{item.term}"
    if cells:
        before = f"{query_term:<{cells}}" if query_term else "  "
        pair = matched if item.kind is MatchKind.EXACT else before + matched
        left = Line().gap().fit(pair, width - 48, "text").gap().fit(item.field, 8, "muted")
        left.add(f"{item.tf:>4}{item.df:>5}{item.idf:>6.2f}{item.length:>6}", "muted")
        return left.add(f"{item.weight * item.boost:>8.2f}", "muted").add(f"{item.value:>8.3f}", "text")
    left = Line().gap().fit(query_term or "", 10, "bold text").gap().fit(matched, max(6, width - 32), "text").gap()
    return left.fit(item.field, 8, "muted").right(width, Line().add(f"{item.value:>7.3f}", "text"))
