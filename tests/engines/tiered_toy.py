"""An engine from another package, with its own tiers, ageing and access hits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from brvtui.engines.ageing.events import Event
from brvtui.engines.ageing.rules import AgeingRules
from brvtui.engines.contract import Context, Query
from brvtui.paint.steps import StepName
from brvtui.ranking.constants import CompoundRules, SignalRules
from brvtui.ranking.decay import DecayRules, age_days
from brvtui.trace import AgedSignals, Ceiling, Trace
from brvtui.trace.routing import Outcome, Route
from tests.engines.toy import Counted, Rules, Toy, ToyPresentation

FADES = Event(
    key="fades",
    weight=1,
    short="fading",
    until="fades in",
    happens="fades away",
    happen="fade away",
    has_come="faded",
    state="faded",
    meaning="nobody asked for it",
    in_short="not asked for",
)
GATE = 0.5
_SCORE = CompoundRules(0.0, 0.0, 1.0, 100.0, {"draft": 1.0, "validated": 1.0, "core": 1.0}, 0.0, 1.0, 17)
_DECAY = DecayRules(0.9, 10.0, False)


class TieredPresentation(ToyPresentation):
    """Two tiers, distinguished by the number of results."""

    outlook = (StepName("one", "one result", tier="1"), StepName("more", "more results", tier="2"))


class TieredToy(Toy):
    """Answers at tier 1 or 2. Only age lowers a document's score."""

    name = "tiered"
    sections = (Counted, Route)
    presentation = TieredPresentation()

    def answer(self, context: Context[Rules], query: Query) -> Trace:
        """The answer of the toy, at tier 1 for one result and tier 2 for more."""
        made = super().answer(context, query)
        tier = 1 if len(made.hits) == 1 else 2
        route = Route(Outcome.DIRECT if made.hits else Outcome.NOT_COVERED, used=True)
        return replace(made, engine=self.name, tier=tier if made.hits else None, sections=(*made.sections, route))

    def ageing_rules(self, constants: Any, stored: SignalRules) -> AgeingRules:
        """Rules in which only recency counts."""
        return AgeingRules(_SCORE, _DECAY, stored, {FADES: GATE}, (FADES,))

    def standing(self, context: Context[Rules], document: str) -> tuple[AgedSignals, Ceiling] | None:
        """A ceiling equal to the age in days, which differs from other engines."""
        place = context.snapshot.by_path.get(document)
        if place is None:
            return None
        note = context.snapshot.notes[place]
        days = float(age_days(context.now_ms, note.mtime_ms))
        return AgedSignals("draft", 1.0, 1.0, 1.0, 1.0, days, 0, 0, "toy", ""), Ceiling(days, ())

    def accessed(self, trace: Trace) -> tuple[str, ...]:
        """The first result only."""
        return tuple(hit.file for hit in trace.hits[:1])
