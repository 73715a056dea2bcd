"""One whole search as ByteRover makes it, and everything it decided (``docs/engine.md``, "A search")."""

from __future__ import annotations

from dataclasses import dataclass, replace

from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.search import scope as scopes
from brvtui.engines.byterover.search.lint import lint
from brvtui.engines.byterover.search.matching import Matched, combine, time_of
from brvtui.engines.byterover.search.near_misses import NEAR_MISSES, near_misses, trimmed_misses
from brvtui.engines.byterover.search.out_of_domain import out_of_domain
from brvtui.engines.byterover.search.path_answer import PATH_TIME, path_answer
from brvtui.engines.byterover.search.propagation import propagate
from brvtui.engines.byterover.search.request import SearchOptions, SearchRequest
from brvtui.engines.byterover.search.scoring import Ranking, listing, rank, text_hits
from brvtui.engines.byterover.sections import Attempt, Lift, Scope, Search, SearchOutcome
from brvtui.timing import Stopwatch
from brvtui.trace import Check, Hit, NearMiss, Stage, State
from brvtui.wording import counted

__all__ = ["SearchOptions", "search"]


def search(context: Context, query: str, options: SearchOptions, watch: Stopwatch | None = None) -> Search:
    """The search for ``query``. Pure but for the times in ``watch``."""
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
    whole = scopes.whole_tree(snapshot, query, f"nothing was found in {scope.path}: the whole query, everywhere")
    return _text_search(request, query, whole, first.attempts)


def _text_search(request: SearchRequest, text: str, scope: Scope, attempts: tuple[Attempt, ...]) -> Search:
    with request.watch.measure(time_of(scope)):
        return _search_text(request, text, scope, attempts)


def _search_text(request: SearchRequest, text: str, scope: Scope, attempts: tuple[Attempt, ...]) -> Search:
    snapshot, profile, watch = request.context.snapshot, request.context.constants, request.watch
    with watch.measure("search.lint"):
        linted = lint(text, profile, snapshot.postings)
    with watch.measure("search.match"):
        matched = combine(request, linted.filtered, scope)
    keep = request.options.most + NEAR_MISSES
    with watch.measure("search.score"):
        ranking = rank(
            request.context, matched.table, matched.matching, max(keep, profile.out_of_domain.matched_results),
            matched.combine == "AND",
        )  # fmt: skip
    best = listing(request.context, ranking)
    attempts += tuple(replace(one, listed=best) if one.state is State.HIT else one for one in matched.attempts)
    outcome = SearchOutcome.NO_MATCH if linted.tokens else SearchOutcome.NO_TOKENS
    checks: tuple[Check, ...] = ()
    unmatched: tuple[str, ...] = ()
    stages, left, kept = matched.stages, 0, _Kept()
    if ranking.matched:
        with watch.measure("search.gates"):
            checks, unmatched, outcome = out_of_domain(request, linted.filtered, matched, ranking)
        left = ranking.matched if outcome is SearchOutcome.MATCHES else 0
        stages += (Stage("out of domain", ranking.matched, ranking.matched - left, left, "out-of-domain"),)
        if left:
            with watch.measure("search.explain"):
                kept = _keep(request, matched, ranking)
        else:
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
        lifts=kept.lifts,
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    """The part of a search that is known once its matches are cut to the answer."""

    floor: float | None = None
    stages: tuple[Stage, ...] = ()
    hits: tuple[Hit, ...] = ()
    misses: tuple[NearMiss, ...] = ()
    lifts: tuple[Lift, ...] = ()


def _keep(request: SearchRequest, matched: Matched, ranking: Ranking) -> _Kept:
    """The matches near enough to the best, within the limit, and the folders that they lift."""
    profile, options = request.context.constants, request.options
    ratio, top = profile.search.gap_ratio, float(ranking.scores[0])
    floor = ratio * top
    above = ranking.at_least
    within = min(above, options.most)
    best = ranking.positions[:within].tolist()
    direct = text_hits(request.context, best, ranking.table.text_scores(best))
    lifts, summaries = propagate(request.context, direct, floor)
    merged = sorted([*direct, *summaries], key=lambda hit: -hit.score)
    hits = tuple(merged[: options.most])
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
    return _Kept(floor, stages, hits, misses[:NEAR_MISSES], lifts)


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
