"""A complete ByteRover search, with all of its decisions (``docs/reference/byterover.md``)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from brvtui.engines.better_match import better_match
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search import scope as scopes
from brvtui.engines.byterover.search.lint import filtered_query, lint, significant_words
from brvtui.engines.byterover.search.matching import Matched, combine, time_of
from brvtui.engines.byterover.search.near_misses import NEAR_MISSES, near_misses, trimmed_misses
from brvtui.engines.byterover.search.scope import PathLookup, SearchOptions, SearchRequest, members
from brvtui.engines.byterover.search.scoring import Ranking, brief_hits, listing, path_hits, propagate, rank, text_hits
from brvtui.engines.byterover.sections import ESCAPE, Attempt, Lift, QueryLint, Scope, Search
from brvtui.ladder import TRIGRAMS, Climbed, Searches, climb
from brvtui.snapshot import Key, Snapshot
from brvtui.text.analysis import from_utf16
from brvtui.text.trigrams import TrigramIndex
from brvtui.timing import Stopwatch
from brvtui.trace import (
    MOST_LISTED,
    BetterMatch,
    Check,
    Hit,
    Kind,
    Ladder,
    NearMiss,
    Origin,
    Part,
    Stage,
    State,
    TextScore,
    listed,
)  # fmt: skip
from brvtui.trace.routing import SearchOutcome
from brvtui.tree.reading.hierarchy import Symbol
from brvtui.wording import counted

# The answer to a query that names a note or a folder (``docs/reference/byterover.md``, "Paths and scopes").


_AS_PATH = "read as a path, so its words are not searched together"

PATH_TIME = "search.path"
"""The key under which the duration of the path look-up is recorded."""


def path_answer(request: SearchRequest, named: Symbol, lookup: PathLookup) -> Search:
    """The answer to a query that names a path: the note, or the folder's summary and the notes below the folder. The
    rules set their scores.
    """
    snapshot, profile, limit = request.context.snapshot, request.context.constants, max(1, request.options.limit)
    results: list[Hit] = []
    if named.is_folder:
        outcome = SearchOutcome.PATH_FOLDER
        summary = snapshot.summaries.get(named.path)
        if summary:
            results.append(
                Hit(
                    named.path, summary.file, named.name, Kind.SUMMARY, Origin.PATH, profile.paths.summary_score,
                    (Part("named folder", profile.paths.summary_score),), None, None, None,
                )
            )  # fmt: skip
        below = [symbol for symbol in snapshot.hierarchy.walk(named) if not symbol.is_folder]
        listed_notes = [snapshot.notes[snapshot.by_path[symbol.path]] for symbol in below[: limit - len(results)]]
        results += path_hits(request.context, listed_notes, profile.paths.child_score, "below the named folder")
        came_in = len(below) + bool(summary)
    else:
        outcome = SearchOutcome.PATH_NOTE
        note = snapshot.notes[snapshot.by_path[named.path]]
        results = path_hits(request.context, [note], profile.paths.note_score, "named note")
        came_in = 1
    hits = tuple(results[:limit])
    how = lookup.match.how if lookup.match else ""
    scope = Scope(named.path, lookup.pattern, "path", how, "", True, len(hits), f"{lookup.why}: {named.path}")
    everything = len(snapshot.notes)
    named_notes = came_in - bool(named.is_folder and snapshot.summaries.get(named.path))
    attempt = Attempt(
        "path look-up", lookup.pattern, named.path, "", State.HIT, everything, named_notes, lookup.why,
        tuple(map(listed, hits[:MOST_LISTED])), PATH_TIME,
    )  # fmt: skip
    return Search(
        query=request.query,
        limit=limit,
        outcome=outcome,
        scope=scope,
        lint=QueryLint(request.query, "", (), (), (), (_AS_PATH,)),
        attempts=(attempt,),
        combine_why=_AS_PATH,
        searchable=everything,
        matched=len(hits),
        total_found=len(hits),
        top=max((hit.score for hit in hits), default=None),
        stages=(
            Stage("named by the path", everything, everything - named_notes, named_notes, "paths-and-scopes"),
            Stage("limit", came_in, came_in - len(hits), len(hits), "paths-and-scopes", "with the folder's summary"),
        ),
        hits=hits,
    )


# Conditions under which a search discards all results although notes matched (``docs/reference/byterover.md``, "Out of
# domain").


def out_of_domain(
    request: SearchRequest, filtered: str, matched: Matched, ranking: Ranking
) -> tuple[tuple[Check, ...], tuple[str, ...], SearchOutcome]:
    """The out-of-domain checks, the query words that no best match contains, and the search's outcome."""
    constants = request.context.constants
    limit = constants.out_of_domain.matched_results
    first = ranking.rows[:limit] if limit else slice(None)
    seen = {from_utf16(term.term) for term in matched.table.terms if (term.scores[first] > 0).any()}
    notes, top = len(request.context.snapshot.notes), float(ranking.scores[0])
    return domain_checks(constants, filtered, notes, top, matched.and_failed, seen)


def domain_checks(
    constants: Profile, filtered: str, notes: int, top: float, and_failed: bool, seen: Collection[str]
) -> tuple[tuple[Check, ...], tuple[str, ...], SearchOutcome]:
    """The result of :func:`out_of_domain` for a search over ``notes`` notes whose best score is ``top``.

    ``seen`` contains the query terms that the first results match.
    """
    limits = constants.out_of_domain
    rule = "out-of-domain"
    size = Check(
        "tree size", notes, "≥", limits.min_notes, notes >= limits.min_notes, notes - limits.min_notes,
        "out_of_domain.min_notes", rule, "in smaller trees, no query is out of domain",
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
        "out_of_domain.escape", rule, "" if and_failed else "not needed: all words match",
    )  # fmt: skip
    asked_words = and_failed and not escaped
    words = Check(
        "unmatched words", len(unmatched), "=", 0, not unmatched if asked_words else None, -float(len(unmatched)),
        "", rule, ", ".join(unmatched),
    )  # fmt: skip
    emptied = asked_words and bool(unmatched)
    return (size, floor, escape, words), unmatched, SearchOutcome.UNMATCHED_WORDS if emptied else SearchOutcome.MATCHES


__all__ = ["SearchOptions", "search"]


def search(context: Context, query: str, options: SearchOptions, watch: Stopwatch | None = None) -> Search:
    """The search for ``query``. It has no side effects, except that durations are recorded in ``watch``."""
    snapshot, profile = context.snapshot, context.constants
    request = SearchRequest(context, query, options, watch or Stopwatch())
    if snapshot.engine_failure and profile.limits.failures:
        return _engine_fails(request)
    with request.watch.measure(PATH_TIME):
        lookup = scopes.look_up_path(snapshot, query)
        if options.scope and not profile.paths.leave_scope:
            lookup = scopes.inside_option(lookup, options.scope)
    if lookup.match and not (lookup.match.symbol.is_folder and lookup.text):
        named = lookup.match.symbol
        with request.watch.measure(PATH_TIME):
            return path_answer(request, named, lookup)
    if lookup.match:
        scope = scopes.inside_path(snapshot, lookup)
        attempt = Attempt(
            "path look-up", lookup.pattern, scope.path, "", State.PASSED, len(snapshot.notes), scope.notes,
            f"{lookup.why}: the folder becomes the scope", timed_by=PATH_TIME,
        )  # fmt: skip
        return _text_search(request, lookup.text, scope, (attempt,))
    state = State.MISSED if lookup.tried else State.SKIPPED
    timed_by = PATH_TIME if lookup.tried else ""
    everything = len(snapshot.notes)
    attempts = (Attempt("path look-up", lookup.pattern, "", "", state, everything, 0, lookup.why, timed_by=timed_by),)
    scope = scopes.parse_scope(snapshot, query, options.scope)
    first = _text_search(request, scope.text or query, scope, attempts)
    is_scoped = scope.path or scope.source == "option"
    if first.hits or not (is_scoped and scope.text and profile.paths.leave_scope):
        return first
    whole = scopes.whole_tree(
        snapshot, query, f"nothing was found in {scope.path}, so the whole query is searched everywhere"
    )
    return _text_search(request, query, whole, first.attempts)


def _text_search(request: SearchRequest, text: str, scope: Scope, attempts: tuple[Attempt, ...]) -> Search:
    with request.watch.measure(time_of(scope)):
        return _search_text(request, text, scope, attempts)


def _search_text(request: SearchRequest, text: str, scope: Scope, attempts: tuple[Attempt, ...]) -> Search:
    snapshot, profile, watch = request.context.snapshot, request.context.constants, request.watch
    is_brief = request.options.is_brief
    with watch.measure("search.lint"):
        filtered = filtered_query(text, profile)
        linted = QueryLint(text, filtered, (), (), (), ()) if is_brief else lint(text, profile, snapshot.postings)
    with watch.measure("search.match"):
        matched = combine(request, filtered, scope)
    keep = request.options.most + NEAR_MISSES
    with watch.measure("search.score"):
        ranking = rank(
            request.context, matched.table, matched.matching, max(keep, profile.out_of_domain.matched_results),
            matched.combine == "AND", is_brief,
        )  # fmt: skip
    if not is_brief:
        best = listing(request.context, ranking)
        attempts += tuple(replace(one, listed=best) if one.state is State.HIT else one for one in matched.attempts)
    outcome = SearchOutcome.NO_MATCH if matched.table.tokens else SearchOutcome.NO_TOKENS
    checks: tuple[Check, ...] = ()
    unmatched: tuple[str, ...] = ()
    stages, left, kept = matched.stages, 0, _Kept()
    if ranking.matched:
        with watch.measure("search.gates"):
            checks, unmatched, outcome = out_of_domain(request, filtered, matched, ranking)
        left = ranking.matched if outcome is SearchOutcome.MATCHES else 0
        stages += (Stage("coverage", ranking.matched, ranking.matched - left, left, "out-of-domain"),)
        if left:
            with watch.measure("search.explain"):
                kept = _keep(request, ranking)
        elif not is_brief:
            kept = _Kept(misses=near_misses(request, ranking, 0, outcome))
    return Search(
        query=request.query,
        limit=request.options.most,
        outcome=outcome,
        scope=scope,
        lint=linted,
        attempts=attempts,
        combine=matched.combine,
        combine_why=matched.combine_why,
        and_failed=matched.and_failed,
        searchable=len(snapshot.notes),
        matched=ranking.matched,
        total_found=left,
        top=float(ranking.scores[0]) if ranking.matched else None,
        floor=kept.floor,
        stages=stages + kept.stages,
        out_of_domain=checks,
        unmatched_words=unmatched,
        hits=kept.hits,
        near_misses=kept.misses,
        better_match=kept.better_match,
        lifts=kept.lifts,
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    """The matches of a search: the ones in the answer, and the others."""

    floor: float | None = None
    stages: tuple[Stage, ...] = ()
    hits: tuple[Hit, ...] = ()
    misses: tuple[NearMiss, ...] = ()
    lifts: tuple[Lift, ...] = ()
    better_match: BetterMatch | None = None


def _keep(request: SearchRequest, ranking: Ranking) -> _Kept:
    """The matches within the limit whose scores are close enough to the best one, and the folders that they lift."""
    profile, options = request.context.constants, request.options
    ratio, top = profile.search.gap_ratio, float(ranking.scores[0])
    floor = ratio * top
    above = ranking.at_least
    within = min(above, options.most)
    if options.is_brief:
        direct = brief_hits(request.context, ranking, within)
    else:
        texts = ranking.table.text_scores(ranking.rows[:within])
        direct = text_hits(request.context, ranking.positions[:within].tolist(), texts)
    lifts, summaries = propagate(request.context, direct, floor)
    merged = sorted([*direct, *summaries], key=lambda hit: -hit.score)
    hits = tuple(merged[: options.most])
    if options.is_brief:
        return _Kept(floor, hits=hits)
    total, lifted = ranking.matched, len(summaries)
    stages = (
        Stage("score gap", total, total - above, above, "what-is-kept", f"≥ {ratio:g} × top {top:.4f}"),
        Stage("limit", above, above - within, within, "what-is-kept", f"{options.most}"),
        Stage("parent propagation", len(lifts), len(lifts) - lifted, lifted, "parent-propagation", "folders reached"),
        Stage(
            "merge", len(merged), len(merged) - len(hits), len(hits), "parent-propagation",
            f"{counted(within, 'note', 'notes')} and {counted(lifted, 'summary', 'summaries')}",
        ),
    )  # fmt: skip
    misses = trimmed_misses(merged, options.most)
    misses += near_misses(request, ranking, within, SearchOutcome.MATCHES, floor, after=len(misses))
    better = _better_match(request, ranking, hits, misses)
    return _Kept(floor, stages, hits, misses[:NEAR_MISSES], lifts, better)


def _better_match(
    request: SearchRequest, ranking: Ranking, hits: Sequence[Hit], misses: Sequence[NearMiss]
) -> BetterMatch | None:
    """The note with the best text score, if that score is clearly better than the first result's; otherwise None."""
    raw = ranking.table.raw[ranking.rows]
    place = int(raw.argmax())
    if not place or not hits or hits[0].origin is not Origin.TEXT:
        return None
    position = int(ranking.positions[place])
    (hit,) = text_hits(request.context, [position], ranking.table.text_scores(ranking.rows[[place]]))
    ranks = {miss.file: miss.rank for miss in misses} | {one.file: rank for rank, one in enumerate(hits, start=1)}
    return better_match(hits, [(ranks.get(hit.file, place + 1), hit)])


def _engine_fails(request: SearchRequest) -> Search:
    why = request.context.snapshot.engine_failure
    scope = scopes.whole_tree(request.context.snapshot, request.query, why)
    linted = lint(request.query, request.context.constants, request.context.snapshot.postings)
    attempt = Attempt("path look-up", "", "", "", State.FAILED, len(request.context.snapshot.notes), 0, why)
    return Search(
        query=request.query,
        limit=request.options.most,
        outcome=SearchOutcome.ENGINE_FAILS,
        scope=scope,
        lint=linted,
        attempts=(attempt,),
        searchable=len(request.context.snapshot.notes),
    )


# The retry ladder, which uses ByteRover's own search (``docs/reference/jeffs-brain.md``, "In ByteRover's route").


SEARCH_FOUND = "the search itself found notes"
SEARCH_TIME = "search"
"""The key under which the duration of the search before the ladder is recorded."""

_NAMES: Key[TrigramIndex] = Key("trigrams of names")


def names_of(snapshot: Snapshot) -> TrigramIndex:
    """The trigram index of the notes' file names, cached with the snapshot."""
    return snapshot.derived.of(_NAMES, lambda: TrigramIndex((note.path, note.path) for note in snapshot.notes))


def retry(context: Context, found: Search, options: SearchOptions, watch: Stopwatch | None = None) -> Ladder:
    """The retry ladder after the search ``found``. If that search has results, no step runs.

    Each step is a complete search with ``options``; the last one compares the names of notes (:func:`named_like`).
    """
    profile = context.constants

    def again(text: str) -> Sequence[Hit]:
        return search(context, text, options).hits

    def like(tokens: Sequence[str]) -> Sequence[Hit]:
        scope = "" if profile.paths.leave_scope else options.scope
        return named_like(context, tokens, options.most, scope)

    climbed = climb(found.query, (found.query, found.hits), Searches(again, like), profile.ladder, watch)
    return _ladder(climbed)


def named_like(context: Context, tokens: Sequence[str], limit: int, scope: str = "") -> list[Hit]:
    """Up to ``limit`` notes in ``scope`` whose file names are similar to one of ``tokens``, best first.

    If ``scope`` contains no notes, all notes are compared. In the scores, the similarity of the name (0 to 1) replaces
    the text relevance.
    """
    snapshot, profile = context.snapshot, context.constants
    likenesses = names_of(snapshot).search(tokens, profile.names.limit, profile.names.least)
    if scope and (inside := members(snapshot, scope)).any():
        likenesses = [likeness for likeness in likenesses if inside[likeness.position]]
    positions = [likeness.position for likeness in likenesses]
    texts = [TextScore(0.0, 0, 0.0, likeness.similarity) for likeness in likenesses]
    hits = [_by_name(hit) for hit in text_hits(context, positions, texts)]
    return sorted(hits, key=lambda hit: -hit.score)[:limit]


def _ladder(climbed: Climbed[Hit]) -> Ladder:
    first, *others = climbed.with_listed(listed, "score")
    rungs = (replace(first, timed_by=SEARCH_TIME), *others)
    if climbed.error:
        return Ladder(State.FAILED, climbed.error, rungs)
    paths = tuple(hit.path for hit in climbed.found)
    if not climbed.found:
        return Ladder(State.MISSED, "no rung of the ladder found a note", rungs)
    if rungs[0].state is State.HIT:
        return Ladder(State.NOT_REACHED, SEARCH_FOUND, rungs, paths)
    notes = counted(len(paths), "note", "notes")
    how = "by their names, " if climbed.strategy == TRIGRAMS else ""
    return Ladder(State.HIT, f"{notes} {how}at {climbed.strategy}", rungs, paths, climbed.found)


def _by_name(hit: Hit) -> Hit:
    """The hit for a note whose name is similar to a query word, with that similarity as its relevance."""
    first = replace(hit.parts[0], note="the similarity of its name")
    return replace(hit, parts=(first, *hit.parts[1:]), origin=Origin.NAME, text=None)
