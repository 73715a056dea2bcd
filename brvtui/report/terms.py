"""Terms of a memory, and the steps in which engines cut a text into words, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brvtui.engines.contract import AnalysisStep
from brvtui.engines.registry import presentation
from brvtui.lab.terms import Term, TermNeighbour, TermVariant, frequency
from brvtui.paint.line import Line, hanging, line
from brvtui.wording import counted

_TERM, _STEP = 26, 12
TERM_COLUMNS = f" {'term':<{_TERM}} {'df':>6} {'cf':>8} {'idf':>6}  fields"
"""The headings of the columns of :func:`term_line`."""


def term_line(term: Term, notes: int) -> Line:
    """A row for ``term`` of ``notes`` notes: df, cf, idf, fields, and ``common`` or ``rare``."""
    row = Line().gap().fit(term.term, _TERM, "strong").add(f" {term.df:>6} {term.cf:>8} {term.idf:>6.2f}  ")
    return row.add(", ".join(term.fields), "muted").add(f"  {frequency(term, notes)}", "warn")


def detail_lines(
    neighbours: Sequence[TermNeighbour], variants: Sequence[TermVariant], paths: Sequence[str], width: int
) -> Iterator[Line]:
    """Sections with the other spellings of a term, the other words that a query for it finds, and its notes."""
    kinds = {"compound": "as two words or as one", "form": "another form"}
    spellings = [f"{one.spelling}  {counted(one.df, 'note', 'notes')}, {kinds[one.kind]}" for one in variants]
    found = [f"{one.term}  × {one.weight:.2f}, {one.kind}, {counted(one.df, 'note', 'notes')}" for one in neighbours]
    sections = {
        "Other spellings, which split the topic": spellings,
        "A query for it also finds": found,
        **({"Notes with it": paths} if paths else {}),
    }
    for title, rows in sections.items():
        yield line(f" {title}", "bold muted")
        for row in rows or ("none",):
            yield from hanging(line(f"   {row}"), width, 5)


def analysis_lines(engine: str, steps: Sequence[AnalysisStep], width: int) -> Iterator[Line]:
    """The title of ``engine``, and each step with its tokens and its note."""
    yield line(f" {presentation(engine).title}", "bold strong")
    for step in steps:
        role = "warn" if step.name in ("unmatched", "failed") and (step.tokens or step.note) else "text"
        row = line(f"   {step.name:<{_STEP}}", "muted").add("  ".join(step.tokens) or "–", role)
        yield from hanging(row.add(f"  ({step.note})" if step.note else "", "muted"), width, _STEP + 3)
    yield Line()
