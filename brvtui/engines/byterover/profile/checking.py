"""Which values a constant may have."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from brvtui.engines.byterover.profile.constants import Profile, lookup
from brvtui.typed_tables import ProfileError

_TIERS = 5
_AT_LEAST_ONE = (
    "search.limit",
    "router.limit",
    "entities.limit",
    "cache.capacity",
    "search.excerpt_chars",
    "single_call.max_iterations",
    "agentic_loop.max_iterations",
    "agent.same_calls",
    "agent.idle_turns",
    "agent.note_chars",
    "agent.most_listed",
)
_POSITIVE = (
    "decay.recency_days",
    "decay.importance_base",
    "manifest.chars_per_token",
    "score.importance_scale",
    "score.cap",
    "text.k",
    "cache.ttl_seconds",
)
_RANGES = (("decay.importance_base", 0, 1), ("score.decimals", 0, 12), ("search.excerpt_break", 0, 1))
_CHOICES = {
    "text.relevance": ("minisearch", "tantivy"),
    "manifest.contexts_by": ("walk", "importance"),
    "search.lift_source": ("relevance", "score"),
    "out_of_domain.compare": ("words", "tokens"),
    "signals.maturity": ("draft", "validated", "core"),
}
_NAMES = {"text.boost": {"title", "content", "path"}, "score.boost": {"draft", "validated", "core"}}


def check(profile: Profile, origin: str) -> None:
    """Raises :class:`ProfileError`, which names ``origin`` and the constant, for a value that no engine could have."""
    for dotted, allowed in _CHOICES.items():
        if lookup(profile, dotted) not in allowed:
            raise ProfileError(f"{origin}: {dotted} must be one of {', '.join(allowed)}")
    for dotted, names in _NAMES.items():
        if set(lookup(profile, dotted)) != names:
            raise ProfileError(f"{origin}: {dotted} must name exactly {', '.join(sorted(names))}")
    _check_numbers(profile, origin)


def _check_numbers(profile: Profile, origin: str) -> None:
    for dotted in _AT_LEAST_ONE:
        if lookup(profile, dotted) < 1:
            raise ProfileError(f"{origin}: {dotted} must be at least 1")
    for dotted in _POSITIVE:
        if not 0 < lookup(profile, dotted) < float("inf"):
            raise ProfileError(f"{origin}: {dotted} must be a number above 0")
    for dotted, least, most in _RANGES:
        if not least <= lookup(profile, dotted) <= most:
            raise ProfileError(f"{origin}: {dotted} must lie between {least:g} and {most:g}")
    for dotted, value in _numbers(profile):
        if not math.isfinite(value) or value < 0:
            raise ProfileError(f"{origin}: {dotted} must be a number of 0 or more")
    if len(profile.router.expected) != _TIERS:
        raise ProfileError(f"{origin}: router.expected must hold {_TIERS} texts")


def _numbers(profile: Profile) -> Iterator[tuple[str, float]]:
    for table in dataclasses.fields(profile):
        values = getattr(profile, table.name)
        if not dataclasses.is_dataclass(values):
            continue
        for field in dataclasses.fields(values):
            value = getattr(values, field.name)
            for number in value.values() if isinstance(value, dict) else (value,):
                if isinstance(number, (int, float)) and not isinstance(number, bool):
                    yield f"{table.name}.{field.name}", number
