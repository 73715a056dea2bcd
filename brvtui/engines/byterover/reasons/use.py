"""What an answer does with a result: whether it quotes it, also where the cache gave it before the notes changed."""

from __future__ import annotations

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.sections import CacheEntry, CacheLook, FingerprintState, Route
from brvtui.trace import Hit, Trace

_DIRECT = 2
"""The tier of direct answers."""


def stands(trace: Trace) -> bool:
    """Whether the answer stands on the results of the trace: on an exact look-up's too, while the tree is the same."""
    state = trace.section(FingerprintState)
    return trace.section(Route).used or (trace.tier == 0 and state.value == state.current)


def cached_entry(trace: Trace) -> CacheEntry:
    """The entry of the cache that answered. There must be one."""
    return next(entry for entry in trace.section(CacheLook).entries if entry.key == trace.section(CacheLook).hit_key)


def _place(profile: Profile, trace: Trace, hit: Hit) -> int:
    """The place of ``hit``, from 1, among the results that reach the score from which notes are quoted."""
    before = trace.hits[: trace.hits.index(hit)]
    return 1 + sum(other.score >= profile.direct.prefetch for other in before)


def given_before(trace: Trace) -> str:
    """When the cached answer was given, as seen from the query: an age would be old while a dialog stays open."""
    return f"given {cached_entry(trace).age_s:.0f} s before"


def quoting_of(trace: Trace, result_path: str) -> str:
    """That an answer from the cache quotes the result at ``result_path``; empty where it does not, or is a new one."""
    if trace.section(Route).used or result_path not in cached_entry(trace).sources:
        return ""
    return f"quoted in the answer that came from the cache, {given_before(trace)}"


def answer_lacks(profile: Profile, trace: Trace, hit: Hit) -> bool:
    """Whether the answer is a direct one from the cache that lacks ``hit``, though it would be quoted now.

    Signals that are set leave the fingerprint, and so the cached answer, as they are.
    """
    if trace.section(Route).used or cached_entry(trace).tier != _DIRECT:
        return False
    limits = profile.direct
    is_quoted = hit.score >= limits.prefetch and _place(profile, trace, hit) <= limits.max_notes
    return is_quoted and hit.path not in cached_entry(trace).sources


def use_of(profile: Profile, trace: Trace, hit: Hit) -> str:
    """Whether the answer quotes ``hit``, or why not, in a few words."""
    limits, used = profile.direct, trace.section(Route).used
    direct = trace.section(Route).outcome == "direct" if used else cached_entry(trace).tier == _DIRECT
    what = "quoted in the direct answer" if direct else "quoted to the model"
    was_quoted = not used and direct and hit.path in cached_entry(trace).sources
    if not was_quoted and hit.score < limits.prefetch:
        return f"{hit.score:.2f} is under {limits.prefetch:g}: not {what}"
    place = _place(profile, trace, hit)
    if not was_quoted and place > limits.max_notes:
        return f"number {place} of the results that reach {limits.prefetch:g}, of which {limits.max_notes} are used"
    return what if used else f"{what}; that answer came from the cache, {given_before(trace)}"
