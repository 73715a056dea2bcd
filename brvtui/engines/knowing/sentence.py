"""The sentence that says why knowing ranked a note first: a pure function of the trace."""

from __future__ import annotations

from brvtui.engines.knowing.sections import GraphRetrieval
from brvtui.engines.knowing.tracing_words import way_in_words
from brvtui.engines.sentence import first_of, lead_of
from brvtui.paint.sentence import Sentence, clause
from brvtui.trace import Trace


def sentence(trace: Trace) -> Sentence:
    """Why the first note is first: its words, or the links that led to it without any; and its lead."""
    if not trace.hits:
        return (clause(f"Not found: {trace.verdict}"),)
    first = trace.hits[0]
    placed = trace.section(GraphRetrieval).placed(first.file)
    came = ""
    if placed is not None and not first.words:
        way = way_in_words(placed)
        came = f": none of your words is in it, links lead to it {way}" if way else ""
    return (*first_of(trace), clause(came, weight=60), *lead_of(trace))
