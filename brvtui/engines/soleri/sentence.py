"""The sentence that says why Soleri ranked an entry first: a pure function of the trace."""

from __future__ import annotations

from brvtui.engines.sentence import lead_of
from brvtui.engines.soleri.sections import VaultSearch
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, title, word
from brvtui.trace import Trace


def sentence(trace: Trace) -> Sentence:
    """Why the first entry is first: what most of its score comes from, its words, and its lead."""
    if not trace.hits:
        return (clause("Not found: "), _nothing(trace))
    first = trace.hits[0]
    heaviest = trace.verdict[: max(0, trace.verdict.rfind(f" put {first.title} first"))]
    held = answered_words(first.words)
    return (
        clause(heaviest or "Its signals", " put ", title(first.title), f" first of {trace.total_found}"),
        clause(f" with {first.score:.{trace.scale.decimals}f}", weight=70),
        clause(": " if held else "", held, weight=60),
        *lead_of(trace),
    )


def _nothing(trace: Trace) -> Clause:
    """Which words no entry holds."""
    terms = [word(term) for term in trace.section(VaultSearch).expression.split(" OR ") if term]
    if not terms:
        return clause("the query has no word that can be searched")
    return clause("no entry holds ", listed(terms, "or"))
