"""The sentence that says why Soleri ranked an entry first: a pure function of the trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brvtui.engines.sentence import missing_words, place_of_first
from brvtui.engines.soleri.comparing import (
    LEAST_LEAD,
    OTHERS,
    NamedAmount,
    composition,
    differences,
    first_without_links,
    separating_terms,
    shared_links,
    short,
)
from brvtui.engines.soleri.sections import VECTOR, VaultSearch
from brvtui.engines.soleri.vectors import COUNTED, tokenize, uncounted
from brvtui.paint.line import Span
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, searched_word, title
from brvtui.trace import Hit, Trace
from brvtui.wording import counted


def sentence(trace: Trace) -> Sentence:
    """Why the first entry is first: what sets it above the second, what links changed, what its score consists of."""
    section = trace.section(VaultSearch)
    if not trace.hits or not section.ranking:
        return (clause("Not found: "), *_nothing(section, trace))
    first = section.ranking[0]
    held = answered_words(first.hit.words, trace.query)
    made = composition(first)
    return (
        clause(title(first.hit.title), f" {place_of_first(trace.total_found)}"),
        *_without_links(section),
        *_lead(section, trace.query),
        clause(f"; its {short(first.hit.score)}: ", _amounts(made, signed=False), weight=30),
        clause("; " if held else "", held if held else _wordless(first.hit, trace.query), weight=20 if held else 92),
        clause(f"; {COUNTED}" if any(one.word not in trace.query.lower().split() for one in first.hit.words) else ""),
    )


def _wordless(first: Hit, query: str) -> str:
    """How an entry came of which no word counts: the pool finds stop words, short ones and other forms too."""
    if all(place.leg == VECTOR for place in first.places):
        return "; none of your words is in it"
    if not tokenize(query):
        return f"; your words find it, but none of them counts: {COUNTED}"
    if uncounted(query):
        return "; none of your words that count is in it whole"
    return "; it holds only other forms of your words, which add nothing"


def _without_links(section: VaultSearch) -> Iterator[Clause]:
    """Which entry links took the first place from."""
    other = first_without_links(section.ranking)
    if other is not None:
        rank, placed = other
        yield clause(
            " because of links: without them ", title(placed.hit.title), f" would be (number {rank} now)", weight=98
        )


def _lead(section: VaultSearch, query: str) -> Iterator[Clause]:
    """How far the first is ahead of the second, and what makes it so."""
    if len(section.ranking) < 2:
        return
    first, second = section.ranking[:2]
    lead = first.hit.score - second.hit.score
    is_moved = first_without_links(section.ranking) is not None
    ahead = f"{short(lead)} ahead of " if lead >= LEAST_LEAD else "level with "
    joint = "; the first is " if is_moved else ", "
    yield clause(joint, ahead, title(second.hit.title), weight=95)
    parts = differences(first, second)
    yield clause(": " if parts else "", _amounts(parts, signed=True), weight=90)
    if shared_links(first, second) and not is_moved:
        yield clause("; both have a link", weight=85)
    yield _words_apart(*separating_terms(first, second), query)


def _words_apart(more: Sequence[str], less: Sequence[str], query: str) -> Clause:
    """Which words count more in the first entry than in the second, and which less."""
    if not more and not less:
        return clause(weight=80)
    verb = "counts" if len(more or less) == 1 else "count"
    first = [("; ", "text"), *listed([searched_word(term, query) for term in more or less])]
    if not more:
        return clause(first, f" {verb} less in it", weight=80)
    then = [(", ", "text"), *listed([searched_word(term, query) for term in less]), (" less", "text")] if less else []
    return clause(first, f" {verb} more in it", then, weight=80)


def _amounts(amounts: Sequence[NamedAmount], signed: bool) -> list[Span]:
    """``words +.010, age +.004 and others −.001``."""
    made: list[Span] = []
    for place, one in enumerate(amounts):
        joint = "" if not place else " and " if one.name == OTHERS else ", "
        made.append((f"{joint}{one.name} {one.text(signed)}", "text"))
    return made


def _nothing(section: VaultSearch, trace: Trace) -> Iterator[Clause]:
    """Which words no entry contains, or what else leaves no result."""
    if section.ranking:
        room = f"a limit of {section.limit}" if section.limit < 1 else f"a budget of {section.max_tokens} tokens"
        yield clause(f"{room} leaves none of {counted(len(section.ranking), 'entry', 'entries')}")
    else:
        yield from missing_words(trace, "Soleri", "entry")
