"""The results of a query, and the choice of the step that answers it. The cache and the answer are not
handled here.

See ``docs/reference/byterover.md``, "The tiers".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route import gates
from brvtui.engines.byterover.route.cache import words_needed
from brvtui.engines.byterover.search.lint import filtered_query
from brvtui.engines.byterover.search.matched_words import hits_with_words, with_words
from brvtui.engines.byterover.search.search import SEARCH_FOUND, SEARCH_TIME, SearchOptions, retry, search
from brvtui.engines.byterover.sections import EntitySearch, EntityStep, Search
from brvtui.snapshot import Key
from brvtui.text.analysis import utf16
from brvtui.timing import Stopwatch
from brvtui.trace import Check, Hit, Ladder, Origin, State, Step
from brvtui.trace.routing import Outcome, SearchOutcome
from brvtui.tree.reading.javascript import spaced_words

# Entity searches: extra searches for single words of a query (``docs/reference/byterover.md``, "Entity searches").


_RULE = "entity-searches"
_SEARCHES: Key[dict[tuple[float, str, SearchOptions], tuple[Profile, Search]]] = Key("searches")
_MOST_KEPT = 32


def entity_words(query: str, profile: Profile) -> tuple[str, ...]:
    """The words of ``query`` that are treated as entities, in lower case, with their punctuation."""
    stop_words = frozenset(profile.entities.stop_words)
    length = profile.entities.word_length
    return tuple(word for word in spaced_words(query.lower()) if len(utf16(word)) >= length and word not in stop_words)


def entity_searches(
    context: Context, query: str, found: Search, options: SearchOptions, watch: Stopwatch, is_timed: bool = True
) -> tuple[EntityStep, tuple[Hit, ...]]:
    """The entity searches, and all hits: first the hits in ``found``, then the hits that entity searches add."""
    profile = context.constants
    limits = profile.entities
    needed = found.total_found < limits.below
    check = Check(
        "notes found", found.total_found, "<", limits.below, needed, found.total_found - limits.below,
        "entities.below", _RULE,
    )  # fmt: skip
    if not needed:
        why = f"{found.total_found} results, needed only below {limits.below}"
        return EntityStep(State.SKIPPED, check, why, (), ()), found.hits
    words = entity_words(query, profile)
    if len(words) < limits.min_words:
        why = words_needed(len(words), limits.min_words)
        return EntityStep(State.SKIPPED, check, why, words, ()), found.hits
    searched, options = words[: limits.searches], replace(options, limit=limits.limit)
    hits = list(found.hits)
    paths = {hit.path for hit in hits}
    searches = []
    for word in searched:
        timed_by = f"entity.{word}"
        with watch.measure(timed_by):
            result = _kept_search(context, word, options, Stopwatch() if is_timed else None)
        added = []
        for hit in result.hits:
            if hit.path not in paths:
                paths.add(hit.path)
                hits.append(hit if options.is_brief else replace(hit, found_by=word))
                added.append(hit.path)
        searches.append(EntitySearch(word, result, tuple(added), timed_by))
    total = len(hits) - len(found.hits)
    state = State.HIT if total else State.MISSED
    first_searched = spaced_words(filtered_query(query, profile).lower())
    left_out = [word for word in searched if word not in first_searched]
    noun = "stop word" if len(left_out) == 1 else "stop words"
    beside = f"; unlike the first search, these use the {noun} {', '.join(left_out)}" if left_out else ""
    adding = [each.entity for each in searches if each.added] or searched
    why = f"{total or 'nothing'} added by {', '.join(adding)}{beside}"
    return EntityStep(state, check, why, words, tuple(searches)), tuple(hits)


def _kept_search(context: Context, query: str, options: SearchOptions, timed: Stopwatch | None = None) -> Search:
    """The search for ``query``; unless ``timed``, an earlier one if possible, since wordings share most words."""
    kept, key = context.snapshot.derived.of(_SEARCHES, dict), (context.now_ms, query, options)
    profile, found = kept.get(key, (None, None))
    if timed is not None or found is None or profile is not context.constants:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        found = search(context, query, options, timed)
        kept[key] = context.constants, found
    return found


@dataclass(frozen=True, slots=True)
class QueryResults:
    """The results of a query, and the searches that found them."""

    search: Search
    entities: EntityStep
    ladder: Ladder
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The steps of a route in order, and the outcome of the first step that takes the query."""

    steps: tuple[Step, ...]
    tier: int
    outcome: Outcome
    why: str
    """The reason for the decision, in a few words."""
    prefetched: tuple[Hit, ...]
    """The hits that a direct answer quotes or a prompt contains."""


def find_results(
    context: Context, query: str, scope: str, timed: Stopwatch | None = None, is_brief: bool = False
) -> QueryResults:
    """The results from the search, the entity searches and, if the route contains it, the retry ladder."""
    options, watch = SearchOptions(context.constants.router.limit, scope, is_brief), timed or Stopwatch()
    with watch.measure(SEARCH_TIME):
        found = _kept_search(context, query, options, timed)
    if found.scope.restricts and not context.constants.paths.leave_scope:
        options = replace(options, scope=found.scope.path)
    with watch.measure("entity searches"):
        entities, hits = _entities(context, query, options, found, watch, timed is not None)
    with watch.measure("retry ladder"):
        ladder, hits = _retry(context, options, found, hits, watch)
    return QueryResults(found, entities, ladder, hits)


def results_with_words(context: Context, results: QueryResults) -> QueryResults:
    """``results`` with the query words that each hit matches in the search that found it."""
    search, ladder = with_words(context, results.search), results.ladder
    searches = tuple(replace(one, search=with_words(context, one.search, 0)) for one in results.entities.searches)
    if ladder.hits:
        text = next((rung.query for rung in ladder.rungs if rung.number and rung.state is State.HIT), "")
        ladder = replace(ladder, hits=hits_with_words(context, filtered_query(text, context.constants), ladder.hits))
    by_search = [
        ("", search.hits),
        (ladder.strategy, ladder.hits),
        *((one.entity, one.search.hits) for one in searches),
    ]
    words = {(how, *_identity(hit)): hit.words for how, found in by_search for hit in found}
    hits = tuple(replace(hit, words=words.get((hit.found_by, *_identity(hit)), ())) for hit in results.hits)
    return QueryResults(search, replace(results.entities, searches=searches), ladder, hits)


def _identity(hit: Hit) -> tuple[str, str, Origin]:
    """The values that identify a hit in a search. A folder may be a hit twice: by its own text, and by a note in it."""
    return hit.path, hit.file, hit.origin


def decide(context: Context, results: QueryResults) -> Decision:
    """The decision on a query that the cache did not answer."""
    profile, hits = context.constants, results.hits
    domain = gates.out_of_domain(results.search, hits)
    gate_steps = gates.gate_steps(hits, profile, reached=not domain.took)
    place, taken = next((place, step) for place, step in enumerate((domain, *gate_steps)) if step.took)
    why = taken.summary
    if taken.name == Outcome.AGENTIC_LOOP and results.search.outcome is SearchOutcome.ENGINE_FAILS:
        why = context.snapshot.engine_failure
    elif taken.name in (Outcome.SINGLE_CALL, Outcome.AGENTIC_LOOP):
        why = next((gates.failed(step.checks) for step in reversed(gate_steps[: place - 1]) if step.checks), why)
    tier = profile.router.not_covered_tier if taken.tier is None else taken.tier
    outcome = Outcome.NOT_COVERED if taken is domain else gates.OUTCOMES[taken.name]
    steps = (*_before_the_gates(results, domain, profile), *gate_steps)
    return Decision(steps, tier, outcome, why, gates.prefetched(hits, profile))


def _before_the_gates(results: QueryResults, domain: Step, profile: Profile) -> Sequence[Step]:
    """The steps before the gates in the engine's order: the entity searches, the retry ladder if it is in the route,
    and the out-of-domain test.
    """
    entities, ladder = results.entities, results.ladder
    entity = Step("entity_search", None, "entity searches", entities.state, (entities.check,), entities.why)
    retried = Step("retry_ladder", None, "retry ladder", ladder.state, (), ladder.why)
    in_route = (retried,) if profile.retry.in_route else ()
    return (entity, *in_route, domain) if profile.entities.before_out_of_domain else (*in_route, domain, entity)


def _entities(
    context: Context, query: str, options: SearchOptions, found: Search, watch: Stopwatch, is_timed: bool
) -> tuple[EntityStep, tuple[Hit, ...]]:
    limits = context.constants.entities
    if found.outcome is SearchOutcome.ENGINE_FAILS or (not found.hits and not limits.before_out_of_domain):
        fails = found.outcome is SearchOutcome.ENGINE_FAILS
        why = "the search failed" if fails else "nothing was found, so the query ends before entity searches"
        check = Check("notes found", found.total_found, "<", limits.below, None, None, "entities.below", "")
        return EntityStep(State.NOT_REACHED, check, why, (), ()), found.hits
    return entity_searches(context, query, found, options, watch, is_timed)


def _retry(
    context: Context, options: SearchOptions, found: Search, hits: tuple[Hit, ...], watch: Stopwatch
) -> tuple[Ladder, tuple[Hit, ...]]:
    """The retry ladder, and the hits with which the route continues: the ladder's own if it is part of the route and
    runs; otherwise ``hits``.
    """
    in_route = context.constants.retry.in_route
    if found.outcome is SearchOutcome.ENGINE_FAILS:
        return Ladder(State.NOT_REACHED, "the search failed"), hits
    if found.hits:
        return Ladder(State.NOT_REACHED, SEARCH_FOUND), hits
    if in_route and hits:
        return Ladder(State.NOT_REACHED, "entity searches found notes"), hits
    if options.is_brief and not in_route:
        return Ladder(State.SKIPPED, "the route does not contain it"), hits
    ladder = retry(context, found, options, watch)
    if not in_route:
        return ladder, hits
    return replace(ladder, in_route=True), tuple(replace(hit, found_by=ladder.strategy) for hit in ladder.hits)
