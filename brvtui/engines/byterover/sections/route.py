"""What a route ended as."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar


class Outcome(StrEnum):
    """What a routed query ended as."""

    EXACT_CACHE = "exact_cache"
    FUZZY_CACHE = "fuzzy_cache"
    NOT_COVERED = "not_covered"
    DIRECT = "direct"
    SINGLE_CALL = "single_call"
    AGENTIC_LOOP = "agentic_loop"


@dataclass(frozen=True)
class Route:
    """What the route ended as."""

    SECTION: ClassVar = "route"

    outcome: Outcome
    used: bool
    """False when a cache hit answered: the search was computed to be shown, and not used."""
