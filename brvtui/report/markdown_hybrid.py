"""A trace of the hybrid pipeline as Markdown: legs, ladder, fused and reranked list."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.report.markdown_rungs import rungs
from brvtui.report.markdown_text import bold, heading, paragraph, path, table
from brvtui.report.words import ended, signed


def hybrid_blocks(trace: HybridTrace) -> Iterator[str]:
    """The blocks of the document below its title."""
    mode = f"{trace.mode.value} (asked for {trace.requested_mode.value})" if trace.fell_back else trace.mode.value
    facts = [
        ("query", trace.query),
        ("full-text query", trace.compiled),
        ("pipeline", trace.pipeline),
        ("mode", mode),
        ("intent", trace.intent),
        ("embedder", trace.embedder or "none"),
        ("reranker", trace.reranker or "none"),
        ("reranked", _reranked(trace)),
        ("in the list", str(trace.fused)),
    ]
    yield table(("fact", "value"), facts)
    yield heading(2, "Legs")
    legs = [
        (leg.name, ended(leg.state), str(len(leg.hits)), leg.unit, "yes" if leg.counts else "no", leg.why)
        for leg in trace.legs
    ]
    yield table(("leg", "ended", "hits", "unit", "fused", "why"), legs, ("hits",))
    yield heading(2, "Retry ladder")
    yield rungs(trace.rungs) or paragraph("Not run.")
    yield heading(2, "Results")
    yield _results(trace) or paragraph("No results.")
    yield from (paragraph(f"{error.stage} failed: {error.detail}") for error in trace.errors)
    yield from (paragraph(notice) for notice in trace.notices)


def _reranked(trace: HybridTrace) -> str:
    if trace.rerank_skipped:
        return f"no: {trace.rerank_skipped.value}"
    return "yes" if trace.reranked else "no"


def _results(trace: HybridTrace) -> str:
    rows = [
        (
            str(rank),
            hit.title,
            path(hit.path),
            bold(f"{hit.score:.5f}"),
            ", ".join(f"{part.name} {signed(part.value)}" for part in hit.parts),
            ", ".join(f"{leg.leg} {leg.rank + 1}" for leg in hit.legs),
        )
        for rank, hit in enumerate(trace.hits, start=1)
    ]
    return table(("rank", "note", "path", "score", "made of", "rank in legs"), rows, ("rank", "score"))
