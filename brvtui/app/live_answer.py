"""The progress of a model's answer, updated by its events."""

from __future__ import annotations

from dataclasses import dataclass, replace

from brvtui.paint.answers import LiveStep
from brvtui.trace import events


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """The progress of a model's answer to one query."""

    number: int
    """The number of the request that the model answers."""
    query: str
    scope: str
    engine: str
    model: str
    turn: int = 0
    text: str = ""
    """The text that the model has written in this turn."""
    steps: tuple[LiveStep, ...] = ()
    waiting: str = ""
    """The reason why the model waits for the service, and the seconds until the next attempt; otherwise empty."""
    sent: int = 0
    received: int = 0
    """The numbers of tokens sent and received in completed turns."""
    cancelling: bool = False

    def is_about(self, query: str, scope: str, engine: str) -> bool:
        """True if this is the answer of ``engine`` to ``query`` in ``scope``."""
        return (query, scope, engine) == (self.query, self.scope, self.engine)


def advanced(live: LiveAnswer, event: events.Event) -> LiveAnswer:
    """Returns ``live`` updated by ``event``."""
    match event:
        case events.TurnBegun(number):
            return replace(live, turn=number, text="", waiting="")
        case events.TextDelta(text):
            return replace(live, text=live.text + text, waiting="")
        case events.Waiting(seconds, why):
            return replace(live, waiting=f"{why}; again in {seconds:g} s")
        case events.TurnEnded(turn):
            usage = turn.usage
            return replace(live, sent=live.sent + usage.sent, received=live.received + usage.received, waiting="")
        case events.StepBegun(number, tool, arguments):
            return replace(live, steps=(*live.steps, LiveStep(number, tool, arguments)))
        case events.StepEnded(step, ms):
            ended = (replace(one, step=step, ms=ms) if one.number == step.number else one for one in live.steps)
            return replace(live, steps=tuple(ended))
        case _:
            return live
