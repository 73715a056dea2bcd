"""Every constant of an engine, by name.

A profile is a TOML file: ``profiles/brv-3.toml`` holds every value, the others say what they change
(``extends``). No threshold, weight or limit is a literal elsewhere; traces name constants by their dotted path here
(``direct.min_top``).
"""

from __future__ import annotations

from brvtui.profile.constants import (
    Agent,
    Archive,
    Cache,
    Call,
    Decay,
    Direct,
    Engine,
    Entities,
    Limits,
    Manifest,
    OutOfDomain,
    Paths,
    Profile,
    Pruning,
    Query,
    Retry,
    Router,
    Score,
    Search,
    Signals,
    Text,
    lookup,
)
from brvtui.profile.files import load, overlay
from brvtui.profiles import BUILT_IN, DEFAULT
from brvtui.typed_tables import ProfileError

__all__ = [
    "BUILT_IN",
    "DEFAULT",
    "Agent",
    "Archive",
    "Cache",
    "Call",
    "Decay",
    "Direct",
    "Engine",
    "Entities",
    "Limits",
    "Manifest",
    "OutOfDomain",
    "Paths",
    "Profile",
    "ProfileError",
    "Pruning",
    "Query",
    "Retry",
    "Router",
    "Score",
    "Search",
    "Signals",
    "Text",
    "load",
    "lookup",
    "overlay",
]
