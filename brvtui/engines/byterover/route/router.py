"""The router: one query through cache, search, gates and tiers, as one trace (``docs/engine.md``, "The tiers")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route import answer as answers
from brvtui.engines.byterover.route.cache import CacheState, Stored, held_fingerprint, look_up, put
from brvtui.engines.byterover.route.deciding import Ranked, Verdict, failed, passed, ranked, verdict, why_not_covered
from brvtui.engines.byterover.route.prompt import build_prompt, quote
from brvtui.services.model import NO_MODEL
from brvtui.snapshot import Snapshot
from brvtui.timing import Stopwatch
from brvtui.trace import (
    SCHEMA,
    Answer,
    CacheLook,
    Check,
    FingerprintState,
    Outcome,
    Scope,
    Search,
    Snapshotted,
    State,
    Step,
    Trace,
)
from brvtui.wording import counted

PIPELINE = "byterover"


@dataclass(frozen=True, slots=True)
class Asked:
    """One query put to the router."""

    query: str
    now_ms: float
    scope: str = ""
    run: bool = False
    touched: Mapping[str, int] = field(default_factory=dict)
    """Modification times (ms) that stand in for those of files in the fingerprint, by path."""
    no_call: str = NO_MODEL
    """Why no model writes the answer where one would have to."""
    model_is_set: bool = False
    """Whether one is: then what stands in for its answer is not cached, and :func:`keep` puts its answer there."""


def route(snapshot: Snapshot, profile: Profile, state: CacheState, asked: Asked) -> tuple[Trace, CacheState]:
    """The trace of ``asked`` and the cache after it, which the caller keeps after a run and drops after a probe."""
    watch = Stopwatch()
    with watch.measure("total"):
        trace, after = _route(snapshot, profile, state, asked, watch)
    trace.timings.update({name: round(ms, 3) for name, ms in watch.ms.items()})
    return trace, after


def _route(
    snapshot: Snapshot, profile: Profile, state: CacheState, asked: Asked, watch: Stopwatch
) -> tuple[Trace, CacheState]:
    query, now_ms = asked.query, asked.now_ms
    with watch.measure("fingerprint"):
        current = snapshot.fingerprint_with(asked.touched)
        state, fingerprint = held_fingerprint(state, current, snapshot.covered_count, now_ms, profile)
    with watch.measure("cache"):
        state, look, hit = look_up(state, query, fingerprint.value, now_ms, profile)
    made = ranked(snapshot, profile, now_ms, query, asked.scope, watch)
    with watch.measure("answer"):
        if hit is None:
            decided = verdict(snapshot, profile, made)
            answer = _answer(snapshot, profile, asked, made, decided.outcome)
        else:
            decided = _cached(look, hit, fingerprint)
            answer = answers.cached_answer(hit.text, hit.tier)
    used = hit is None
    trace = Trace(
        schema=SCHEMA,
        pipeline=PIPELINE,
        mode="run" if asked.run else "probe",
        query=query,
        scope_option=asked.scope,
        profile=profile.name,
        engine=f"{profile.engine.name} {profile.engine.version}",
        snapshot=Snapshotted(snapshot.project.name, snapshot.generation, len(snapshot.notes), _iso(now_ms)),
        fingerprint=fingerprint,
        cache=look,
        search=made.search,
        entities=made.entities,
        ladder=made.ladder,
        steps=_steps(profile, look, made, decided, used),
        tier=decided.tier,
        outcome=decided.outcome,
        verdict=decided.why,
        used=used,
        hits=made.hits,
        answer=answer,
        notices=_notices(snapshot, made.search.scope),
    )
    if used and not (asked.model_is_set and answer.kind == "extractive"):
        state = put(state, query, decided.tier, answer.text, fingerprint.value, now_ms, profile)
    return trace, state


def keep(state: CacheState, profile: Profile, trace: Trace, now_ms: float) -> CacheState:
    """The cache with the answer of ``trace``, which a model gave at ``now_ms``; the engine does it likewise."""
    return put(state, trace.query, trace.tier, trace.answer.text, trace.fingerprint.value, now_ms, profile)


def _cached(look: CacheLook, hit: Stored, fingerprint: FingerprintState) -> Verdict:
    if look.exact is State.HIT:
        return Verdict(0, Outcome.EXACT_CACHE, f"same query, {_tree_then(fingerprint)}")
    similarity = look.fuzzy_check.value if look.fuzzy_check and look.fuzzy_check.value is not None else 0.0
    return Verdict(1, Outcome.FUZZY_CACHE, f"{similarity:.2f} similar to “{hit.key}”")


def _answer(snapshot: Snapshot, profile: Profile, asked: Asked, made: Ranked, outcome: Outcome) -> Answer:
    query, found, prefetched = asked.query, made.search, made.gates.prefetched
    if outcome is Outcome.NOT_COVERED:
        return answers.not_covered(query, _closest(found))
    if outcome is Outcome.DIRECT:
        return answers.direct_answer(snapshot, profile, query, prefetched)
    total = found.total_found + sum(len(entity.added) for entity in made.entities.searches)
    quoted = quote(snapshot, profile, query, prefetched)
    prompt = build_prompt(snapshot, profile, query, total, made.hits, quoted)
    nearest = quoted or quote(snapshot, profile, query, made.hits)
    return answers.extractive_answer(profile, query, found.lint, prompt, nearest, asked.no_call)


def _tree_then(fingerprint: FingerprintState) -> str:
    if fingerprint.value == fingerprint.current:
        return "same tree, and the entry is still fresh"
    return f"and the tree changed since, but its fingerprint is held for {fingerprint.left_s:.0f} s more"


def _closest(found: Search) -> str:
    if not found.near_misses:
        return ""
    nearest = found.near_misses[0]
    return f"Closest, and left out: {nearest.title} ({nearest.path}), {nearest.score:.2f}: {nearest.reason}."


def _steps(profile: Profile, look: CacheLook, made: Ranked, decided: Verdict, used: bool) -> tuple[Step, ...]:
    found, entities, ladder, hits, gates, covered = (
        made.search, made.entities, made.ladder, made.hits, made.gates, made.covered,
    )  # fmt: skip
    expected = profile.router.expected
    exact = Step("exact_cache", 0, "exact cache", look.exact, (), look.exact_why, expected[0])
    fuzzy_checks = (look.fuzzy_check,) if look.fuzzy_check else ()
    fuzzy = Step("fuzzy_cache", 1, "fuzzy cache", look.fuzzy, fuzzy_checks, look.fuzzy_why, expected[1])
    results = Check("results", float(len(hits)), ">", 0.0, covered, float(len(hits)), "", "out-of-domain")
    ood_state = State.PASSED if covered else State.TAKEN
    ood_why = counted(len(hits), "result", "results") if covered else decided.why if used else why_not_covered(found)
    ood = Step("out_of_domain", None, "out of domain", ood_state, (*found.out_of_domain, results), ood_why)
    entity = Step("entity_search", None, "entity searches", entities.state, (entities.check,), entities.why)
    direct_state = State.NOT_REACHED if not covered else State.TAKEN if gates.passes else State.FAILED
    direct = Step(
        "direct", 2, "direct answer", direct_state, gates.direct if covered else (),
        passed(gates) if gates.passes and covered else failed(gates.direct) if covered else "", expected[2],
    )  # fmt: skip
    calls = covered and not gates.passes
    single_state = State.NOT_REACHED if not calls else State.TAKEN if gates.prefetched else State.FAILED
    reach = len(gates.prefetched)
    single_why = f"{counted(reach, 'note reaches', 'notes reach')} {profile.direct.prefetch:g}" if calls else ""
    single = Step(
        "single_call", 3, "one LLM call", single_state, (gates.prefetch,) if calls else (), single_why, expected[3]
    )
    loop_state = State.TAKEN if calls and not gates.prefetched else State.NOT_REACHED
    loop = Step("agentic_loop", 4, "agentic loop", loop_state, (), "", expected[4])
    retried = (
        (Step("retry_ladder", None, "retry ladder", ladder.state, (), ladder.why),) if profile.retry.in_route else ()
    )
    middle = (entity, *retried, ood) if profile.entities.before_out_of_domain else (*retried, ood, entity)
    steps = (exact, fuzzy, *middle, direct, single, loop)
    return steps if used else (exact, fuzzy, *(_unused(step) for step in steps[2:]))


def _unused(step: Step) -> Step:
    why = f"computed, not used: {step.summary}" if step.summary else "computed, not used"
    return Step(step.name, step.tier, step.label, State.SKIPPED, step.checks, why, step.expected)


def _notices(snapshot: Snapshot, scope: Scope) -> tuple[str, ...]:
    notices = list(snapshot.notices)
    if snapshot.engine_failure:
        notices.append(snapshot.engine_failure)
    if snapshot.recorded:
        recorded = counted(snapshot.recorded, "note has", "notes have")
        notices.append(f"{recorded} access hits that brv-tui recorded: brv-tui forget drops them")
    if snapshot.from_frontmatter:
        read = counted(snapshot.from_frontmatter, "note has", "notes have")
        notices.append(f"{read} signals from frontmatter (signals.frontmatter); ByteRover would use defaults")
    if scope.source == "option" and not scope.path:
        notices.append(f"{scope.why}: the whole tree was searched")
    return tuple(notices)


def _iso(now_ms: float) -> str:
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
