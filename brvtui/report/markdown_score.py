"""One hit's score as Markdown: its parts, ceiling, signals, and the term x field detail."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.report.markdown_text import bold, heading, paragraph, table
from brvtui.report.score import NUMBERS, ceiling_line, made_of, numbers_of, signals_line, text_line
from brvtui.report.words import signed
from brvtui.trace import Detail, Hit, adds_up, parts_gap


def score_blocks(place: str, hit: Hit, detail: Detail | None) -> Iterator[str]:
    """The hit's score in full, under a heading that begins with its ``place``."""
    yield heading(3, f"{place}: {hit.title} ({hit.path})")
    if not adds_up(hit):
        yield paragraph(f"This explanation does not add up: off by {parts_gap(hit):.3g}.")
    rows = [(part.name, made_of(part), signed(part.value)) for part in hit.parts]
    yield table(("part", "made of", "value"), [*rows, (bold("sum"), "", bold(f"{hit.score:.4f}"))], ("value",))
    for told in (hit.text and text_line(hit.text), hit.signals and signals_line(hit.signals)):
        yield paragraph(told.plain) if told else ""
    yield paragraph(ceiling_line(hit.ceiling).plain) if hit.ceiling else ""
    if detail:
        yield _contributions(detail)


def _contributions(detail: Detail) -> str:
    rows = [
        (
            item.query_term,
            item.term if item.kind == "exact" else f"{item.term} ({item.kind.value})",
            item.field,
            *numbers_of(item),
        )
        for item in detail.contributions
    ]
    return table(("term", "matched", "field", *NUMBERS), rows, NUMBERS)
