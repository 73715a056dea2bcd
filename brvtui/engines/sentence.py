"""The sentence that says why an engine answered as it did, from what every trace has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from brvtui.paint.lead import shares_of_lead
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, title, word
from brvtui.paint.text import number, signed
from brvtui.trace import Check, Hit, Trace

LEAST_LEAD = 1e-9
"""A smaller lead is none: sums of the same parts differ by so little."""
_MOST_PARTS = 2


def default_sentence(trace: Trace) -> Sentence:
    """The first document, its words, its lead, and the step that took the query; or why there is no document."""
    if not trace.hits:
        head = "Not covered" if not trace.covered else "Answered without a document"
        return (clause(f"{head}: {trace.verdict}" if trace.verdict else head),)
    return (*_taken(trace), *first_of(trace), *lead_of(trace))


def _taken(trace: Trace) -> Iterator[Clause]:
    """The step that took the query, where the engine has such steps, and its comparison."""
    taken = trace.taken
    if taken is None or taken.tier is None:
        return
    check = next((check for check in reversed(taken.checks) if check.passed), None)
    yield clause(f"Answered by {taken.label}")
    yield clause(f" ({_comparison(check)})" if check is not None else "", weight=40)
    yield clause(": ")


def _comparison(check: Check) -> str:
    return f"{check.name} {number(check.value)} {check.operator} {number(check.threshold)}"


def first_of(trace: Trace, number: int = 0) -> Iterator[Clause]:
    """The first of so many documents (by default of all that were found), its score and the words that it holds."""
    first, amount = trace.hits[0], number or max(len(trace.hits), trace.total_found)
    yield clause(title(first.title), f" {place_of_first(amount)}")
    yield clause(f"{',' if amount == 1 else ''} with {score(trace, first)}", weight=70)
    held = answered_words(first.words)
    yield clause(": " if held else "", held, weight=60)


def place_of_first(amount: int) -> str:
    """``is first of 6``; of one result alone, that it is the only one."""
    return "is the only result" if amount == 1 else f"is first of {amount}"


def nothing_for(terms: Iterable[str], hit: Hit) -> Clause:
    """Which of the query's ``terms`` met nothing in ``hit``, where others did."""
    met = {one.query for one in hit.words}
    unmet = [word(term) for term in dict.fromkeys(terms) if term not in met]
    return clause(", but nothing for ", listed(unmet, "or"), weight=55) if met and unmet else clause()


def lead_of(trace: Trace) -> Iterator[Clause]:
    """How far the first is ahead of the second, and which parts of their scores make most of it."""
    if len(trace.hits) < 2:
        return
    first, second = trace.hits[:2]
    lead = first.score - second.score
    if lead > LEAST_LEAD:
        yield clause(f"; {lead:.{trace.scale.decimals}f} ahead of ", title(second.title), weight=30)
        shares = shares_of_lead(first, second, trace.scale.decimals, _MOST_PARTS)
        if len({part.name for hit in (first, second) for part in hit.parts}) > 1 and shares:
            named = [f"{name} {signed(value, trace.scale.decimals)}" for name, value in shares]
            yield clause(f": {', '.join(named)}", weight=29)
    else:
        yield clause("; level with ", title(second.title), weight=30)


def score(trace: Trace, hit: Hit) -> str:
    """The score of ``hit`` as the trace's scale writes it."""
    return f"{hit.score:.{trace.scale.decimals}f}"
