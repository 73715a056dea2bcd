"""The router, which sends one query through the cache, search, gates and tiers, and returns the query's trace.

See ``docs/reference/byterover.md``, "The tiers".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.cache import CacheContents, Stored, cache_steps, held_fingerprint, look_up, put
from brvtui.engines.byterover.route.decision import Decision, QueryResults, decide, find_results, results_with_words
from brvtui.engines.byterover.route.extractive import Passage, chosen, composed
from brvtui.engines.byterover.route.prompt import Quoted, build_prompt, excerpt, quote, source_line, unreadable
from brvtui.engines.byterover.search.lint import query_words
from brvtui.engines.byterover.sections import ENGINE, QueryLint, Scope, Search
from brvtui.engines.contract import BriefAnswer
from brvtui.engines.no_result import missing_words
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import terms
from brvtui.timing import Stopwatch
from brvtui.trace import SCHEMA, Answer, Hit, Kind, ModelPrompt, Scale, State, Step, TermExpansion, Trace
from brvtui.trace.routing import CacheLook, FingerprintState, Outcome, Route, SearchOutcome
from brvtui.tree.reading.contents import first_units, units
from brvtui.tree.reading.frontmatter import parse
from brvtui.wording import counted, first_of

# The answer that the user reads at each tier (``docs/reference/byterover.md``, "The answers").


def direct_answer(context: Context, query: str, hits: Sequence[Hit]) -> Answer:
    """The direct answer: the text of the notes under Summary, Details, Sources and Gaps."""
    titles = ", ".join(f"**{hit.title}**" for hit in hits)
    noun = "note answers" if len(hits) == 1 else "notes answer"
    lines = ["## Summary", f"{len(hits)} {noun} “{query.strip()}” directly: {titles}.", "", "## Details"]
    for hit in hits:
        lines += [f"### {hit.title}", _body(context, hit, query), ""]
    lines += ["## Sources", *(f"- {source_line(hit)}" for hit in hits), ""]
    lines += ["## Gaps", "Quoted word for word from the notes, without a model."]
    return Answer("direct", "\n".join(lines), None, "", tuple(hit.path for hit in hits))


def without_words(query: str) -> Answer:
    """The fixed answer to a query without a word to search for, which no note can therefore cover."""
    start = f"“{query.strip()}” contains no word to search for" if query.strip() else "The query is empty"
    text = f"{start}, so no notes were searched.\n\nUse words of letters or digits, such as those in a note's title."
    return Answer("not_covered", text, None, "", ())


def not_covered(query: str, closest: str) -> Answer:
    """The fixed answer to a query that nothing in the tree covers."""
    lines = [f"“{query.strip()}” is not covered by this project's memory.", ""]
    if closest:
        lines += [closest, ""]
    lines.append(
        "If it should be, curate a note about it: a note with these words in its title will be found, and may answer "
        "directly while it is fresh."
    )
    return Answer("not_covered", "\n".join(lines), None, "", ())


def extractive_answer(
    profile: Profile, query: str, lint: QueryLint, prompt: ModelPrompt, quoted: Sequence[Quoted], why: str
) -> Answer:
    """An answer made of sentences from ``quoted``, which replaces a model's answer.

    ``why`` says why no model is called.
    """
    expansions = lint.expansions or tuple(
        TermExpansion(term, (), 0, 0, 0, 0) for term in dict.fromkeys(terms(lint.filtered))
    )
    passages = [Passage(source_line(one.hit), one.text) for one in quoted if one.readable]
    quotes = chosen(passages, expansions)
    far = (
        f"No note reaches {profile.direct.prefetch:g}, so none would be quoted to a model. The model would have to "
        "search on its own."
    )
    text = composed(query, quotes, expansions, "" if prompt.prefetched else far)
    named = {quote.source for quote in quotes}
    sources = tuple(one.hit.path for one in quoted if source_line(one.hit) in named)
    return Answer("extractive", text, prompt, why, sources)


def cached_answer(text: str, tier: int) -> Answer:
    """An answer from the cache."""
    return Answer("cached", text, None, f"from the cache, first given at tier {tier}", ())


def _body(context: Context, hit: Hit, query: str) -> str:
    """The text of the note as the engine reads it; an excerpt for a folder's summary."""
    snapshot, profile = context.snapshot, context.constants
    try:
        text = snapshot.text(hit.file)
    except OSError as error:
        return unreadable(error)
    if hit.kind is Kind.SUMMARY:
        return excerpt(text[parse(text).body_start :], query_words(query, profile), profile.search)
    limit = profile.direct.note_chars
    return text if units(text) <= limit else f"{first_units(text, limit)}..."


_MOST_DECIMALS = 4
"""The maximum number of decimals for a score that is not rounded."""


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """One query for the router."""

    query: str
    scope: str = ""
    run: bool = False
    touched: Mapping[str, int] = field(default_factory=dict)
    """Modification times in ms, keyed by path, which the fingerprint uses in place of the files' own times."""


def route(context: Context, state: CacheContents, request: RouteRequest) -> tuple[Trace, CacheContents]:
    """The trace of ``request``, and the cache after it. The caller must keep the new cache after a run, and discard it
    after a preview.
    """
    watch = Stopwatch()
    with watch.measure("total"):
        trace, after = _route(context, state, request, watch)
    trace.timings.update({name: round(ms, 3) for name, ms in watch.ms.items()})
    return trace, after


def brief_answer(context: Context, query: str, scope: str) -> BriefAnswer:
    """The answer to ``query`` without explanations, on an empty cache."""
    results = find_results(context, query, scope, is_brief=True)
    decision, best = decide(context, results), dict[str, float]()
    for hit in results.hits:
        best.setdefault(hit.file, hit.score)
    named = {hit.path for hit in decision.prefetched}
    quoted = dict.fromkeys(hit.file for hit in results.hits if hit.path in named)
    return BriefAnswer(decision.outcome is not Outcome.NOT_COVERED, decision.tier, best, tuple(quoted))


def _route(
    context: Context, state: CacheContents, request: RouteRequest, watch: Stopwatch
) -> tuple[Trace, CacheContents]:
    snapshot, profile, now_ms, query = context.snapshot, context.constants, context.now_ms, request.query
    with watch.measure("fingerprint"):
        current = snapshot.fingerprint_with(request.touched)
        state, fingerprint = held_fingerprint(state, current, snapshot.covered_count, now_ms, profile)
    with watch.measure("cache"):
        state, look, hit = look_up(state, query, fingerprint.value, now_ms, profile, snapshot.signals)
    results = find_results(context, query, request.scope, watch)
    with watch.measure("matched words"):
        results = results_with_words(context, results)
    with watch.measure("gates"):
        decision = decide(context, results)
    with watch.measure("answer"):
        if hit is None:
            answer = _answer(context, request, results, decision)
        else:
            decision = _cached(decision, look, hit, fingerprint)
            answer = cached_answer(hit.text, hit.tier)
    covered = hit.covered if hit is not None else decision.outcome is not Outcome.NOT_COVERED
    unmet = (one.term for one in results.search.lint.expansions if not one.notes)
    trace = Trace(
        schema=SCHEMA,
        engine=ENGINE,
        version=f"{profile.engine.name} {profile.engine.version}",
        profile=profile.name,
        mode="run" if request.run else "preview",
        query=query,
        scope_option=request.scope,
        snapshot=context.snapshot_info,
        verdict=decision.why,
        tier=decision.tier,
        covered=covered,
        steps=(*cache_steps(look, profile), *decision.steps),
        stages=results.search.stages,
        hits=results.hits,
        near_misses=results.search.near_misses,
        better_match=results.search.better_match,
        total_found=results.search.total_found,
        scale=Scale(min(profile.score.decimals, _MOST_DECIMALS), profile.score.cap),
        matched=results.search.matched,
        answer=answer,
        sections=(
            Route(decision.outcome, hit is None),
            results.search,
            results.entities,
            results.ladder,
            look,
            fingerprint,
        ),
        missing=missing_words(
            snapshot, query, unmet, lambda run: find_results(context, run, request.scope, watch).hits
        ),
        notices=(*_notices(snapshot, results.search.scope), *(() if results.hits else snapshot.unread)),
    )
    stands_in = answer.kind == "extractive" and context.services.model_is_set
    if hit is None and not stands_in:
        seen = fingerprint.value
        state = put(state, query, decision.tier, answer, covered, seen, now_ms, profile, snapshot.signals)
    return trace, state


def keep(state: CacheContents, context: Context, trace: Trace, now_ms: float) -> CacheContents:
    """The cache after the answer in ``trace``, which a model gave at ``now_ms``, is stored as in the engine."""
    signals, profile = context.snapshot.signals, context.constants
    fingerprint = trace.section(FingerprintState).value
    return put(state, trace.query, trace.tier or 0, trace.answer, True, fingerprint, now_ms, profile, signals)


def _cached(decision: Decision, look: CacheLook, hit: Stored, fingerprint: FingerprintState) -> Decision:
    """The decision for a query that the cache answers. The steps after the cache are shown but not used."""
    steps = tuple(map(_unused, decision.steps))
    if look.exact is State.HIT:
        return replace(
            decision, steps=steps, tier=0, outcome=Outcome.EXACT_CACHE, why=f"same query, {_tree_then(fingerprint)}"
        )
    similarity = look.fuzzy_check.value if look.fuzzy_check and look.fuzzy_check.value is not None else 0.0
    why = f"{similarity:.2f} similar to “{hit.key}”"
    return replace(decision, steps=steps, tier=1, outcome=Outcome.FUZZY_CACHE, why=why)


def _answer(context: Context, request: RouteRequest, results: QueryResults, decision: Decision) -> Answer:
    query, found, prefetched = request.query, results.search, decision.prefetched
    if decision.outcome is Outcome.NOT_COVERED:
        if found.outcome is SearchOutcome.NO_TOKENS:
            return without_words(query)
        return not_covered(query, _closest(found))
    if decision.outcome is Outcome.DIRECT:
        return direct_answer(context, query, prefetched)
    total = found.total_found + sum(len(entity.added) for entity in results.entities.searches)
    quoted = quote(context, query, prefetched)
    prompt = build_prompt(context, query, total, results.hits, quoted)
    nearest = quoted or quote(context, query, results.hits)
    why = context.services.why_no_model(request.run)
    return extractive_answer(context.constants, query, found.lint, prompt, nearest, why)


def _tree_then(fingerprint: FingerprintState) -> str:
    if fingerprint.value == fingerprint.current:
        return "same tree, and the entry has not expired"
    return f"and the tree has changed since, but its fingerprint is kept for {fingerprint.left_s:.0f} s more"


def _closest(found: Search) -> str:
    if not found.near_misses:
        return ""
    nearest = found.near_misses[0]
    title = f"{nearest.title} ({nearest.path})"
    return f"The closest note that was left out: {title}, {nearest.score:.2f}: {nearest.reason}."


def _unused(step: Step) -> Step:
    why = f"shown, not used: {step.summary}" if step.summary else "shown, not used"
    return Step(step.name, step.tier, step.label, State.SKIPPED, step.checks, why, step.expected)


def _notices(snapshot: Snapshot, scope: Scope) -> tuple[str, ...]:
    notices = list(snapshot.notices)
    if snapshot.engine_failure:
        notices.append(snapshot.engine_failure)
    if snapshot.overlay_count:
        recorded = counted(snapshot.overlay_count, "note has", "notes have")
        notices.append(
            f"{recorded} signals that only brv-tui has (set here, or access hits); brv-tui forget drops them"
        )
    if unusable := snapshot.unusable_signals:
        named = first_of(unusable)
        notices.append(f"{named}: the frontmatter cannot be used, so default signals apply, as for a new note")
    if conflicts := snapshot.conflicts:
        notices.append(f"{first_of(conflicts)}: an unresolved conflict (<<<<<<<); both sides are searched and quoted")
    if scope.source == "option" and not scope.path:
        notices.append(f"{scope.why}, so the whole tree was searched")
    return tuple(notices)
