"""The sentence that says why a query got its answer, as text, for a trace of any engine."""

from __future__ import annotations

from brvtui.engines.registry import presentation
from brvtui.paint.sentence import plain
from brvtui.trace import Trace


def verdict_sentence(trace: Trace) -> str:
    """Why the query of ``trace`` got its answer: one sentence in the words of its engine."""
    return plain(presentation(trace.engine).sentence(trace))
