"""AND or OR: which of the notes that match some token a search goes on with (``docs/engine.md``, "The query")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.search import scope as scopes
from brvtui.engines.byterover.search.asked import SearchRequest
from brvtui.engines.byterover.search.matching import TermTable, match_terms
from brvtui.engines.byterover.sections import Attempt, Scope
from brvtui.text.analysis import terms, utf16
from brvtui.trace import Stage, State
from brvtui.tree.reading.whitespace import spaced_words
from brvtui.wording import counted


@dataclass(frozen=True, slots=True)
class Matched:
    """The notes that a text matched, after AND or OR."""

    table: TermTable
    matching: NDArray[np.bool_]
    combine: str
    combine_why: str
    and_failed: bool
    stages: tuple[Stage, ...]
    attempts: tuple[Attempt, ...]


def time_of(scope: Scope) -> str:
    """The key of the milliseconds that searching in ``scope`` takes."""
    return f"search.{_place(scope).replace(' ', '_')}"


def combine(asked: SearchRequest, filtered: str, scope: Scope) -> Matched:
    """The notes in ``scope`` that match every token of the filtered query, or else some (OR)."""
    snapshot, profile = asked.context.snapshot, asked.context.constants
    tokens = terms(filtered)
    table = match_terms(snapshot, tokens, profile.text)
    everything = len(snapshot.notes)
    stages: list[Stage] = []
    any_word = table.any_word()
    every_word = table.every_word()
    came_in = everything
    if scope.restricts:
        inside = scopes.members(snapshot, scope.path)
        any_word, every_word = any_word & inside, every_word & inside
        came_in = scope.notes
        stages.append(Stage("scope", everything, everything - came_in, came_in, "paths-and-scopes", scope.path))
    some, all_ = int(any_word.sum()), int(every_word.sum())
    words = [word for word in spaced_words(filtered.lower()) if len(utf16(word)) >= profile.query.and_word_length]
    wants_and = len(words) >= profile.query.and_min_words
    place, timed_by = _place(scope), time_of(scope)
    stages.append(Stage("any term", came_in, came_in - some, some, "text-relevance"))
    count = f"{counted(len(words), 'word', 'words')} of {profile.query.and_word_length} letters or more"
    if not wants_and:
        why = f"OR: {count}, AND needs {profile.query.and_min_words}"
        tried = Attempt(f"{place} AND", filtered, scope.path, "AND", State.SKIPPED, came_in, 0, why)
        used = Attempt(f"{place} OR", filtered, scope.path, "OR", _found(some), came_in, some, why, timed_by=timed_by)
        return Matched(table, any_word, "OR", why, False, tuple(stages), (tried, used))
    if all_:
        why = f"AND: {count}, and {counted(all_, 'note matches', 'notes match')} every token"
        stages.append(Stage("every term (AND)", some, some - all_, all_, "the-query"))
        used = Attempt(f"{place} AND", filtered, scope.path, "AND", State.HIT, came_in, all_, why, timed_by=timed_by)
        skipped = Attempt(f"{place} OR", filtered, scope.path, "OR", State.NOT_REACHED, came_in, 0, "AND found notes")
        return Matched(table, every_word, "AND", why, False, tuple(stages), (used, skipped))
    why = f"OR: no note matches every token ({count})"
    tried = Attempt(
        f"{place} AND", filtered, scope.path, "AND", State.MISSED, came_in, 0, "no note matches every token"
    )
    used = Attempt(f"{place} OR", filtered, scope.path, "OR", _found(some), came_in, some, why, timed_by=timed_by)
    return Matched(table, any_word, "OR", why, True, tuple(stages), (tried, used))


def _place(scope: Scope) -> str:
    return "scoped" if scope.restricts else "whole tree"


def _found(count: int) -> State:
    return State.HIT if count else State.MISSED
