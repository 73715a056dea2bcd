"""Results in the two shapes that an agent asks for, with memories (``docs/soleri.md``, "Results")."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from brvtui.engines.soleri.entries import Memory, units
from brvtui.engines.soleri.memories import RecalledMemories
from brvtui.engines.soleri.profile import SoleriProfile
from brvtui.engines.soleri.search import ScoredEntry, VaultRanking
from brvtui.engines.soleri.vault import Vault

Shape = Literal["full", "scan"]
_BREAKDOWN = ("semantic", "vector", "severity", "temporalDecay", "tagOverlap", "domainMatch", "graphProximity")
"""The signals under the names that Soleri gives them."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """One result: its score, and the record that an agent gets."""

    score: float
    record: dict[str, Any]


def default_limit(shape: Shape, profile: SoleriProfile) -> int:
    """How many results a shape has that names no number."""
    return profile.limits.scan if shape == "scan" else profile.limits.full


def shaped(found: ScoredEntry, shape: Shape, profile: SoleriProfile) -> Shaped:
    """``found`` in ``shape``."""
    entry = found.entry
    if shape == "full":
        breakdown = dict(zip(_BREAKDOWN, found.signals.in_order, strict=True))
        record = {
            "entry": entry.record(),
            "score": found.score,
            "breakdown": {**breakdown, "total": found.score},
            "source": "vault",
        }
    else:
        record = {
            "id": entry.id,
            "title": entry.title,
            "score": found.score,
            "type": entry.type,
            "domain": entry.domain,
            "severity": entry.severity,
            "tags": list(entry.tags),
            "snippet": snippet(entry.description, profile),
            "tokenEstimate": entry.tokens,
            "source": "vault",
        }
    return Shaped(found.score, record)


def shaped_memory(memory: Memory, shape: Shape, profile: SoleriProfile) -> Shaped:
    """``memory`` in ``shape``, with the fixed score of memories."""
    score = profile.results.memory_score
    if shape == "full":
        return Shaped(score, {**memory.record, "source": "memory", "score": score})
    return Shaped(
        score,
        {
            "id": memory.record["id"],
            "title": memory.record["context"],
            "snippet": snippet(memory.record["summary"], profile),
            "score": score,
            "source": "memory",
        },
    )


def given_to_agent(
    ranking: VaultRanking, recalled: RecalledMemories | None, shape: Shape, profile: SoleriProfile
) -> tuple[list[Shaped], int]:
    """The results of ``ranking`` in ``shape``, with what was found among memories, and how many entries are left.

    Memories take the places of the last entries: together they are as many as the limit or the guard allows.
    """
    entries = [shaped(found, shape, profile) for found in ranking.results]
    if recalled is None:
        return entries, len(entries)
    memories = [shaped_memory(found, shape, profile) for found in recalled.found]
    together = merged(entries, memories, max(ranking.request.limit, len(entries)))
    return together, sum(result.record["source"] == "vault" for result in together)


def loaded(vault: Vault, ids: Collection[str]) -> tuple[dict[str, Any], ...]:
    """The complete entries with ``ids``, in the vault's order; unknown ids are left out."""
    return tuple({"entry": entry.record(), "source": "vault"} for entry in vault.entries() if entry.id in ids)


def merged(vault: Iterable[Shaped], memories: Iterable[Shaped], limit: int) -> list[Shaped]:
    """Both, best first, entries of the vault before memories of equal score, at most ``limit``."""
    return sorted([*vault, *memories], key=lambda result: -result.score)[: max(0, limit)]


def snippet(text: str, profile: SoleriProfile) -> str:
    """The first UTF-16 units of ``text``, with three dots when it goes on."""
    most = profile.results.snippet_chars
    if units(text) <= most:
        return text
    cut = text.encode("utf-16-le", "surrogatepass")[: 2 * most].decode("utf-16-le", "replace")
    return f"{cut}..."
