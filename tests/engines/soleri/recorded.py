"""Recorded answers of the real Soleri core: reading a family, building a vault from a case's input, comparing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from brvtui.engines.soleri.entries import COLUMNS, VaultEntry
from brvtui.engines.soleri.memories import FeedbackCounts, adapted_weights
from brvtui.engines.soleri.profile import SoleriProfile
from brvtui.engines.soleri.search import Dense, VaultRanking, VaultRequest, search
from brvtui.engines.soleri.signals import NAMES
from brvtui.engines.soleri.vault import Filters, Tier, Vault, link_graph, tier_weight
from brvtui.engines.soleri.vectors import StoredVector, VectorIndex
from brvtui.text.fts import IndexLayout, full_text

DATA = Path(__file__).parents[2] / "data" / "soleri"
Case = dict[str, Any]


def cases(family: str) -> list[Case]:
    """Every case of a family."""
    made: list[Case] = json.loads((DATA / f"{family}.json").read_text(encoding="utf-8"))["cases"]
    return made


def answers(case: Case) -> list[Any]:
    """The accepted answers of a case: the seed's answer if it differs, and both readings if the seed has two."""
    if case["authority"] == "conflict":
        return [case["seed_expected"]]
    return [case["expected"], *([case["alt_expected"]] if case["authority"] == "ambiguous" else [])]


def agree(ours: Any, theirs: Any, tolerance: float = 1e-9) -> bool:
    """True if ``ours`` contains everything in ``theirs``, with numbers within a relative ``tolerance``."""
    if isinstance(theirs, Mapping):
        return all(name in ours and agree(ours[name], value, tolerance) for name, value in theirs.items())
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(agree(a, b, tolerance) for a, b in zip(ours, theirs, strict=True))
    if isinstance(theirs, int | float) and not isinstance(theirs, bool):
        return math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance * 1e-3)
    return bool(ours == theirs)


def entry(record: Mapping[str, Any], now: float, dates: Mapping[str, Any] | None = None) -> VaultEntry:
    """An entry of a recorded case, created and updated at ``now`` unless ``dates`` differ."""
    given = dates or {}
    return VaultEntry(
        record["id"],
        record["type"],
        record["domain"],
        record["title"],
        record["severity"],
        record["description"],
        tuple(record.get("tags") or ()),
        record.get("context") or "",
        record.get("example") or "",
        record.get("counterExample") or "",
        record.get("why") or "",
        valid_from=record.get("validFrom"),
        valid_until=record.get("validUntil"),
        created_at=given.get("created_at", now),
        updated_at=given.get("updated_at", now),
    )


def tier_of(name: str, weight: float, entries: Iterable[VaultEntry]) -> Tier:
    """The tier of ``entries`` in their order."""
    held = tuple(entries)
    return Tier(name, weight, held, full_text(IndexLayout(COLUMNS), [entry.columns for entry in held]))


def stored_vector(numbers: Sequence[float], model: str) -> StoredVector:
    """A vector computed with ``model``."""
    return StoredVector(np.asarray(numbers, dtype=np.float32), model)


def vault(case: Mapping[str, Any], profile: SoleriProfile) -> Vault:
    """The vault of a case: its entries, or its tiers and the connected sources."""
    now, dates = case["now"], case.get("dates") or {}
    weights = case.get("weights") or {}

    def made(records: Iterable[Mapping[str, Any]]) -> list[VaultEntry]:
        return [entry(record, now, dates.get(record["id"])) for record in records]

    if "tiers" in case:
        tiers = [
            tier_of(name, weights.get(name, tier_weight(name, profile.tiers)), made(records))
            for name, records in case["tiers"].items()
        ] + [
            tier_of(
                source["name"],
                source["priority"] if source.get("priority") is not None else profile.tiers.named,
                made(source["entries"]),
            )
            for source in case["connected"]
        ]
    else:
        tiers = [tier_of("agent", 1.0, made(case["entries"]))]
    stored = {id_: stored_vector(numbers, "m1") for id_, numbers in (case.get("vectors") or {}).items()}
    return Vault(tuple(tiers), link_graph(case.get("links") or ()), VectorIndex(stored), "tiers" in case)


def filters(options: Mapping[str, Any]) -> Filters:
    """The filters among a case's options."""
    return Filters(*(options.get(name) or "" for name in ("domain", "type", "severity")))


def run(case: Mapping[str, Any], profile: SoleriProfile) -> VaultRanking:
    """The whole search of a case."""
    options = case.get("options") or {}
    limit = options.get("limit", case.get("limit"))
    fails = case.get("embedding_fails", False)
    dense = Dense(None if fails else case["query_vector"]) if fails or case.get("query_vector") else None
    request = VaultRequest(
        case["query"],
        profile.limits.search if limit is None else limit,
        filters(options),
        tuple(options.get("tags") or ()),
    )
    weights = adapted_weights(FeedbackCounts(), dense is not None, profile)
    return search(vault(case, profile), request, profile, weights, case["now"], dense)


def rows(ranking: VaultRanking) -> list[dict[str, Any]]:
    """The results under the names in recorded cases."""
    names = {
        "temporal_decay": "temporalDecay",
        "tag_overlap": "tagOverlap",
        "domain_match": "domainMatch",
        "graph_proximity": "graphProximity",
    }
    made = []
    for found in ranking.results:
        signals = {names.get(name, name): getattr(found.signals, name) for name in NAMES}
        made.append(
            {
                "id": found.entry.id,
                "title": found.entry.title,
                "score": found.score,
                "breakdown": {**signals, "total": found.score},
                "graph_proximity": found.signals.graph_proximity,
                **signals,
            }
        )
    return made


def in_their_order(ours: Sequence[dict[str, Any]], theirs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """``ours`` with groups of equal scores in the order of ``theirs``, because the order of ties is undefined."""
    place = {result["id"]: at for at, result in enumerate(theirs)}
    return sorted(ours, key=lambda result: (-round(result["score"], 9), place.get(result["id"], len(place))))
