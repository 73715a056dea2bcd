"""Every recorded answer of the real Soleri core through the project's own public functions: a test for each family.

If the document and the program differ, the document takes precedence, and the profile ``soleri-code`` gives the
program's own answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from brvtui.engines import text_vectors
from brvtui.engines.embedding import never_cancelled
from brvtui.engines.soleri import vectors as dense
from brvtui.engines.soleri.entries import memory
from brvtui.engines.soleri.matching import expression
from brvtui.engines.soleri.memories import FeedbackCounts, adapted_weights, search_memories
from brvtui.engines.soleri.profile import load_profile
from brvtui.engines.soleri.results import default_limit, merged, shaped, shaped_memory
from brvtui.engines.soleri.search import VaultRequest, search
from brvtui.engines.soleri.signals import EntrySignals, jaccard, severity_of, temporal_decay
from brvtui.engines.soleri.vault import CandidatePool
from brvtui.engines.soleri.vectors import SparseVector, dot, norm, term_frequencies, tokenize
from brvtui.services.legs import LegError
from tests.engines.soleri import recorded
from tests.engines.soleri.recorded import DATA, Case, agree, answers, cases

SEED, AS_RUN = load_profile(""), load_profile("soleri-code")
FAMILIES = 21
CLOSE, EXACT = 1e-9, 1e-12


def check(family: str, ours: Any, tolerance: float) -> None:
    """Checks every case of ``family`` under the document's profile; conflicts under the program's, too."""
    held = cases(family)
    assert held
    for case in held:
        found = ours(case["input"], SEED)
        assert any(agree(found, wanted, tolerance) for wanted in answers(case)), (case["name"], found, answers(case))
        if case["authority"] == "conflict":
            as_run = ours(case["input"], AS_RUN)
            assert agree(as_run, case["expected"], tolerance), (case["name"], as_run, case["expected"])


def tied(case: Case, results: Sequence[dict[str, Any]], wanted: Any) -> list[dict[str, Any]]:
    """The results, with those of equal scores in the recorded order if the case has ties."""
    return recorded.in_their_order(results, wanted["results"]) if case.get("ties") else list(results)


def check_rankings(family: str) -> None:
    """Checks every case of a family that ranks a whole vault."""
    for case in cases(family):
        for profile, wanted in [(SEED, answers(case)[0])] + (
            [(AS_RUN, case["expected"])] if case["authority"] == "conflict" else []
        ):
            results = tied(case, recorded.rows(recorded.run(case["input"], profile)), wanted)
            assert agree(results, wanted["results"], CLOSE), (case["name"], profile.name, results)


def test_fts_bm25_matches_the_recording() -> None:
    for case in cases("fts_bm25"):
        given = case["input"]
        assert expression(given["query"], SEED.as_run) == given["fts_query"], case["name"]
        tier = recorded.vault(given, SEED).tiers[0]
        limit = SEED.limits.search if given["limit"] is None else given["limit"]
        found = tier.search(given["query"], SEED, given["now"], limit, recorded.filters(given["filters"]))
        results = [{"id": hit.entry.id, "score": hit.bm25} for hit in found]
        assert agree(results, case["expected"]["results"]), case["name"]
        everything = tier.search(given["query"], SEED, given["now"], len(tier.entries))
        raw = {hit.entry.id: -hit.bm25 for hit in everything}
        assert agree(raw, case["expected"]["raw_bm25"] or {}), case["name"]
        assert raw.keys() == (case["expected"]["raw_bm25"] or {}).keys(), case["name"]


def test_candidate_filters_match_the_recording() -> None:
    for case in cases("candidate_filters"):
        given = case["input"]
        tier = recorded.vault(given, SEED).tiers[0]
        found = tier.search(
            given["query"], SEED, given["now"], SEED.limits.search, include_expired=given["include_expired"]
        )
        assert sorted(hit.entry.id for hit in found) == sorted(case["expected"]["ids"]), case["name"]


def cosine(first: SparseVector, second: SparseVector) -> float:
    return dot(first, second, norm(first) * norm(second))


def of_similarity(case: Case, _: Any) -> Any:
    match case["kind"]:
        case "cosine":
            return cosine(case["a"], case["b"])
        case "jaccard":
            return jaccard(case["a"], case["b"])
        case "tf":
            return term_frequencies(case["tokens"])
    raise AssertionError(case["kind"])


def of_tfidf(case: Case, profile: Any) -> Any:
    vault = recorded.vault(case, profile)
    vocabulary = vault.vocabulary(case["now"])
    query = vocabulary.measured(case["query"])[0]
    of_entries = {entry.id: vocabulary.measured(entry.compared)[0] for entry in vault.entries()}
    return {
        "vocabulary": {term: vocabulary.idfs[term] for term, count in vocabulary.frequencies.items() if count},
        "query_tokens": tokenize(case["query"]),
        "query_vector": query,
        "entry_vectors": of_entries,
        "cosine": {id_: cosine(query, vector) for id_, vector in of_entries.items()},
    }


def test_tfidf_vectors_have_the_recorded_terms() -> None:
    for case in cases("tfidf"):
        found = of_tfidf(case["input"], SEED)
        assert found["vocabulary"].keys() == case["expected"]["vocabulary"].keys()
        assert found["query_vector"].keys() == case["expected"]["query_vector"].keys()


def of_temporal_decay(case: Case, profile: Any) -> float:
    record = {"id": "a", "type": "rule", "domain": "d", "title": "t", "severity": "warning", "description": ""}
    dates = {name: case[name] for name in ("created_at", "updated_at")}
    window = {"validFrom": case["valid_from"], "validUntil": case["valid_until"]}
    return temporal_decay(recorded.entry({**record, **window}, case["now"], dates), case["now"], profile.decay)


def of_signals(case: Case, profile: Any) -> dict[str, float]:
    given, now = case["entry"], case["now"]
    record = {"id": "a", "type": "rule", "title": "t", "description": "", **given}
    window = {"validFrom": given["valid_from"], "validUntil": given["valid_until"]}
    dates = {name: given.get(name, now) for name in ("created_at", "updated_at")}
    entry = recorded.entry({**record, **window}, now, dates)
    signals = EntrySignals(
        0.0,
        case["vector_similarity"] or 0.0,
        severity_of(entry.severity, profile.severity),
        temporal_decay(entry, now, profile.decay),
        jaccard(case["query_tags"] or (), entry.tags) if case["query_tags"] else 0.0,
        float(bool(case["query_domain"]) and case["query_domain"] == entry.domain),
        case["graph_proximity"],
    )
    weights = adapted_weights(FeedbackCounts(), case["mode"] == "hybrid", profile)
    return {
        "semantic": signals.semantic,
        "vector": signals.vector,
        "severity": signals.severity,
        "temporalDecay": signals.temporal_decay,
        "tagOverlap": signals.tag_overlap,
        "domainMatch": signals.domain_match,
        "graphProximity": signals.graph_proximity,
        "total": signals.total(weights),
    }


def test_ranking_fts_matches_the_recording() -> None:
    for case in cases("ranking_fts"):
        pool = recorded.run(case["input"], SEED).pool
        assert [hit.entry.id for hit in pool.found] == case["expected"]["fts_order"], case["name"]


def of_adaptive_weights(case: Case, profile: Any) -> Any:
    weights = adapted_weights(FeedbackCounts(**case["feedback"]), case["embedding_provider"], profile)
    return {
        "weights": {
            "semantic": weights.semantic,
            "vector": weights.vector,
            "severity": weights.severity,
            "temporalDecay": weights.temporal_decay,
            "tagOverlap": weights.tag_overlap,
            "domainMatch": weights.domain_match,
            "graphProximity": weights.graph_proximity,
        }
    }


def of_overfetch_guard(case: Case, profile: Any) -> Any:
    ranking = recorded.run(case, profile)
    ids = [found.entry.id for found in ranking.results]
    return {"fetch_limit": ranking.fetch_limit, "count": len(ids), "ids": ids}


def of_federation(case: Case, profile: Any) -> Any:
    pool: CandidatePool = recorded.vault(case, profile).pool(case["query"], profile, case["now"], case["limit"])
    return {"results": [{"id": hit.entry.id, "source": hit.tier, "score": hit.weighted} for hit in pool.found]}


def retrieved(case: Case, profile: Any) -> list[dict[str, Any]]:
    """The result of the operation ``search_intelligent``."""
    params = case["params"]
    shape = params.get("mode", "full")
    limit = params.get("limit") or default_limit(shape, profile)
    request = VaultRequest(params["query"], limit, recorded.filters(params))
    weights = adapted_weights(FeedbackCounts(), False, profile)
    ranking = search(recorded.vault(case, profile), request, profile, weights, case["now"])
    memories = []
    if params.get("includeMemories"):
        held = [memory(record) for record in case["memories"]]
        memories = search_memories(held, params["query"], profile, limit)
    results = merged(
        (shaped(candidate, shape, profile) for candidate in ranking.results),
        (shaped_memory(found, shape, profile) for found in memories),
        limit,
    )
    return [result.record for result in results]


def test_results_have_the_recorded_keys() -> None:
    for case in cases("result_shapes"):
        for ours, theirs in zip(retrieved(case["input"], SEED), case["expected"]["results"], strict=True):
            assert ours.keys() == theirs.keys()
            if "entry" in theirs:
                assert ours["entry"].keys() == theirs["entry"].keys()


def of_memory_merge(case: Case, profile: Any) -> Any:
    def under_one_name(record: dict[str, Any]) -> dict[str, Any]:
        return {**record.get("entry", {}), **record}

    return {"results": [under_one_name(record) for record in retrieved(case, profile)]}


def of_vector_search(case: Case, _: Any) -> Any:
    held = {}
    for id_, numbers, *model in case["steps"]:
        held[id_] = recorded.stored_vector(numbers, model[0] if model else "m1")
    hits = dense.nearest_of(dense.VectorIndex(held).cosines(case["query_vector"]), case["top_k"])
    return {
        "stored": {
            id_: {"vector": kept.numbers.tolist(), "model": kept.model, "dimensions": len(kept.numbers)}
            for id_, kept in held.items()
        },
        "blob_hex": {id_: kept.numbers.astype("<f4").tobytes().hex() for id_, kept in held.items()},
        "hits": [{"entryId": id_, "similarity": value} for id_, value in hits],
    }


def test_vault_vectors_stop_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "MOST_NUMBERS", 10)
    entries = [recorded.entry(record, 0) for record in cases("embedding_pipeline")[0]["input"]["entries"]][:1] * 4
    entries = [replace(entry, id=str(place)) for place, entry in enumerate(entries)]
    lengths = iter([2, 6, 2, 6])
    kept: dict[str, Any] = {}
    made = dense.embed_entries(
        entries, kept, "m", lambda texts: [[1.0] * next(lengths)], 1, True, never_cancelled, lambda done, of: None
    )
    assert (made.embedded, made.failed, len(kept)) == (2, 2, 2)
    assert made.error == "the vectors would need more than 10 numbers: choose a model with shorter vectors"
    made = dense.embed_entries(
        entries[:2], kept, "n", lambda texts: [[1.0] * 5], 1, True, never_cancelled, lambda done, of: None
    )
    assert (made.embedded, made.error, [len(vector.numbers) for vector in kept.values()]) == (2, "", [5, 5])


def test_embedding_pipeline_matches_the_recording() -> None:
    def ours(case: Case, profile: Any) -> Any:
        kept = {id_: recorded.stored_vector([1.0], model) for id_, model in case["existing"].items()}
        calls: list[list[str]] = []

        def embed(texts: Sequence[str]) -> list[list[float]]:
            calls.append(sorted(texts))
            if len(calls) - 1 in case["fail_batches"]:
                raise LegError("the provider fails")
            return [[float(len(text))] for text in texts]

        made = dense.embed_entries(
            [recorded.entry(record, 0) for record in case["entries"]],
            kept,
            case["model"],
            embed,
            case["batch_size"] or profile.vectors.batch,
            profile.vectors.re_embed,
            never_cancelled,
            lambda done, of: None,
        )
        return {
            "embedded": made.embedded,
            "failed": made.failed,
            "batch_sizes": list(map(len, calls)),
            "calls": calls,
            "vectors_of": {id_: vector.model for id_, vector in kept.items()},
        }

    for case in cases("embedding_pipeline"):
        found, wanted = ours(case["input"], SEED), dict(case["expected"])
        del wanted["tokens_used"]  # our services do not report this number
        if wanted["calls"] is None:
            del wanted["calls"]
        assert agree(found, wanted), (case["name"], found)
        assert found["vectors_of"] == wanted["vectors_of"]


OURS: dict[str, tuple[Callable[[Case, Any], Any], float]] = {
    "adaptive_weights": (of_adaptive_weights, CLOSE),
    "federation": (of_federation, CLOSE),
    "fts_query": (lambda case, profile: {"fts_query": expression(case["query"], profile.as_run)}, CLOSE),
    "memory_merge": (of_memory_merge, CLOSE),
    "overfetch_guard": (of_overfetch_guard, CLOSE),
    "result_shapes": (lambda case, profile: {"results": retrieved(case, profile)}, CLOSE),
    "signals": (of_signals, CLOSE),
    "similarity": (of_similarity, EXACT),
    "temporal_decay": (of_temporal_decay, CLOSE),
    "tfidf": (of_tfidf, EXACT),
    "tokenizer": (lambda case, _: {"tokens": tokenize(case["text"])}, EXACT),
    "vector_search": (of_vector_search, EXACT),
}
"""Families whose recorded answer depends only on the input and a profile, each with its tolerance."""
RANKED = (
    "federated_ranking", "graph_proximity", "random_pipeline", "ranking_fts", "ranking_hybrid", "temporal_pipeline",
)  # fmt: skip
"""Families that rank a whole vault."""


@pytest.mark.parametrize("family", OURS)
def test_recorded_results_match(family: str) -> None:
    check(family, *OURS[family])


@pytest.mark.parametrize("family", RANKED)
def test_recorded_rankings_match(family: str) -> None:
    check_rankings(family)


def test_every_recorded_family_has_a_test() -> None:
    tested = {found[1] for name in globals() if (found := re.fullmatch(r"test_(\w+)_match(?:es)?_the_recording", name))}
    families = {file.stem for file in DATA.glob("*.json")}
    assert families <= {*OURS, *RANKED, *tested}
    assert len(families) == FAMILIES
