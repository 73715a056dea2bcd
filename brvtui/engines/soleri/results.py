"""The results in the two forms for agents, with memories (``docs/reference/soleri.md``, "Results")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from brvtui.engines.soleri.entries import Memory, units
from brvtui.engines.soleri.matching import terms
from brvtui.engines.soleri.memories import RecalledMemories
from brvtui.engines.soleri.profile import ProgramDeviations, SoleriProfile
from brvtui.engines.soleri.search import ScoredEntry, VaultRanking
from brvtui.engines.soleri.signals import temporal_decay
from brvtui.engines.soleri.vault import Vault

# Deviations of the original program from its documentation that affect a query (``docs/reference/soleri.md``).


def deviations(
    ranking: VaultRanking, vault: Vault, recalled: RecalledMemories | None, profile: SoleriProfile, now: float
) -> tuple[str, ...]:
    """The deviations from the documentation that changed ``ranking`` or the recalled memories, as text."""
    as_run, query = profile.as_run, ranking.request.text
    return tuple(
        text
        for is_on, text in (
            (
                as_run.length_before_stripping and _terms_differ(query, as_run, "length_before_stripping"),
                "the length of a term is tested before it is stripped (D01)",
            ),
            (
                as_run.ascii_terms and _terms_differ(query, as_run, "ascii_terms"),
                "letters outside ASCII are dropped from terms (D02)",
            ),
            (
                as_run.dates_dropped and any(_ages(ranking, profile, now)),
                "an entry's age is unknown, so only a validity window lowers its age factor (D03)",
            ),
            (
                as_run.heaviest_copy and _another_copy_stands(ranking, vault),
                "of two copies of an entry, the one with the higher weighted score is kept (D04)",
            ),
            (
                as_run.source_limit and _a_tier_is_cut(ranking, vault, profile),
                f"each tier returns {profile.limits.source} candidates, whatever the limit (D05)",
            ),
            (
                recalled is not None and as_run.memories_untransformed and terms(query, as_run) != (query,),
                "memories are searched with the query as typed (D06)",
            ),
            (
                as_run.hybrid_without_vectors and ranking.dense is not None and ranking.dense.query is None,
                "the hybrid weights apply although the query has no vector (D20)",
            ),
        )
        if is_on
    )


def _terms_differ(query: str, as_run: ProgramDeviations, switch: str) -> bool:
    return terms(query, as_run) != terms(query, replace(as_run, **{switch: False}))


def _ages(ranking: VaultRanking, profile: SoleriProfile, now: float) -> Iterator[bool]:
    """For each candidate, yields True if its dates would have changed its age factor."""
    for candidate in ranking.ranked:
        yield temporal_decay(candidate.entry, now, profile.decay) != candidate.signals.temporal_decay


def _another_copy_stands(ranking: VaultRanking, vault: Vault) -> bool:
    weights = {tier.name: tier.weight for tier in vault.tiers}
    return any(weights[copy.lost.tier] > weights[copy.winner.tier] for copy in ranking.pool.lost)


def _a_tier_is_cut(ranking: VaultRanking, vault: Vault, profile: SoleriProfile) -> bool:
    limit = profile.limits.source
    hits = [*ranking.pool.found, *(copy.lost for copy in ranking.pool.lost)]
    return vault.federated and limit < ranking.fetch_limit and any(hit.rank >= limit for hit in hits)


Shape = Literal["full", "scan"]
_BREAKDOWN = ("semantic", "vector", "severity", "temporalDecay", "tagOverlap", "domainMatch", "graphProximity")
"""Soleri's names for the signals."""


@dataclass(frozen=True, slots=True)
class VaultResult:
    """A result: the score, and the record for an agent."""

    score: float
    record: dict[str, Any]


def default_limit(shape: Shape, profile: SoleriProfile) -> int:
    """The default number of results in the form ``shape``."""
    return profile.limits.scan if shape == "scan" else profile.limits.full


def shaped(scored: ScoredEntry, shape: Shape, profile: SoleriProfile) -> VaultResult:
    """The result for ``scored`` in the form ``shape``."""
    entry = scored.entry
    if shape == "full":
        breakdown = dict(zip(_BREAKDOWN, scored.signals.in_order, strict=True))
        record = {
            "entry": entry.record(),
            "score": scored.score,
            "breakdown": {**breakdown, "total": scored.score},
            "source": "vault",
        }
    else:
        record = {
            "id": entry.id,
            "title": entry.title,
            "score": scored.score,
            "type": entry.type,
            "domain": entry.domain,
            "severity": entry.severity,
            "tags": list(entry.tags),
            "snippet": snippet(entry.description, profile),
            "tokenEstimate": entry.tokens,
            "source": "vault",
        }
    return VaultResult(scored.score, record)


def shaped_memory(memory: Memory, shape: Shape, profile: SoleriProfile) -> VaultResult:
    """The result for ``memory`` in the form ``shape``, with the fixed score of memories."""
    score = profile.results.memory_score
    if shape == "full":
        return VaultResult(score, {**memory.record, "source": "memory", "score": score})
    return VaultResult(
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
) -> tuple[list[VaultResult], int]:
    """The results of ``ranking`` and the recalled memories, in the form ``shape``, and the number of entries among
    them.

    The total is at most the limit, or the number of entries if the guard returns more than that. Memories can therefore
    displace the last entries.
    """
    entries = [shaped(one, shape, profile) for one in ranking.results]
    if recalled is None:
        return entries, len(entries)
    memories = [shaped_memory(one, shape, profile) for one in recalled.found]
    together = merged(entries, memories, max(ranking.request.limit, len(entries)))
    return together, sum(result.record["source"] == "vault" for result in together)


def loaded(vault: Vault, ids: Collection[str]) -> tuple[dict[str, Any], ...]:
    """The complete entries with the ids ``ids``, in the order of the vault. Unknown ids are left out."""
    return tuple({"entry": entry.record(), "source": "vault"} for entry in vault.entries() if entry.id in ids)


def merged(vault: Iterable[VaultResult], memories: Iterable[VaultResult], limit: int) -> list[VaultResult]:
    """The ``limit`` best results by score. If scores are equal, entries come before memories."""
    return sorted([*vault, *memories], key=lambda result: -result.score)[: max(0, limit)]


def snippet(text: str, profile: SoleriProfile) -> str:
    """The beginning of ``text``, up to a limit in UTF-16 units, with three dots if the text is cut."""
    limit = profile.results.snippet_chars
    if units(text) <= limit:
        return text
    cut = text.encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "replace")
    return f"{cut}..."
