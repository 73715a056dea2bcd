"""Why a note has its place in the fused list: what each leg adds, what each factor changes."""

from __future__ import annotations

from dataclasses import replace

from brvtui.app.view import View
from brvtui.engines.jeffs_brain.trace import HybridHit, HybridTrace
from brvtui.paint.bars import role_of, stacked
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import signed, wrap
from brvtui.trace import Kind, Part, adds_up, parts_gap

_NAME = 12
_PLACES = 5


def lines(trace: HybridTrace, view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """The arithmetic of the selected note, which adds up, and its places."""
    hit = view.fused
    if hit is None:
        text = "no result to explain" if not view.selection.file else "neither leg has this note"
        return [line(f" {text}", "muted")]
    return [
        _head(hit, view, width, glyphs),
        *_bar(hit, trace, width, glyphs),
        *(_part(part, width, glyphs) for part in hit.parts),
        _sum(hit, width, glyphs),
        rule(width, "places in the legs", dash=glyphs.dash),
        *_legs(hit, trace, width),
        rule(width, "places in the list", dash=glyphs.dash),
        *_order(hit, trace, width),
    ]


def _head(hit: HybridHit, view: View, width: int, glyphs: Glyphs) -> Line:
    sign, role = glyph_of(Kind.CONTEXT, view.maturity_of(hit.path), glyphs)
    made = Line().gap().add(f"{sign} ", role).add(hit.title, "bold strong")
    return made.right(width, Line().add(f"{hit.score:.{_PLACES}f}", "bold strong"))


def _bar(hit: HybridHit, trace: HybridTrace, width: int, glyphs: Glyphs) -> list[Line]:
    """The parts beside each other; the whole width is the best score of the list."""
    if not adds_up(hit):
        return [line(f" {glyphs.warn} explanation does not add up (off by {parts_gap(hit):.2g})", "bold bad")]
    best = max(one.score for one in trace.ranking)
    scaled = [replace(part, value=part.value / best) for part in hit.parts] if best > 0 else []
    label = f"the whole width is the best of the list, {best:.{_PLACES}f}"
    return [Line().extend(stacked(scaled, width, (), glyphs)), line(f" {label}", "faint").cut(width)]


def _part(part: Part, width: int, glyphs: Glyphs) -> Line:
    role = role_of(part.name) if part.value >= 0 else "lost"
    fill = glyphs.fills["lost"] if part.value < 0 else glyphs.fills.get(part.name, " ")
    made = Line().gap().add(f"{fill} ", role).fit(part.name, _NAME, "text").gap()
    how = part.note if part.factor is None else f"{part.amount:.{_PLACES}f} × {part.factor:g}  {part.note}"
    return made.add(how, "muted").right(width, Line().add(signed(part.value, _PLACES), role))


def _sum(hit: HybridHit, width: int, glyphs: Glyphs) -> Line:
    right = Line().add(*((f"sum {glyphs.check} ", "ok") if adds_up(hit) else (f"sum {glyphs.cross} ", "bold bad")))
    return Line().right(width, right.add(f"= {hit.score:.{_PLACES}f}", "bold strong"))


def _legs(hit: HybridHit, trace: HybridTrace, width: int) -> list[Line]:
    made = []
    places = {leg.leg: leg for leg in hit.legs}
    for leg in trace.legs:
        entry = Line().gap().fit(leg.name, _NAME, "text")
        own = places.get(leg.name)
        if own is None:
            made.append(entry.add("not in it" if leg.hits else leg.why, "muted").cut(width))
            continue
        entry.add(f"#{own.rank + 1}", "bold strong").add(f" of {len(leg.hits)}  ", "muted")
        entry.add(f"{leg.unit} {own.value:.3f}", "text").add("" if leg.counts else "  not fused", "warn")
        made.append(entry.cut(width))
    return made


def _order(hit: HybridHit, trace: HybridTrace, width: int) -> list[Line]:
    final = trace.ranking.index(hit) + 1
    made = Line().gap().add("fused ", "muted").add(f"#{hit.fused_rank + 1}", "text")
    made.add(" → weighed ", "muted").add(f"#{hit.reweighted_rank + 1}", "text")
    if trace.reranked:
        made.add(" → reranked ", "muted").add(f"#{final}", "text")
    rows = [made.cut(width)]
    if hit.rerank_score is not None:
        rows.append(line(f" {trace.reranker}: {hit.rerank_score:.3f}; the score stays", "muted").cut(width))
    why = next((step.summary for step in trace.steps if step.name == "rerank"), "")
    if not trace.reranked and why:
        rows += [line(f" not reranked: {part}", "muted") for part in wrap(why, width - 16)[:1]]
    return rows
