"""The retry ladder, for any search function (``docs/reference/jeffs-brain.md``, "The retry ladder").

If a query finds nothing, the ladder rewrites it, step by step, until something is found. It never waits, and never
repeats a search after an error.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from brvtui.services.legs import LegError
from brvtui.text.analysis import CharacterTable
from brvtui.timing import Stopwatch
from brvtui.trace import MOST_LISTED, Listed, Rung, State
from brvtui.tree.reading.javascript import folded, spaced_words

H = TypeVar("H")

INITIAL = "initial"
STRONGEST = "strongest_term"
REFRESH = "force_refresh"
SANITISED = "refreshed_sanitised"
REFRESHED_STRONGEST = "refreshed_strongest"
TRIGRAMS = "trigram_fuzzy"
STRATEGIES = (INITIAL, STRONGEST, REFRESH, SANITISED, REFRESHED_STRONGEST, TRIGRAMS)
_MARKS = CharacterTable(lambda char: " " if unicodedata.category(char)[0] in "PS" else char)


@dataclass(frozen=True)
class LadderRules:
    """The rules that decide which words of a query the retry ladder uses."""

    word_length: int
    stop_words: tuple[str, ...]

    @cached_property
    def stopped(self) -> frozenset[str]:
        """The stop words as a set."""
        return frozenset(self.stop_words)


@dataclass(frozen=True, slots=True)
class Searches(Generic[H]):
    """The functions that the ladder calls. They may raise :class:`brvtui.services.legs.LegError`."""

    text: Callable[[str], Sequence[H]]
    """Searches for a rewritten query text."""
    fuzzy: Callable[[Sequence[str]], Sequence[H]] | None = None
    """Searches for names that are similar to the given words; None if there are no names."""
    refresh: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Climbed(Generic[H]):
    """The result of a retry ladder: all steps in order, and the hits of the last step that ran."""

    rungs: tuple[Rung, ...]
    found: tuple[H, ...] = ()
    error: str = ""
    """The reason why a step failed, which ended the ladder; empty if no step failed."""

    @property
    def strategy(self) -> str:
        """The name of the step that found results; empty if no step did."""
        return next((rung.strategy for rung in self.rungs if rung.state is State.HIT), "")

    def with_listed(self, in_short: Callable[[H], Listed], unit: str) -> tuple[Rung, ...]:
        """The ladder's steps. The successful one lists its best results, whose scores have the unit ``unit``."""
        best = tuple(map(in_short, self.found[:MOST_LISTED]))
        return tuple(replace(rung, listed=best, unit=unit) if rung.state is State.HIT else rung for rung in self.rungs)


@dataclass(frozen=True, slots=True)
class _Plan(Generic[H]):
    """A step that has not run yet: its text and search, or the reason why it is skipped."""

    strategy: str
    query: str
    search: Callable[[], Sequence[H]] | None
    why: str = ""


def climb(
    query: str,
    initial: tuple[str, Sequence[H]],
    searches: Searches[H],
    rules: LadderRules,
    watch: Stopwatch | None = None,
) -> Climbed[H]:
    """Runs the retry ladder for ``query``. Its own search used the text ``initial[0]``, and found ``initial[1]``.

    Stops at the first error, or at the first step with hits, which may be the query's own search. A step with empty
    input is skipped. The search for the strongest term is also skipped if that term is the whole query.
    """
    text, found = initial
    rungs = [_initial(text, State.HIT if found else State.MISSED, len(found), "the query itself")]
    tried = {text: INITIAL}
    timer = watch or Stopwatch()
    plans = _plans(query, searches, rules)
    error = ""
    over = f"{INITIAL} found notes" if found else ""
    for number, strategy in enumerate(STRATEGIES[1:], start=1):
        if over:
            rungs.append(Rung(number, strategy, "", State.NOT_REACHED, 0, over))
            continue
        plan = next(plans)
        if plan.search is None:
            rungs.append(Rung(number, strategy, plan.query, State.SKIPPED, 0, plan.why))
            continue
        timed_by = time_of(strategy)
        try:
            with timer.measure(timed_by):
                found = plan.search()
        except LegError as failure:
            error, over = str(failure), f"{strategy} failed"
            rungs.append(Rung(number, strategy, plan.query, State.FAILED, 0, error, timed_by=timed_by))
            continue
        over = f"{strategy} found notes" if found else ""
        before = strategy if strategy == TRIGRAMS else tried.setdefault(plan.query, strategy)
        why = plan.why if before == strategy else f"{plan.why}: the same text as in {before}"
        state = State.HIT if found else State.MISSED
        rungs.append(Rung(number, strategy, plan.query, state, len(found), why, timed_by=timed_by))
    return Climbed(tuple(rungs), tuple(found), error)


def not_climbed(text: str, found: Sequence[H], why: str, failed: bool = False) -> Climbed[H]:
    """Returns a ladder with only the query's own search, whether or not that ``failed``.

    All later steps are skipped because of ``why``.
    """
    state = State.FAILED if failed else State.HIT if found else State.MISSED
    first = _initial(text, state, len(found), why if failed else "the query itself")
    later = (
        Rung(number, name, "", State.NOT_REACHED if found else State.SKIPPED, 0, why)
        for number, name in enumerate(STRATEGIES[1:], start=1)
    )
    return Climbed((first, *later), tuple(found), why if failed else "")


def time_of(strategy: str) -> str:
    """Returns the name under which timings contain a step's duration. The caller measures the query's own search."""
    return f"ladder.{strategy}"


def _initial(text: str, state: State, hits: int, why: str) -> Rung:
    return Rung(0, INITIAL, text, state, hits, why, timed_by=time_of(INITIAL))


def _plans(query: str, searches: Searches[H], rules: LadderRules) -> Iterator[_Plan[H]]:
    """Yields the steps after the query's own search, in order."""
    words = rules.stopped, rules.word_length
    strongest = strongest_term(query, *words)
    none_left = f"no word of {rules.word_length} letters or more, except stop words"
    if strongest and strongest != query.strip().lower():
        yield _Plan(STRONGEST, strongest, lambda: searches.text(strongest), "the longest word that is not a stop word")
    else:
        yield _Plan(STRONGEST, strongest, None, "it is the whole query" if strongest else none_left)
    yield _Plan(REFRESH, "", None, _refreshed(searches))
    clean = sanitised(query)
    if clean:
        yield _Plan(SANITISED, clean, lambda: searches.text(clean), "without punctuation and symbols")
    else:
        yield _Plan(SANITISED, "", None, "only punctuation and symbols")
    again = strongest_term(clean, *words)
    if again:
        yield _Plan(REFRESHED_STRONGEST, again, lambda: searches.text(again), "the longest word of the cleaned text")
    else:
        yield _Plan(REFRESHED_STRONGEST, "", None, none_left)
    tokens = query_tokens(query, *words)
    fuzzy = searches.fuzzy
    if tokens and fuzzy is not None:
        yield _Plan(TRIGRAMS, " ".join(tokens), lambda: fuzzy(tokens), "names with similar trigrams")
    else:
        yield _Plan(TRIGRAMS, " ".join(tokens), None, none_left if not tokens else "there are no names to compare")


def _refreshed(searches: Searches[H]) -> str:
    searches.refresh()
    return "the index is always current, so there is nothing to refresh"


def sanitised(query: str) -> str:
    """Replaces each run of punctuation, symbols and white space in ``query`` with one space. Keeps upper and lower
    case.
    """
    return folded(query.translate(_MARKS))


def query_tokens(query: str, stop_words: Set[str], word_length: int) -> list[str]:
    """Returns the distinct words of ``query`` in lower case, without short words and stop words."""
    words = spaced_words(sanitised(query).lower())
    return list(dict.fromkeys(word for word in words if len(word) >= word_length and word not in stop_words))


def strongest_term(query: str, stop_words: Set[str], word_length: int) -> str:
    """The longest of :func:`query_tokens`, or the first of several that are equally long; empty if there are none."""
    return max(query_tokens(query, stop_words, word_length), key=len, default="")
