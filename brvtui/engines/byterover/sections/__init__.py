"""ByteRover's sections of a trace: the route, the search, entity searches, and the cache."""

from __future__ import annotations

from brvtui.engines.byterover.sections.cache import CacheEntry, CacheLook, FingerprintState
from brvtui.engines.byterover.sections.reading import QueryLint, QueryWord, Scope
from brvtui.engines.byterover.sections.route import Outcome, Route
from brvtui.engines.byterover.sections.searches import (
    Attempt,
    EntitySearch,
    EntityStep,
    Lift,
    PlainSearch,
    Search,
    SearchEnd,
)

__all__ = [
    "Attempt",
    "CacheEntry",
    "CacheLook",
    "EntitySearch",
    "EntityStep",
    "FingerprintState",
    "Lift",
    "Outcome",
    "PlainSearch",
    "QueryLint",
    "QueryWord",
    "Route",
    "Scope",
    "Search",
    "SearchEnd",
]
