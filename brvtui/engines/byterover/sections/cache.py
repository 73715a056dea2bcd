"""The simulated cache and the tree's fingerprint, as one query saw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace.checks import Check, State


@dataclass(frozen=True)
class FingerprintState:
    """The tree's fingerprint as the cache sees it."""

    SECTION: ClassVar = "fingerprint"

    value: str
    held: bool
    """True when an earlier value was still held, so the files were not looked at again."""
    age_s: float
    left_s: float
    current: str
    """What it would be if it were computed now."""
    files: int


@dataclass(frozen=True)
class CacheEntry:
    """A simulated cache entry as this query saw it."""

    key: str
    tier: int
    age_s: float
    left_s: float
    fingerprint_match: bool
    shared_tokens: int
    union_tokens: int
    similarity: float
    state: State
    why: str


@dataclass(frozen=True)
class CacheLook:
    """Both cache look-ups over every entry, oldest inserted first."""

    SECTION: ClassVar = "cache"

    key: str
    tokens: tuple[str, ...]
    capacity: int
    exact: State
    exact_why: str
    fuzzy: State
    fuzzy_why: str
    fuzzy_check: Check | None
    hit_key: str
    entries: tuple[CacheEntry, ...]
    simulated: bool = True
