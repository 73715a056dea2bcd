"""The verdict of a hybrid search."""

from __future__ import annotations

from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.line import Line, badge
from brvtui.paint.text import ms

STEPS = {"words": "", "retry_ladder": "", "vectors": "", "fusion": "", "intent": "", "rerank": ""}
"""The steps of any answer; none is a tier."""


def verdict(trace: HybridTrace, busy: str, width: int) -> Line:
    """Which lists made the answer, and what came of it."""
    role = "tier-2" if trace.hits else "tier-none"
    made = badge("JEFFS BRAIN", role).add(f" {trace.mode.value}", f"bold {role}")
    if trace.fell_back:
        made.add(f" (not {trace.requested_mode.value}: no embedder)", "warn")
    made.add("  ").add(trace.verdict, "strong")
    right = Line()
    if busy:
        right.add(f"{busy} ", "warn")
    elif trace.errors:
        right.add(f"{' and '.join(error.stage for error in trace.errors)} failed ", "bad")
    right.add(ms(trace.timings["total"]) if trace.timings.get("total") else "", "muted")
    return made.right(width - 1, right)
