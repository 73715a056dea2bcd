"""The terms of a memory, and the engines' steps for splitting a text into words, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from brvtui.engines.contract import AnalysisStep
from brvtui.engines.registry import presentation
from brvtui.lab.terms import Term, TermDetails, frequency
from brvtui.paint.line import Line, hanging, line
from brvtui.wording import counted

_TERM, _STEP = 26, 12
TERM_COLUMNS = f" {'term':<{_TERM}} {'df':>6} {'cf':>8} {'idf':>6}  fields"
"""The headings of the columns of :func:`term_line`."""


def term_line(term: Term, notes: int) -> Line:
    """A row for ``term`` of ``notes`` notes: df, cf, idf, fields, and ``common`` or ``rare``."""
    row = Line().gap().fit(term.term, _TERM, "strong").add(f" {term.df:>6} {term.cf:>8} {term.idf:>6.2f}  ")
    return row.add(", ".join(term.fields), "muted").add(f"  {frequency(term, notes)}", "warn")


def detail_lines(details: TermDetails, width: int) -> Iterator[Line]:
    """Sections with the other spellings of a term, the other words that a query for it finds, and its notes if any."""
    spellings = [f"{one.spelling}  {counted(one.df, 'note', 'notes')}" for one in details.variants]
    found = [f"{one.term}  × {one.weight:.2f}, {one.kind}, df {one.df}" for one in details.neighbours]
    titles = ("Other spellings, which split the topic", "A query for it also finds", "Notes with it")
    for title, rows in zip(titles, (spellings, found, details.paths), strict=True):
        lines = [part for row in rows for part in hanging(line(f"   {row}"), width, 5)]
        yield from [line(f" {title}", "bold muted"), *lines] if lines else ()


def analysis_lines(analyses: Mapping[str, Sequence[AnalysisStep]], width: int) -> Iterator[Line]:
    """The title of each engine, and its steps with their tokens and notes.

    ``analyses`` contains each engine's steps.
    """
    for engine, steps in analyses.items():
        yield line(f" {presentation(engine).title}", "bold strong")
        for step in steps:
            role = "warn" if step.name in ("unmatched", "failed") else "text"
            row = line(f"   {step.name:<{_STEP}}", "muted").add("  ".join(step.tokens) or "–", role)
            yield from hanging(row.add(f"  ({step.note})" if step.note else "", "muted"), width, _STEP + 3)
        yield Line()
