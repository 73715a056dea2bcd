"""What a query finds, and which tier that makes, before any cache and any answer (``docs/engine.md``, "The tiers")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.entities import entity_searches
from brvtui.engines.byterover.route.gates import Gates, gates
from brvtui.engines.byterover.search.retrying import SEARCH_TIME, retry
from brvtui.engines.byterover.search.search import Options, search
from brvtui.snapshot import Snapshot
from brvtui.timing import Stopwatch
from brvtui.trace import Check, EntityStep, Found, Hit, Ladder, Outcome, Search, State


@dataclass(frozen=True, slots=True)
class Ranked:
    """The results of a query, what they came from, and what the gates make of them."""

    search: Search
    entities: EntityStep
    ladder: Ladder
    hits: tuple[Hit, ...]
    gates: Gates

    @property
    def covered(self) -> bool:
        """Whether the query goes on: something was found, or the search failed."""
        return bool(self.hits) or self.search.outcome is Found.ENGINE_FAILS


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tier that answers, as what, and why in a few words."""

    tier: int
    outcome: Outcome
    why: str


def ranked(snapshot: Snapshot, profile: Profile, now_ms: float, query: str, scope: str, watch: Stopwatch) -> Ranked:
    """What ``query`` finds: the search, entity searches, the retry ladder where the route has it, and the gates."""
    with watch.measure(SEARCH_TIME):
        options = Options(profile.router.limit, scope=scope)
        found = search(snapshot, profile, now_ms, query, options, watch)
    with watch.measure("entity searches"):
        entities, hits = _entities(snapshot, profile, now_ms, query, scope, found, watch)
    with watch.measure("retry ladder"):
        ladder, hits = _retry(snapshot, profile, now_ms, scope, found, hits, watch)
    with watch.measure("gates"):
        passed = gates(hits, profile)
    return Ranked(found, entities, ladder, hits, passed)


def verdict(snapshot: Snapshot, profile: Profile, made: Ranked) -> Verdict:
    """The tier of a query that no cache answers."""
    if not made.covered:
        return Verdict(profile.router.not_covered_tier, Outcome.NOT_COVERED, why_not_covered(made.search))
    if made.gates.passes:
        return Verdict(2, Outcome.DIRECT, passed(made.gates))
    if made.gates.prefetched:
        return Verdict(3, Outcome.SINGLE_CALL, failed(made.gates.direct))
    if made.search.outcome is Found.ENGINE_FAILS:
        return Verdict(4, Outcome.AGENTIC_LOOP, snapshot.engine_failure)
    return Verdict(4, Outcome.AGENTIC_LOOP, failed((made.gates.prefetch,)))


def _entities(
    snapshot: Snapshot, profile: Profile, now_ms: float, query: str, scope: str, found: Search, watch: Stopwatch
) -> tuple[EntityStep, tuple[Hit, ...]]:
    if found.outcome is Found.ENGINE_FAILS or (not found.hits and not profile.entities.before_out_of_domain):
        why = "the search failed" if found.hits else "nothing was found, which ends the query before entities are asked"
        check = Check("notes found", found.total_found, "<", profile.entities.below, None, None, "entities.below", "")
        return EntityStep(State.NOT_REACHED, check, why, (), ()), found.hits
    return entity_searches(snapshot, profile, now_ms, query, found, scope, watch)


def _retry(
    snapshot: Snapshot,
    profile: Profile,
    now_ms: float,
    scope: str,
    found: Search,
    hits: tuple[Hit, ...],
    watch: Stopwatch,
) -> tuple[Ladder, tuple[Hit, ...]]:
    """The retry ladder: in the route, where the profile has it there, or beside it as advice."""
    if found.outcome is Found.ENGINE_FAILS:
        return Ladder(State.NOT_REACHED, "the search failed"), hits
    if found.hits:
        return Ladder(State.NOT_REACHED, "the search itself found notes"), hits
    if profile.retry.in_route and hits:
        return Ladder(State.NOT_REACHED, "entity searches found notes"), hits

    options = Options(profile.router.limit, scope=scope)
    made = retry(snapshot, profile, now_ms, found, options, watch)
    if not profile.retry.in_route:
        return made.ladder, hits
    return replace(made.ladder, in_route=True), tuple(replace(hit, found_by=made.ladder.strategy) for hit in made.hits)


def why_not_covered(found: Search) -> str:
    """Why nothing was found, in a few words."""
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


def passed(made: Gates) -> str:
    """How the gates of the direct answer were passed, in a few words."""
    last = made.direct[-1]
    top = made.direct[0]
    if last.constant == "direct.max_notes":
        return f"top {top.value:.2f}, and no other result reaches the prompt"
    if last.constant == "direct.sure_top":
        return f"top {top.value:.2f} reaches {last.threshold:g}: no gap needed"
    return f"top {top.value:.2f}, and {last.value:.2f} ahead of the runner-up"


def failed(checks: Sequence[Check]) -> str:
    """What the last of ``checks`` that failed lacked, in a few words."""
    failed = [check for check in checks if check.passed is False]
    check = failed[-1] if failed else checks[0]
    if check.value is None or check.margin is None or check.threshold is None:
        return (
            f"{check.name}: nothing to compare with {check.threshold:g}" if check.threshold is not None else check.name
        )
    return f"{check.name} {check.value:.2f} needs {check.threshold:g}: short {_short(-check.margin)}"


def _short(amount: float) -> str:
    return f"{amount:.2f}" if amount >= 0.005 else f"{amount:.2g}"
