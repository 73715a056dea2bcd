"""When a search is emptied although it matched (``docs/engine.md``, "Out of domain")."""

from __future__ import annotations

from collections.abc import Collection

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.search.lint import significant_words
from brvtui.engines.byterover.search.matching import Matched
from brvtui.engines.byterover.search.request import SearchRequest
from brvtui.engines.byterover.search.scoring import Ranking
from brvtui.engines.byterover.sections import ESCAPE, SearchOutcome
from brvtui.text.analysis import from_utf16
from brvtui.trace import Check


def out_of_domain(
    request: SearchRequest, filtered: str, matched: Matched, ranking: Ranking
) -> tuple[tuple[Check, ...], tuple[str, ...], SearchOutcome]:
    """The checks, the query words that none of the best matches has, and how the search ends by them."""
    constants = request.context.constants
    most = constants.out_of_domain.matched_results
    first = ranking.positions[:most] if most else slice(None)
    seen = {from_utf16(term.term) for term in matched.table.terms if (term.scores[first] > 0).any()}
    notes, top = len(request.context.snapshot.notes), float(ranking.scores[0])
    return domain_checks(constants, filtered, notes, top, matched.and_failed, seen)


def domain_checks(
    constants: Profile, filtered: str, notes: int, top: float, and_failed: bool, seen: Collection[str]
) -> tuple[tuple[Check, ...], tuple[str, ...], SearchOutcome]:
    """:func:`out_of_domain` of a search over ``notes`` notes whose best has the score ``top``.

    ``seen`` are the terms of the query that the first results match.
    """
    limits = constants.out_of_domain
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
    unmatched = tuple(word for word in significant_words(filtered, constants) if word not in seen)
    escaped = top >= limits.escape
    escape = Check(
        ESCAPE, top, "≥", limits.escape, escaped if and_failed else None, top - limits.escape,
        "out_of_domain.escape", rule, "" if and_failed else "not asked: AND did not fail",
    )  # fmt: skip
    asked_words = and_failed and not escaped
    words = Check(
        "unmatched words", len(unmatched), "=", 0, not unmatched if asked_words else None, -float(len(unmatched)),
        "", rule, ", ".join(unmatched),
    )  # fmt: skip
    emptied = asked_words and bool(unmatched)
    return (size, floor, escape, words), unmatched, SearchOutcome.UNMATCHED_WORDS if emptied else SearchOutcome.MATCHES
