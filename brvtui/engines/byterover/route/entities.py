"""Supplementary searches for single words of a query (``docs/engine.md``, "Entity searches")."""

from __future__ import annotations

from dataclasses import replace

from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.cache import words_needed
from brvtui.engines.byterover.search.lint import filtered_query
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.byterover.sections import EntitySearch, EntityStep, Search
from brvtui.text.analysis import utf16
from brvtui.timing import Stopwatch
from brvtui.trace import Check, Hit, State
from brvtui.tree.reading.whitespace import spaced_words

_RULE = "entity-searches"


def entity_words(query: str, profile: Profile) -> tuple[str, ...]:
    """The words of ``query`` that count as entities, lower case, punctuation kept."""
    stop_words = frozenset(profile.entities.stop_words)
    least = profile.entities.word_length
    return tuple(word for word in spaced_words(query.lower()) if len(utf16(word)) >= least and word not in stop_words)


def entity_searches(
    context: Context, query: str, found: Search, scope: str, watch: Stopwatch
) -> tuple[EntityStep, tuple[Hit, ...]]:
    """The supplementary searches, and the hits of ``found`` followed by those that they add."""
    profile = context.constants
    limits = profile.entities
    needed = found.total_found < limits.below
    check = Check(
        "notes found", found.total_found, "<", limits.below, needed, found.total_found - limits.below,
        "entities.below", _RULE,
    )  # fmt: skip
    if not needed:
        why = f"{found.total_found} found: {limits.below} or more need no supplement"
        return EntityStep(State.SKIPPED, check, why, (), ()), found.hits
    words = entity_words(query, profile)
    if len(words) < limits.min_words:
        why = words_needed(len(words), limits.min_words)
        return EntityStep(State.SKIPPED, check, why, words, ()), found.hits
    searched = words[: limits.searches]
    hits = list(found.hits)
    known = {hit.path for hit in hits}
    searches = []
    for word in searched:
        timed_by = f"entity.{word}"
        with watch.measure(timed_by):
            made = search(context, word, SearchOptions(limits.limit, scope=scope))
        added = []
        for hit in made.hits:
            if hit.path not in known:
                known.add(hit.path)
                hits.append(replace(hit, found_by=word))
                added.append(hit.path)
        searches.append(EntitySearch(word, made, tuple(added), timed_by))
    total = len(hits) - len(found.hits)
    state = State.HIT if total else State.MISSED
    first_searched = spaced_words(filtered_query(query, profile).lower())
    left_out = [word for word in searched if word not in first_searched]
    that = "stop words of the first search count" if len(left_out) > 1 else "a stop word of the first search counts"
    beside = f"; {that} here: {', '.join(left_out)}" if left_out else ""
    adding = [each.entity for each in searches if each.added] or searched
    why = f"{total} added by {', '.join(adding)}{beside}"
    return EntityStep(state, check, why, words, tuple(searches)), tuple(hits)
