"""A stub index, embedder and reranker, and hybrid searches in the format of the recordings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from brvtui.engines.contract import Context, Query
from brvtui.engines.jeffs_brain.engine import JeffsBrain
from brvtui.engines.jeffs_brain.index import Chunk, ChunkIndex, ChunkRow, RankedHit, index_rows
from brvtui.engines.jeffs_brain.pipeline import Request, Retrieved, Sources, retrieve
from brvtui.engines.jeffs_brain.profile import HybridProfile, load
from brvtui.engines.jeffs_brain.sections import Hybrid, RetrievalMode
from brvtui.engines.text_vectors import VectorTable
from brvtui.ranking.fusion import Candidate
from brvtui.services.legs import LegError, RerankDocument, Reranked
from brvtui.services.provided import NoServices
from brvtui.snapshot import Snapshot
from brvtui.text.query_language import ParsedQuery, compile_fts, parse
from brvtui.text.trigrams import TrigramIndex
from brvtui.trace import Ladder, Rung, Trace

DATA = Path(__file__).parents[1] / "data" / "jeffs_brain"
JEFFS: HybridProfile = load()


def index_chunks(chunks: Sequence[Chunk], profile: HybridProfile) -> ChunkIndex:
    """The index of ``chunks`` in their order."""
    return index_rows([ChunkRow(chunk) for chunk in chunks], profile)


def family(name: str) -> dict[str, Any]:
    """A file of recorded answers."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def parsed(query: str) -> ParsedQuery:
    """A query as the profile reads it."""
    return parse(query, JEFFS.query.stopped, JEFFS.query.word_length)


def candidate(value: Mapping[str, Any]) -> Candidate:
    """A candidate in the format of the recordings."""
    return Candidate(
        value["id"],
        value["path"],
        value.get("title", ""),
        value.get("summary", ""),
        value.get("content", ""),
        value.get("bm25Rank"),
        value.get("vectorSimilarity"),
    )


class StubIndex:
    """Looks up answers by the compiled text, or returns them in sequence; counts its calls."""

    def __init__(self, index: Mapping[str, Any], names: Sequence[Mapping[str, Any]] | None = None) -> None:
        self.index = index
        self.chunks = {chunk["id"]: candidate(chunk) for chunk in index["chunks"]}
        supplied = index["chunks"] if names is None else names
        self.named = [candidate(chunk) for chunk in supplied]
        self.names = TrigramIndex((entry.id, entry.path) for entry in self.named)
        self.sequence = list(index.get("bm25_sequence", []))
        self.calls: list[str] = []

    def bm25(self, query: ParsedQuery, limit: int) -> list[RankedHit]:
        compiled = compile_fts(query)
        assert compiled
        self.calls.append(compiled)
        if len(self.calls) == 1 and "bm25_error" in self.index:
            raise LegError(self.index["bm25_error"]["message"])
        if "bm25_sequence" in self.index:
            ids = self.sequence.pop(0) if self.sequence else []
        else:
            ids = self.index.get("bm25", {}).get(compiled, [])
        return [RankedHit(self.chunks[name], 1.0) for name in ids[:limit]]

    def like_names(self, tokens: Sequence[str], limit: int) -> list[RankedHit]:
        found = self.names.search(tokens, limit, JEFFS.trigrams.least)
        return [RankedHit(self.named[entry.position], entry.similarity) for entry in found]

    def nearest(self, vector: Sequence[float], limit: int) -> list[RankedHit]:
        hits = self.index.get("vector_hits", [])[:limit]
        return [RankedHit(self.chunks[hit["id"]], hit["similarity"]) for hit in hits]


class StubEmbedder:
    """The recorded vectors."""

    name = "stub"

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value

    def embed(self, texts: Sequence[str]) -> list[Sequence[float]]:
        if "error" in self.value:
            raise LegError(self.value["error"])
        by_text = self.value.get("by_text", {})
        return [by_text[text] if text in by_text else self.value["default"] for text in texts]


class StubReranker:
    """The recorded scores; equal ones keep the order that was sent."""

    name = "stub"

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value
        self.seen: list[dict[str, str]] | None = None

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> list[Reranked]:
        self.seen = [{"id": document.id, "text": document.text} for document in documents]
        if "error" in self.value:
            raise LegError(str(self.value["error"]))
        standard = self.value.get("default_score", 0)
        scores = [self.value.get("scores", {}).get(document.id, standard) for document in documents]
        order = sorted(range(len(scores)), key=lambda position: -scores[position])
        return [Reranked(position, scores[position]) for position in order]


def request(value: Mapping[str, Any]) -> Request:
    """A request in the format of the recordings."""
    return Request(
        value["query"],
        RetrievalMode(value["mode"]) if "mode" in value else None,
        value.get("topK"),
        value.get("candidateK"),
        value.get("rerankTopN"),
        value.get("rerank"),
        value.get("skipRetryLadder", False),
    )


def ask(case: Mapping[str, Any], index: Any, reranker: StubReranker | None = None) -> Retrieved:
    """The search of a recorded input."""
    embedder = StubEmbedder(case["embedder"]) if "embedder" in case else None
    sources = Sources(index, embedder, reranker, case.get("aliases", {}))
    return retrieve(request(case["request"]), sources, JEFFS)


def shown(trace: Trace) -> dict[str, Any]:
    """A trace under the recorded names."""
    attempts = [{"strategy": rung.strategy, "query": rung.query, "hits": rung.hits} for rung in attempts_of(trace)]
    return {
        "mode": trace.section(Hybrid).mode.value,
        "originalQuery": trace.query,
        "compiledQuery": trace.section(Hybrid).compiled,
        "candidateK": trace.section(Hybrid).candidate_k,
        "rrfK": trace.section(Hybrid).rrf_k,
        "bm25Count": len(trace.leg("bm25").hits),
        "vectorCount": len(trace.leg("vector").hits),
        "fusedCount": trace.section(Hybrid).fused,
        "fellBackToBM25": trace.section(Hybrid).fell_back,
        "reranked": trace.section(Hybrid).reranked,
        "rerankSkippedReason": trace.section(Hybrid).rerank_skipped.value
        if trace.section(Hybrid).rerank_skipped
        else None,
        "unanimity": None
        if trace.section(Hybrid).agreements is None
        else {"agreements": trace.section(Hybrid).agreements},
        "attempts": attempts,
        "errorStage": error_stage(trace),
    }


def corpus_index(chunks: Sequence[Mapping[str, Any]]) -> ChunkIndex:
    """The project's own index over recorded chunks and their vectors."""
    result = index_chunks(
        [
            Chunk(
                chunk["id"],
                chunk["path"],
                chunk.get("title", ""),
                chunk.get("summary", ""),
                chunk.get("tags", ""),
                chunk.get("content", ""),
            )
            for chunk in chunks
        ],
        JEFFS,
    )
    if not chunks or "embedding" not in chunks[0]:
        return result
    matrix = np.asarray([chunk["embedding"] for chunk in chunks], dtype=np.float32)
    return replace(result, table=VectorTable(matrix, np.arange(len(chunks))))


def ids_of(trace: Trace) -> list[str]:
    """The ids in the answer, in order."""
    return [placed.id for placed in trace.section(Hybrid).ranking[: len(trace.hits)]]


def error_stage(trace: Trace) -> str:
    """The first part that failed; empty if none failed."""
    return next((error.stage for error in trace.section(Hybrid).errors), "")


def attempts_of(trace: Trace) -> tuple[Rung, ...]:
    """The steps of the ladder that searched and were answered."""
    return tuple(rung for rung in trace.section(Ladder).rungs if rung.ran)


class Kept:
    """Vectors in memory instead of the store's file."""

    def __init__(self) -> None:
        self.vectors: dict[str, np.ndarray] = {}

    def read(self) -> Mapping[str, np.ndarray]:
        return self.vectors

    def write(self, vectors: Mapping[str, np.ndarray]) -> None:
        self.vectors = dict(vectors)


class Brain:
    """The engine over snapshots, with the test's services."""

    def __init__(self, embedder: Any = None, reranker: Any = None, kept: Kept | None = None) -> None:
        self.engine = JeffsBrain()
        self.services = NoServices()
        self.services.embedder = embedder
        self.services.reranker = reranker
        held = kept or Kept()
        self.services.vectors = lambda model: held  # type: ignore[method-assign]

    def context(self, snapshot: Snapshot) -> Context[HybridProfile]:
        return Context(snapshot, JEFFS, 0.0, self.services)

    def ask(self, snapshot: Snapshot, asked: Request) -> Retrieved:
        given = {option.name: getattr(asked, option.name) for option in fields(asked)}
        text, preview, scope = given.pop("query"), given.pop("preview"), given.pop("scope")
        options = {name: value for name, value in given.items() if value is not None}
        return self.engine.retrieve(self.context(snapshot), Query(text, scope, run=not preview, options=options))

    def prepare(
        self,
        snapshot: Snapshot,
        progress: Callable[[int, int], None] = lambda made, wanted: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.engine.prepare(self.context(snapshot), progress, cancelled)
