"""When a search is emptied although it matched (``docs/engine.md``, "Out of domain")."""

from __future__ import annotations

from brvtui.engines.byterover.search.lint import significant_words
from brvtui.engines.byterover.search.matching import Matched
from brvtui.engines.byterover.search.request import SearchRequest
from brvtui.engines.byterover.search.scoring import Ranking
from brvtui.engines.byterover.sections import SearchOutcome
from brvtui.text.analysis import from_utf16
from brvtui.trace import Check


def out_of_domain(
    request: SearchRequest, filtered: str, matched: Matched, ranking: Ranking
) -> tuple[tuple[Check, ...], tuple[str, ...], SearchOutcome]:
    """The checks, the query words that nothing matches, and how the search ends by them."""
    limits = request.context.constants.out_of_domain
    notes = len(request.context.snapshot.notes)
    top = float(ranking.scores[0])
    rule = "out-of-domain"
    size = Check(
        "tree size", notes, "≥", limits.min_notes, notes >= limits.min_notes, notes - limits.min_notes,
        "out_of_domain.min_notes", rule, "smaller trees are never out of domain",
    )  # fmt: skip
    applies = notes >= limits.min_notes
    floor_ok = top >= limits.floor
    floor = Check(
        "relevance floor", top, "≥", limits.floor, floor_ok if applies else None, top - limits.floor,
        "out_of_domain.floor", rule,
    )  # fmt: skip
    if not applies:
        return (size,), (), SearchOutcome.MATCHES
    if not floor_ok:
        return (size, floor), (), SearchOutcome.BELOW_FLOOR
    unmatched = _unmatched_words(request, filtered, matched, ranking)
    escaped = top >= limits.escape
    escape = Check(
        "unmatched-word escape", top, "≥", limits.escape, escaped if matched.and_failed else None, top - limits.escape,
        "out_of_domain.escape", rule, "" if matched.and_failed else "not asked: AND did not fail",
    )  # fmt: skip
    asked_words = matched.and_failed and not escaped
    words = Check(
        "unmatched words", len(unmatched), "=", 0, not unmatched if asked_words else None, -float(len(unmatched)),
        "", rule, ", ".join(unmatched),
    )  # fmt: skip
    emptied = asked_words and bool(unmatched)
    return (size, floor, escape, words), unmatched, SearchOutcome.UNMATCHED_WORDS if emptied else SearchOutcome.MATCHES


def _unmatched_words(request: SearchRequest, filtered: str, matched: Matched, ranking: Ranking) -> tuple[str, ...]:
    first = ranking.positions[: request.context.constants.out_of_domain.matched_results]
    seen = {from_utf16(term.term) for term in matched.table.terms if (term.scores[first] > 0).any()}
    return tuple(word for word in significant_words(filtered, request.context.constants) if word not in seen)
