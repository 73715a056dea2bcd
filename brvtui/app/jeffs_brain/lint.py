"""How a hybrid search reads the query."""

from __future__ import annotations

from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Span

Group = tuple[int, list[Span]]


def lint(trace: HybridTrace, scope: str, glyphs: Glyphs) -> list[Group]:
    """The groups of the line with their weights: the compiled query, the intent, a scope that does not count."""
    compiled: list[Span] = [("searched ", "muted"), (trace.compiled, "text")]
    groups: list[Group] = [(9, compiled if trace.compiled else [("no word to search for", "warn")])]
    groups.append((7, [("intent ", "muted"), (trace.intent or "none", "accent" if trace.intent else "text")]))
    if scope:
        groups.append((8, [(f"{glyphs.warn} a scope is ByteRover's: the whole tree is searched", "warn")]))
    return groups
