"""The text relevance of a note, term by term and field by field."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import wrap
from brvtui.trace import Contribution, Detail, MatchKind, TextScore

_SIGNS = {MatchKind.EXACT: "=", MatchKind.PREFIX: "^", MatchKind.FUZZY: "~"}
_FULL = 62


def terms(score: TextScore | None, detail: Detail | None, width: int, glyphs: Glyphs) -> list[Line]:
    """The text score in one line, then every contribution; ``detail`` may still be on its way."""
    if score is None:
        return []
    head = f"text · raw {score.raw:.2f} = {score.term_sum:.2f} × {score.matched_terms} terms → {score.relevance:.3f}"
    if score.matched_terms == 1:
        head = f"text · raw {score.raw:.2f} from 1 term → {score.relevance:.3f}"
    made = [rule(width, head, dash=glyphs.dash)]
    if detail is None:
        return [*made, line(" working out the terms…", "muted")]
    full = width >= _FULL
    if full:
        made.append(_columns(width))
    made += list(_rows(detail.contributions, width, full))
    return made + [line(f" {part}", "faint") for part in wrap(f"value = {detail.formula}", width - 1)]


def _columns(width: int) -> Line:
    left = Line().gap().fit("query → matched", width - 47, "faint").fit("field", 8, "faint")
    return left.add(f"{'tf':>4}{'df':>5}{'idf':>6}{'len':>6}{'weight':>8}{'value':>8}", "faint")


def _rows(contributions: Iterable[Contribution], width: int, full: bool) -> Iterable[Line]:
    ordered = sorted(contributions, key=lambda item: item.query_term)
    for query_term, group in groupby(ordered, key=lambda item: item.query_term):
        items = sorted(group, key=lambda item: -item.value)
        for place, item in enumerate(items):
            yield _row(item, query_term if place == 0 else "", width, full)


def _row(item: Contribution, query_term: str, width: int, full: bool) -> Line:
    matched = f"{_SIGNS[item.kind]}{item.term}"
    if full:
        left = Line().gap().fit(f"{query_term:<10} {matched}", width - 47, "text").fit(item.field, 8, "muted")
        left.add(f"{item.tf:>4}{item.df:>5}{item.idf:>6.2f}{item.length:>6}", "muted")
        return left.add(f"{item.weight * item.boost:>8.2f}", "muted").add(f"{item.value:>8.3f}", "text")
    left = Line().gap().fit(query_term or "", 10, "bold text").gap().fit(matched, max(6, width - 32), "text").gap()
    return left.fit(item.field, 8, "muted").right(width, Line().add(f"{item.value:>7.3f}", "text"))
