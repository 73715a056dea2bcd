"""The sentence that says why knowing ranked a note first: a pure function of the trace."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brvtui.engines.knowing.sections import CHANNELS, VECTORS, GraphRetrieval
from brvtui.engines.knowing.tracing_words import stand_ins_in_words, way_in_words
from brvtui.engines.registry import kind_of
from brvtui.engines.sentence import first_of, lead_of, missing_words, nothing_for
from brvtui.paint.sentence import Clause, Sentence, clause, title
from brvtui.trace import Trace

FULL_TEXT = CHANNELS[1]
_WORDS = re.compile(r"[^\W_]+")


def sentence(trace: Trace) -> Sentence:
    """Why the first note is first: its words, words that stand for them, or links; and its lead."""
    if not trace.hits:
        is_unsearched = trace.section(GraphRetrieval).ranking or not (trace.missing or trace.filtered_out)
        causes = missing_words(trace, "knowing", kind_of(trace.engine, trace.snapshot).noun)
        return (clause("Not found: "), *([clause(trace.verdict)] if is_unsearched else causes))
    first = trace.hits[0]
    placed = trace.section(GraphRetrieval).placed(first.file)
    came = ""
    unmet = _unmet(trace) if placed is None or not stand_ins_in_words(placed) else ()
    if placed is not None and not first.words:
        way = way_in_words(placed)
        if any(place.leg == FULL_TEXT for place in first.places):  # it is asked for other forms and for stand-ins too
            stand_ins = stand_ins_in_words(placed) or "other forms of them or words that stand for them"
            came = f": none of your words is in it as you wrote it, but {stand_ins}"
        elif any(place.leg == VECTORS for place in first.places):
            came = ": none of your words is in it, but an embedder finds it near them in meaning"
        elif way:
            came = f": none of your words is in it; the walk came to it over links, {way}"
    words = (nothing_for(unmet, first), clause(came, weight=60))
    return (*first_of(trace, len(trace.hits)), *words, *_past_the_budget(trace), *lead_of(trace))


def _unmet(trace: Trace) -> Iterator[str]:
    """The keywords that nothing in the first note meets; of one with a hyphen that it meets in part, the other parts.

    What is no word of the query, such as ‘c’ of the keyword ‘c-158’ made of ‘INC-158’, ‘kept’ of a ‘KeptIndex’ that the
    note holds, or a ‘QuietHours’ put together of two words, is none of the user's.
    """
    met = {one.query for one in trace.hits[0].words}
    query = trace.query.lower()
    asked = set(_WORDS.findall(query))
    for keyword in trace.section(GraphRetrieval).components:
        if keyword.lower() not in query:
            continue
        parts = _WORDS.findall(keyword)
        if met.isdisjoint(parts):
            if keyword in asked or not any(keyword in held for held in met):
                yield keyword
        else:
            yield from (part for part in parts if part in asked and part not in met)


def _past_the_budget(trace: Trace) -> Iterator[Clause]:
    """Which better note does not fit into the budget, so that the first is not the best."""
    best = max(trace.near_misses, key=lambda miss: miss.score, default=None)
    if best is not None and best.score > trace.hits[0].score:
        budget = trace.section(GraphRetrieval).budget
        better = f" is better ({best.score:.{trace.scale.decimals}f}), but does not fit into {budget:,} tokens"
        yield clause("; ", title(best.title), better, weight=80)
