"""The data that explains an answer: the whole decision about one query, in frozen dataclasses.

Panes, JSON, ``explain`` and tests read a :class:`Trace` and compute nothing themselves. Two invariants hold for the
traces of every engine (``docs/explanation/invariants.md``, "What always holds"):

* the parts of a :class:`Hit` add up to its score within :data:`SUM_TOLERANCE`;
* every :class:`Stage` conserves its counts: ``came_in - dropped == went_out``.

Only :attr:`Trace.timings` contains timings; everything else depends only on the snapshot, the query, the constants and
the clock. Data specific to one engine is in :attr:`Trace.sections`, in types that the engine defines.
"""

from __future__ import annotations

from brvtui.trace.answers import (
    INSTRUCTIONS,
    Answer,
    Cited,
    Completion,
    EndReason,
    Lane,
    ManifestPlace,
    ModelPrompt,
    ModelTurn,
    PromptSection,
    ToolStep,
    Usage,
)
from brvtui.trace.checks import Check, Stage, State
from brvtui.trace.forecasts import AgeingDocument, DatedEvent, DocumentForecast, EventCount, Outlook
from brvtui.trace.hits import (
    MOST_LISTED,
    SUM_TOLERANCE,
    BetterMatch,
    Detail,
    Hit,
    Kind,
    Leg,
    LegHit,
    LegRank,
    Listed,
    NearMiss,
    Origin,
    adds_up,
    behind_the_first,
    listed,
    parts_gap,
)
from brvtui.trace.routing import Ladder, Rung
from brvtui.trace.scores import (
    AgedSignals,
    Ceiling,
    Contribution,
    Horizon,
    MatchedWord,
    MatchKind,
    MissingWord,
    Part,
    TermExpansion,
    TermMatch,
    TextScore,
    Whereabouts,
)
from brvtui.trace.traces import (
    SCHEMA,
    Explanation,
    LossStage,
    Reason,
    Remedy,
    RemedyKind,
    Scale,
    Section,
    SnapshotInfo,
    Step,
    Trace,
    UnreadSection,
    to_plain,
)

__all__ = [
    "INSTRUCTIONS",
    "MOST_LISTED",
    "SCHEMA",
    "SUM_TOLERANCE",
    "AgedSignals",
    "AgeingDocument",
    "Answer",
    "BetterMatch",
    "Ceiling",
    "Check",
    "Cited",
    "Completion",
    "Contribution",
    "DatedEvent",
    "Detail",
    "DocumentForecast",
    "EndReason",
    "EventCount",
    "Explanation",
    "Hit",
    "Horizon",
    "Kind",
    "Ladder",
    "Lane",
    "Leg",
    "LegHit",
    "LegRank",
    "Listed",
    "LossStage",
    "ManifestPlace",
    "MatchKind",
    "MatchedWord",
    "MissingWord",
    "ModelPrompt",
    "ModelTurn",
    "NearMiss",
    "Origin",
    "Outlook",
    "Part",
    "PromptSection",
    "Reason",
    "Remedy",
    "RemedyKind",
    "Rung",
    "Scale",
    "Section",
    "SnapshotInfo",
    "Stage",
    "State",
    "Step",
    "TermExpansion",
    "TermMatch",
    "TextScore",
    "ToolStep",
    "Trace",
    "UnreadSection",
    "Usage",
    "Whereabouts",
    "adds_up",
    "behind_the_first",
    "listed",
    "parts_gap",
    "to_plain",
]
