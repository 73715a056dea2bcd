"""The router: one query through cache, search, gates and tiers, as one trace (``docs/engine.md``, "The tiers")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from brvtui import profile_jeffs_brain
from brvtui.profile import Profile
from brvtui.retrieve.byterover.retrying import SEARCH_TIME, retry
from brvtui.retrieve.byterover.search import Options, search
from brvtui.route import answer as answers
from brvtui.route.cache import CacheState, Stored, held_fingerprint, look_up, put
from brvtui.route.entities import entity_searches
from brvtui.route.gates import Gates, gates
from brvtui.route.prompt import build_prompt
from brvtui.snapshot import Snapshot
from brvtui.timing import Stopwatch
from brvtui.trace import (
    SCHEMA,
    Answer,
    CacheLook,
    Check,
    EntityStep,
    FingerprintState,
    Found,
    Hit,
    Ladder,
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


@dataclass(frozen=True, slots=True)
class _Decision:
    tier: int
    outcome: Outcome
    answer: Answer
    verdict: str


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
    with watch.measure(SEARCH_TIME):
        options = Options(profile.router.limit, scope=asked.scope)
        found = search(snapshot, profile, now_ms, query, options, watch)
    with watch.measure("entity searches"):
        entities, hits = _entities(snapshot, profile, asked, found, watch)
    with watch.measure("retry ladder"):
        ladder, hits = _retry(snapshot, profile, asked, found, hits, watch)
    with watch.measure("gates"):
        passed = gates(hits, profile)
    covered = bool(hits) or found.outcome is Found.ENGINE_FAILS
    with watch.measure("answer"):
        decision = _decide(snapshot, profile, asked, look, hit, fingerprint, found, entities, hits, passed, covered)
    used = hit is None
    steps = _steps(profile, look, found, entities, ladder, hits, passed, covered, decision, used)
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
        search=found,
        entities=entities,
        ladder=ladder,
        steps=steps,
        tier=decision.tier,
        outcome=decision.outcome,
        verdict=decision.verdict,
        used=used,
        hits=hits,
        answer=decision.answer,
        notices=_notices(snapshot, found.scope),
    )
    if used:
        text = decision.answer.text or answers.PLACEHOLDER
        state = put(state, query, decision.tier, text, fingerprint.value, now_ms, profile)
    return trace, state


def _entities(
    snapshot: Snapshot, profile: Profile, asked: Asked, found: Search, watch: Stopwatch
) -> tuple[EntityStep, tuple[Hit, ...]]:
    if found.outcome is Found.ENGINE_FAILS or (not found.hits and not profile.entities.before_out_of_domain):
        why = "the search failed" if found.hits else "nothing was found, which ends the query before entities are asked"
        check = Check("notes found", found.total_found, "<", profile.entities.below, None, None, "entities.below", "")
        return EntityStep(State.NOT_REACHED, check, why, (), ()), found.hits
    return entity_searches(snapshot, profile, asked.now_ms, asked.query, found, asked.scope, watch)


def _retry(
    snapshot: Snapshot, profile: Profile, asked: Asked, found: Search, hits: tuple[Hit, ...], watch: Stopwatch
) -> tuple[Ladder, tuple[Hit, ...]]:
    """The retry ladder: in the route, where the profile has it there, or beside it as advice."""
    if found.outcome is Found.ENGINE_FAILS:
        return Ladder(State.NOT_REACHED, "the search failed"), hits
    if found.hits:
        return Ladder(State.NOT_REACHED, "the search itself found notes"), hits
    if profile.retry.in_route and hits:
        return Ladder(State.NOT_REACHED, "entity searches found notes"), hits
    options = Options(profile.router.limit, scope=asked.scope)
    made = retry(snapshot, profile, profile_jeffs_brain.load(), asked.now_ms, found, options, watch)
    if not profile.retry.in_route:
        return made.ladder, hits
    return replace(made.ladder, in_route=True), tuple(replace(hit, found_by=made.ladder.strategy) for hit in made.hits)


def _decide(
    snapshot: Snapshot,
    profile: Profile,
    asked: Asked,
    look: CacheLook,
    hit: Stored | None,
    fingerprint: FingerprintState,
    found: Search,
    entities: EntityStep,
    hits: tuple[Hit, ...],
    passed: Gates,
    covered: bool,
) -> _Decision:
    if hit is not None:
        answer = answers.cached_answer(hit.text, hit.tier)
        if look.exact is State.HIT:
            return _Decision(0, Outcome.EXACT_CACHE, answer, f"same query, {_tree_then(fingerprint)}")
        similarity = look.fuzzy_check.value if look.fuzzy_check and look.fuzzy_check.value is not None else 0.0
        return _Decision(1, Outcome.FUZZY_CACHE, answer, f"{similarity:.2f} similar to “{hit.key}”")
    if not covered:
        why = _why_not_covered(found)
        answer = answers.not_covered(asked.query, _closest(found))
        return _Decision(profile.router.not_covered_tier, Outcome.NOT_COVERED, answer, why)
    if passed.passes:
        answer = answers.direct_answer(snapshot, profile, asked.query, passed.prefetched)
        return _Decision(2, Outcome.DIRECT, answer, _passed(passed))
    total = found.total_found + sum(len(entity.added) for entity in entities.searches)
    prompt = build_prompt(snapshot, profile, asked.query, total, hits, passed.prefetched)
    answer = answers.model_answer(prompt)
    if passed.prefetched:
        return _Decision(3, Outcome.SINGLE_CALL, answer, _failed(passed.direct))
    if found.outcome is Found.ENGINE_FAILS:
        return _Decision(4, Outcome.AGENTIC_LOOP, answer, snapshot.engine_failure)
    return _Decision(4, Outcome.AGENTIC_LOOP, answer, _failed((passed.prefetch,)))


def _tree_then(fingerprint: FingerprintState) -> str:
    if fingerprint.value == fingerprint.current:
        return "same tree, and the entry is still fresh"
    return f"and the tree changed since, but its fingerprint is held for {fingerprint.left_s:.0f} s more"


def _why_not_covered(found: Search) -> str:
    if found.outcome is Found.BELOW_FLOOR:
        floor = next(check for check in found.out_of_domain if check.name == "relevance floor")
        return f"best match {floor.value:.2f} is below the floor {floor.threshold:g}"
    if found.outcome is Found.UNMATCHED_WORDS:
        words = ", ".join(f"“{word}”" for word in found.unmatched_words)
        escape = next(check for check in found.out_of_domain if check.name == "unmatched-word escape")
        return f"no note has all words, top {found.top:.2f} is under {escape.threshold:g}, and nothing matches {words}"
    if found.outcome is Found.NO_TOKENS:
        return "the query has no word that can be searched"
    return "no note matches any word"


def _closest(found: Search) -> str:
    if not found.near_misses:
        return ""
    nearest = found.near_misses[0]
    return f"Closest, and left out: {nearest.title} ({nearest.path}), {nearest.score:.2f}: {nearest.reason}."


def _passed(passed: Gates) -> str:
    last = passed.direct[-1]
    top = passed.direct[0]
    if last.constant == "direct.max_notes":
        return f"top {top.value:.2f}, and no other result reaches the prompt"
    if last.constant == "direct.sure_top":
        return f"top {top.value:.2f} reaches {last.threshold:g}: no gap needed"
    return f"top {top.value:.2f}, and {last.value:.2f} ahead of the runner-up"


def _failed(checks: Sequence[Check]) -> str:
    failed = [check for check in checks if check.passed is False]
    check = failed[-1] if failed else checks[0]
    if check.value is None or check.margin is None or check.threshold is None:
        return (
            f"{check.name}: nothing to compare with {check.threshold:g}" if check.threshold is not None else check.name
        )
    return f"{check.name} {check.value:.2f} needs {check.threshold:g}: short {_short(-check.margin)}"


def _short(amount: float) -> str:
    return f"{amount:.2f}" if amount >= 0.005 else f"{amount:.2g}"


def _steps(
    profile: Profile,
    look: CacheLook,
    found: Search,
    entities: EntityStep,
    ladder: Ladder,
    hits: tuple[Hit, ...],
    passed: Gates,
    covered: bool,
    decision: _Decision,
    used: bool,
) -> tuple[Step, ...]:
    expected = profile.router.expected
    exact = Step("exact_cache", 0, "exact cache", look.exact, (), look.exact_why, expected[0])
    fuzzy_checks = (look.fuzzy_check,) if look.fuzzy_check else ()
    fuzzy = Step("fuzzy_cache", 1, "fuzzy cache", look.fuzzy, fuzzy_checks, look.fuzzy_why, expected[1])
    results = Check("results", float(len(hits)), ">", 0.0, covered, float(len(hits)), "", "out-of-domain")
    ood_state = State.PASSED if covered else State.TAKEN
    ood_why = (
        counted(len(hits), "result", "results") if covered else decision.verdict if used else _why_not_covered(found)
    )
    ood = Step("out_of_domain", None, "out of domain", ood_state, (*found.out_of_domain, results), ood_why)
    entity = Step("entity_search", None, "entity searches", entities.state, (entities.check,), entities.why)
    direct_state = State.NOT_REACHED if not covered else State.TAKEN if passed.passes else State.FAILED
    direct = Step(
        "direct", 2, "direct answer", direct_state, passed.direct if covered else (),
        _passed(passed) if passed.passes and covered else _failed(passed.direct) if covered else "", expected[2],
    )  # fmt: skip
    calls = covered and not passed.passes
    single_state = State.NOT_REACHED if not calls else State.TAKEN if passed.prefetched else State.FAILED
    reach = len(passed.prefetched)
    single_why = f"{counted(reach, 'note reaches', 'notes reach')} {profile.direct.prefetch:g}" if calls else ""
    single = Step(
        "single_call", 3, "one LLM call", single_state, (passed.prefetch,) if calls else (), single_why, expected[3]
    )
    loop_state = State.TAKEN if calls and not passed.prefetched else State.NOT_REACHED
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
    if snapshot.has_legacy_signals:
        notices.append("signals are read from frontmatter; the engine itself would use defaults for these notes")
    if scope.source == "option" and not scope.path:
        notices.append(f"{scope.why}: the whole tree was searched")
    return tuple(notices)


def _iso(now_ms: float) -> str:
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
