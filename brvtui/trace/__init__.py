"""The vocabulary of explanation: what one query did, as plain frozen data.

Panes, JSON, ``explain`` and tests read a :class:`Trace` and compute nothing themselves. Two invariants hold for
every trace (``docs/engine.md``, "What always holds"):

* the parts of a :class:`Hit` sum to its score within :data:`SUM_TOLERANCE`;
* every :class:`Stage` conserves its counts: ``came_in - dropped == went_out``.

Timings sit in :attr:`Trace.timings` alone, so that everything else is a function of snapshot, query, profile and
clock.
"""

from __future__ import annotations

from brvtui.trace.answers import INSTRUCTIONS, Answer, Lane, Prompt, Section
from brvtui.trace.cache import CacheEntry, CacheLook, FingerprintState
from brvtui.trace.checks import Check, Stage, State
from brvtui.trace.completions import Cited, Completion, Ended, ModelTurn, ToolStep, Usage
from brvtui.trace.hits import MOST_LISTED, Hit, Kind, Lift, Listed, NearMiss, Origin, listed
from brvtui.trace.ladder import Ladder, Rung
from brvtui.trace.plain import to_plain
from brvtui.trace.reading import MatchKind, QueryLint, QueryWord, Scope, TermExpansion, TermMatch
from brvtui.trace.scores import (
    SUM_TOLERANCE,
    Aged,
    Ceiling,
    Contribution,
    Detail,
    Horizon,
    Part,
    Scored,
    TextScore,
    adds_up,
    parts_gap,
)
from brvtui.trace.searches import Attempt, EntitySearch, EntityStep, Found, Search
from brvtui.trace.traces import SCHEMA, Outcome, Snapshotted, Step, Trace

__all__ = [
    "INSTRUCTIONS",
    "MOST_LISTED",
    "SCHEMA",
    "SUM_TOLERANCE",
    "Aged",
    "Answer",
    "Attempt",
    "CacheEntry",
    "CacheLook",
    "Ceiling",
    "Check",
    "Cited",
    "Completion",
    "Contribution",
    "Detail",
    "Ended",
    "EntitySearch",
    "EntityStep",
    "FingerprintState",
    "Found",
    "Hit",
    "Horizon",
    "Kind",
    "Ladder",
    "Lane",
    "Lift",
    "Listed",
    "MatchKind",
    "ModelTurn",
    "NearMiss",
    "Origin",
    "Outcome",
    "Part",
    "Prompt",
    "QueryLint",
    "QueryWord",
    "Rung",
    "Scope",
    "Scored",
    "Search",
    "Section",
    "Snapshotted",
    "Stage",
    "State",
    "Step",
    "TermExpansion",
    "TermMatch",
    "TextScore",
    "ToolStep",
    "Trace",
    "Usage",
    "adds_up",
    "listed",
    "parts_gap",
    "to_plain",
]
