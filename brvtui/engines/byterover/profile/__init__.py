"""Every constant of an engine, by name.

A profile is a TOML file: ``profiles/brv-3.toml`` holds every value, the others say what they change
(``extends``). No threshold, weight or limit is a literal elsewhere; traces name constants by their dotted path here
(``direct.min_top``).
"""

from __future__ import annotations

from brvtui.engines.byterover.profile.constants import (
    AgentRules,
    CacheRules,
    CallRules,
    DirectRules,
    EngineVersion,
    EntityRules,
    ManifestRules,
    NameRules,
    OutOfDomainRules,
    PathRules,
    Profile,
    PruningRules,
    QueryRules,
    RetryRules,
    RouterRules,
    SearchRules,
    lookup,
)
from brvtui.engines.byterover.profile.files import load
from brvtui.profiles import BUILT_IN, DEFAULT
from brvtui.typed_tables import ProfileError, overlay

__all__ = [
    "BUILT_IN",
    "DEFAULT",
    "AgentRules",
    "CacheRules",
    "CallRules",
    "DirectRules",
    "EngineVersion",
    "EntityRules",
    "ManifestRules",
    "NameRules",
    "OutOfDomainRules",
    "PathRules",
    "Profile",
    "ProfileError",
    "PruningRules",
    "QueryRules",
    "RetryRules",
    "RouterRules",
    "SearchRules",
    "load",
    "lookup",
    "overlay",
]
