"""Every constant of the engine, by name: ``profiles/knowing.toml``, ``knowing-code.toml`` (``docs/knowing.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from brvtui.engines.knowing.ranking_rules import (
    HitsRules,
    NoteGraphRules,
    PackingRules,
    ReviewRules,
    ScoreRules,
    WalkRules,
)
from brvtui.engines.knowing.sections import ENGINE, PROFILES
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
from brvtui.engines.profile_files import profile_tables
from brvtui.typed_tables import typed


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
    notes: NoteGraphRules


@cache
def load_profile(source: str = "") -> KnowingProfile:
    """The profile called ``source``, or read from the TOML file ``source``; the document's for an empty name.

    Raises :class:`brvtui.typed_tables.ProfileError` when there is no such profile, or a key or value of it is wrong.
    """
    return typed(KnowingProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
