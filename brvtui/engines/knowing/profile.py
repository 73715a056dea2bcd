"""Every constant of the engine, by name: ``profiles/knowing.toml``, ``knowing-code.toml`` (``docs/knowing.md``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from brvtui.engines.knowing.ranking_rules import (
    FlatRules,
    HitsRules,
    NoteGraphRules,
    PackingRules,
    ReviewRules,
    ScoreRules,
    WalkRules,
)
from brvtui.engines.knowing.seed_rules import (
    EquivalenceRules,
    FullTextRules,
    FusionRules,
    KeywordRules,
    LearningSteps,
    NoiseRules,
    PackCacheRules,
    PathChannelRules,
    SeedRules,
    SessionRules,
    TieredRules,
    UseRules,
)
from brvtui.typed_tables import ProfileError, overlay, typed
from brvtui.wording import nearest, shortened

ENGINE = "knowing"
"""The engine's name in settings, traces and files."""
PROFILES = (ENGINE, "knowing-code")


@dataclass(frozen=True, slots=True)
class KnowingProfile:
    """A named set of constants of the engine."""

    name: str
    summary: str
    keywords: KeywordRules
    tiered: TieredRules
    full_text: FullTextRules
    equivalence: EquivalenceRules
    paths: PathChannelRules
    fusion: FusionRules
    noise: NoiseRules
    noise_of_notes: NoiseRules
    seeds: SeedRules
    session: SessionRules
    use: UseRules
    learning: LearningSteps
    pack_cache: PackCacheRules
    walk: WalkRules
    hits: HitsRules
    scoring: ScoreRules
    packing: PackingRules
    review: ReviewRules
    flat: FlatRules
    notes: NoteGraphRules


@cache
def load_profile(name: str = "") -> KnowingProfile:
    """The built-in profile ``name``, the document's for an empty one.

    Raises :class:`brvtui.typed_tables.ProfileError` when there is none of that name.
    """
    found = name or ENGINE
    if found not in PROFILES:
        raise ProfileError(f"no profile {shortened(name)} of knowing{nearest(name, PROFILES)}")
    base = typed(KnowingProfile, _table(ENGINE), "", ENGINE)
    return base if found == ENGINE else overlay(base, _table(found), found)


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("brvtui").joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8"))
