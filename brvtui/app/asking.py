"""Running a query in the app: the route, and a model's answer to it where one may be asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.app import engine
from brvtui.app.ask import Ask
from brvtui.app.messages import AnswerEnded, Asking, PermissionWanted

if TYPE_CHECKING:
    from brvtui.app.overview import Surveyor
    from brvtui.services.model import Cancellation
    from brvtui.session import Session
    from brvtui.trace.events import Failed, Finished

PIECES_S = 0.05
"""Pieces of text that come within this time are shown as one."""


def run(
    session: Session,
    ask: Ask,
    name: str,
    surveyor: Surveyor,
    cancellation: Cancellation,
    post: engine.Post,
) -> None:
    """Runs ``ask`` by the engine ``name``. Posts PermissionWanted and a probe where a model may not be asked yet.

    Posts Traced as soon as the route is decided; then, of a model, Asking for whatever happens, and AnswerEnded.
    """
    state = session.model.state
    if not state.name or state.problem or ask.without_model:
        engine.answer(session, ask, name, "", surveyor, post, run=True, serves=False)
        return
    if not state.allowed:
        from brvtui.engines.byterover.completion.completing import asks_model

        trace = session.probe(ask.query, ask.scope, name)
        if asks_model(trace):
            engine.answer(session, replace(ask, run=False), name, "", surveyor, post, run=False)
            post(PermissionWanted(ask, state.name, trace))
        else:
            engine.answer(session, ask, name, "", surveyor, post, run=True, serves=False)
        return
    _complete(session, ask, name, surveyor, cancellation, post)


def _complete(
    session: Session, ask: Ask, name: str, surveyor: Surveyor, cancellation: Cancellation, post: engine.Post
) -> None:
    from brvtui.trace import events

    before, began = session.snapshot.generation, time.perf_counter()
    pieces = _Pieces(lambda text: post(Asking(ask.number, events.TextDelta(text))))
    asked = False
    for event in session.complete(ask.query, ask.scope, cancellation, name):
        took_ms = (time.perf_counter() - began) * 1000
        match event:
            case events.Routed(trace, model):
                engine.tell(session, ask, trace, took_ms, before, surveyor, post)
                asked = bool(model)
                if asked:
                    post(Asking(ask.number, event))
            case events.TextDelta(text):
                pieces.add(text)
            case events.Finished(trace) | events.Failed(trace):
                pieces.flush()
                engine.log(session, trace, took_ms, post)
                if asked:
                    post(_ended(ask.number, event))
            case _:
                pieces.flush()
                post(Asking(ask.number, event))


def _ended(number: int, event: Finished | Failed) -> AnswerEnded:
    why, cancelled = getattr(event, "why", ""), getattr(event, "cancelled", False)
    return AnswerEnded(number, event.trace, why, cancelled)


class _Pieces:
    """Gathers pieces of text."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._text = ""
        self._told = 0.0

    def add(self, text: str) -> None:
        self._text += text
        if time.perf_counter() - self._told >= PIECES_S:
            self.flush()

    def flush(self) -> None:
        if self._text:
            self._tell(self._text)
            self._text, self._told = "", time.perf_counter()
