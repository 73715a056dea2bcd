"""The answer of the pipeline with the texts of its notes."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.ranking.fusion import Candidate
from brvtui.trace import Trace


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The answer's notes with their texts, in the order of ``trace.hits``, and how they were found."""

    results: tuple[Candidate, ...]
    trace: Trace
