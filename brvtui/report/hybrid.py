"""A hybrid search as text: legs, ladder, the list with its parts, and what was left out."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brvtui.engines.jeffs_brain.trace import HybridHit, HybridTrace
from brvtui.report.words import STATE, plain, signed
from brvtui.text.visible import visible


def hybrid_report(trace: HybridTrace) -> RenderableType:
    """The whole decision for reading."""
    mode = f"{trace.mode.value} (asked for {trace.requested_mode.value})" if trace.fell_back else trace.mode.value
    head = Text.assemble(
        (f" {trace.pipeline.upper()} ", "bold reverse"), f" mode {mode}, intent {trace.intent or 'none'}"
    )
    head.append(f"  {visible(trace.verdict)}").append(f"  {trace.timings.get('total', 0.0):.1f} ms", style="dim")
    rows: list[RenderableType] = [head, Text(f"full-text query: {visible(trace.compiled)}", style="dim"), Text()]
    rows += [_legs(trace), _rungs(trace), Text(), _hits(trace)]
    rows += [Text(f"{error.stage} failed: {visible(error.detail)}", style="red") for error in trace.errors]
    if trace.rerank_skipped:
        rows.append(Text(f"not reranked: {trace.rerank_skipped.value}", style="dim"))
    rows += [Text(f"cannot fire here: {visible(rule)}", style="dim") for rule in trace.idle_rules]
    rows += [Text(f"note: {visible(notice)}", style="yellow") for notice in trace.notices]
    return Group(*rows)


def _legs(trace: HybridTrace) -> Table:
    table = Table.grid(padding=(0, 2))
    for leg in trace.legs:
        mark, word, style = STATE[leg.state]
        counts = "" if leg.counts else "not fused"
        table.add_row(
            leg.name, Text(f"{mark} {word}", style), f"{len(leg.hits)} hits", leg.unit, counts, plain(leg.why, "dim")
        )
    return table


def _rungs(trace: HybridTrace) -> Table:
    table = Table.grid(padding=(0, 2))
    for rung in trace.rungs:
        mark, word, style = STATE[rung.state]
        found = str(rung.hits) if rung.ran else ""
        table.add_row(
            f"  {rung.strategy}", Text(f"{mark} {word}", style), found, plain(rung.query), plain(rung.why, "dim")
        )
    return table


def _hits(trace: HybridTrace) -> Table:
    table = Table.grid(padding=(0, 2))
    for rank, hit in enumerate(trace.hits, start=1):
        table.add_row(
            str(rank), Text.assemble(plain(hit.title), "\n", plain(hit.path, "dim")), f"{hit.score:.5f}", _parts(hit)
        )
    if not trace.hits:
        table.add_row("", Text("no results", style="dim"), "", "")
    return table


def _parts(hit: HybridHit) -> Text:
    text = Text("  ".join(f"{part.name} {signed(part.value)}" for part in hit.parts), style="dim")
    ranks = ", ".join(f"{leg.leg} #{leg.rank + 1}" for leg in hit.legs)
    return text.append(f"\n{ranks}")
