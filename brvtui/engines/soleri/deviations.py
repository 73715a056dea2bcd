"""Where a profile that does as the program runs made a query differ from the document (``docs/soleri.md``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from brvtui.engines.soleri.matching import terms
from brvtui.engines.soleri.memories import RecalledMemories
from brvtui.engines.soleri.profile import AsRun, SoleriProfile
from brvtui.engines.soleri.search import VaultRanking
from brvtui.engines.soleri.signals import temporal_decay
from brvtui.engines.soleri.vault import Vault


def deviations(
    ranking: VaultRanking, vault: Vault, recalled: RecalledMemories | None, profile: SoleriProfile, now: float
) -> tuple[str, ...]:
    """Each switch of the program's that made a difference to ``ranking``, or to what was recalled, in words."""
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
                "an entry's age is not known, so only a validity window decays it (D03)",
            ),
            (
                as_run.heaviest_copy and _another_copy_stands(ranking, vault),
                "of two copies of an entry the one with the higher weighted score stands (D04)",
            ),
            (
                as_run.source_limit and _a_tier_is_cut(ranking, vault, profile),
                f"each tier gives {profile.limits.source} candidates, whatever the limit (D05)",
            ),
            (
                recalled is not None and as_run.memories_untransformed and terms(query, as_run) != (query,),
                "memories are searched by the query as it is typed (D06)",
            ),
            (
                as_run.hybrid_without_vectors and ranking.dense is not None and ranking.dense.query is None,
                "the hybrid weights stay although the query has no vector (D20)",
            ),
        )
        if is_on
    )


def _terms_differ(query: str, as_run: AsRun, switch: str) -> bool:
    return terms(query, as_run) != terms(query, replace(as_run, **{switch: False}))


def _ages(ranking: VaultRanking, profile: SoleriProfile, now: float) -> Iterator[bool]:
    """For each candidate, whether its dates would have changed its decay."""
    for found in ranking.ranked:
        yield temporal_decay(found.entry, now, profile.decay) != found.signals.temporal_decay


def _another_copy_stands(ranking: VaultRanking, vault: Vault) -> bool:
    weights = {tier.name: tier.weight for tier in vault.tiers}
    return any(weights[copy.lost.tier] > weights[copy.winner.tier] for copy in ranking.pool.lost)


def _a_tier_is_cut(ranking: VaultRanking, vault: Vault, profile: SoleriProfile) -> bool:
    most = profile.limits.source
    found = [*ranking.pool.found, *(copy.lost for copy in ranking.pool.lost)]
    return vault.federated and most < ranking.fetch_limit and any(hit.rank >= most for hit in found)
