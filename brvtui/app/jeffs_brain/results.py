"""The fused list of a hybrid search, and what is behind the cut."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.app.view import View
from brvtui.engines.jeffs_brain.trace import HybridHit, HybridTrace
from brvtui.paint.bars import eighths
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import cut_left, wrap
from brvtui.trace import Kind

_BAR = 6
_SCORE = 6
_PLACES = {"bm25": "w", "vector": "v"}
_BEHIND = 20

Group = tuple[str, list[Line]]
"""A note and its lines; lines that stand for no note have none."""


def heading(trace: HybridTrace) -> str:
    """How many of how many."""
    return f"Results {len(trace.hits)} of {trace.fused} · top {trace.top_k}" if trace.fused else "Results none"


def listing(trace: HybridTrace, view: View, width: int, height: int, glyphs: Glyphs) -> Iterator[Group]:
    """The answer, two lines a note while there is room; below a rule what is behind the cut."""
    if not trace.ranking:
        yield "", _nothing(trace, width)
        return
    tall = len(trace.hits) * 2 + 2 <= height
    for place, hit in enumerate(trace.hits, start=1):
        yield hit.path, _hit(hit, place, trace, view, width, tall or hit.path == view.selection.file, glyphs)
    behind = trace.ranking[len(trace.hits) :]
    if behind:
        yield "", [rule(width, f"behind the first {trace.top_k}", dash=glyphs.dash)]
    for place, hit in enumerate(behind[:_BEHIND], start=len(trace.hits) + 1):
        yield hit.path, _hit(hit, place, trace, view, width, hit.path == view.selection.file, glyphs)
    if len(behind) > _BEHIND:
        yield "", [line(f"    … {len(behind) - _BEHIND} more", "muted")]


def places(hit: HybridHit) -> str:
    """The places in the legs: ``w1 v4``."""
    return " ".join(f"{_PLACES.get(leg.leg, leg.leg)}{leg.rank + 1}" for leg in hit.legs)


def _hit(
    hit: HybridHit, place: int, trace: HybridTrace, view: View, width: int, with_path: bool, glyphs: Glyphs
) -> list[Line]:
    sign, role = glyph_of(Kind.CONTEXT, view.maturity_of(hit.path), glyphs)
    first_score = max((one.score for one in trace.ranking), default=0.0)
    bar = _BAR if width >= 40 else 0
    answered = place <= len(trace.hits)
    made = Line().add(f"{place:>2} ", "muted").add(f"{sign} ", role)
    title = "bold strong" if place == 1 else "text" if answered else "muted"
    right = Line().add(f"{hit.score:{_SCORE}.4f}".lstrip("0"), "strong" if answered else "muted")
    if bar:
        right.gap().add(eighths(hit.score / first_score if first_score else 0.0, bar, glyphs), "bar")
    made.fit(hit.title, max(0, width - made.width - right.width - 1), title).gap()
    lines = [made.extend(right.spans).cut(width)]
    if with_path:
        note = f"  {places(hit)}"
        path = cut_left(Line().add(hit.path).plain, width - 5 - len(note))
        lines.append(Line().gap(5).add(path, "muted").add(note, "accent"))
    return lines


def _nothing(trace: HybridTrace, width: int) -> list[Line]:
    made = [line(" nothing was found", "bold strong")]
    return made + [line(f" {part}", "muted") for part in wrap(trace.verdict.partition(": ")[2], width - 2)]
