"""Running a query in a worker thread: the route, and a model's answer to it where one may be asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brvtui.app.query.answering import Answered, EngineUnusable, answer, answered, log, mode_option
from brvtui.app.query.prober import QueryRequest
from brvtui.trace import Trace, events

if TYPE_CHECKING:
    from brvtui.app.overview import OverviewBuilder
    from brvtui.services.model import Cancellation
    from brvtui.session import Session

PIECES_S = 0.05
"""Pieces of text that come within this time are shown as one."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A run was logged, or with a ``problem`` could not be."""

    problem: str


@dataclass(frozen=True, slots=True)
class PermissionWanted:
    """A run comes to a model that may not be asked yet; nothing was run. ``trace`` is its probe."""

    model: str
    trace: Trace


@dataclass(frozen=True, slots=True)
class AnswerEnded:
    """A model has answered, or has not: then ``why`` says what kept it."""

    trace: Trace
    why: str = ""
    cancelled: bool = False


RunStep = Answered | EngineUnusable | Logged | PermissionWanted | events.Event | AnswerEnded
"""What is told of a run while it goes on. Answered comes as soon as the route is decided; then, of a model, its events,
and at last how it ended."""


def run(
    session: Session,
    overviews: OverviewBuilder,
    request: QueryRequest,
    engine: str,
    mode: str,
    cancellation: Cancellation,
) -> Iterator[RunStep]:
    """Runs ``request``; where a model would answer that may not be asked yet, probes it. Each step blocks."""
    from brvtui.engines.contract import EngineError

    state = session.model.state
    if state.name and not state.problem and not request.without_model:
        if state.allowed:
            try:
                yield from _complete(session, overviews, request, engine, mode, cancellation)
            except EngineError as error:
                yield EngineUnusable(str(error), engine, request)
            return
        probed = answer(session, overviews, request._replace(run=False), engine, mode, run=False)
        if isinstance(probed, EngineUnusable):
            yield probed
            return
        if probed.trace.answer.awaits_model:
            yield probed
            yield PermissionWanted(state.name, probed.trace)
            return
    ended = answer(session, overviews, request, engine, mode, run=True)
    yield ended
    if isinstance(ended, Answered):
        yield Logged(log(session, ended.trace, ended.took_ms))


def _complete(
    session: Session,
    overviews: OverviewBuilder,
    request: QueryRequest,
    engine: str,
    mode: str,
    cancellation: Cancellation,
) -> Iterator[RunStep]:
    before, began = session.snapshot.generation, time.perf_counter()
    text, told, asked = "", 0.0, False
    for event in session.complete(request.query, request.scope, cancellation, engine, mode_option(mode)):
        now = time.perf_counter()
        took_ms = (now - began) * 1000
        if isinstance(event, events.TextDelta):
            text += event.text
            if now - told < PIECES_S:
                continue
        if text:
            yield events.TextDelta(text)
            text, told = "", now
        match event:
            case events.TextDelta():
                pass
            case events.Routed(trace, model):
                yield answered(session, overviews, request, trace, took_ms, before)
                asked = bool(model)
                if asked:
                    yield event
            case events.Finished(trace):
                yield Logged(log(session, trace, took_ms))
                if asked:
                    yield AnswerEnded(trace)
            case events.CompletionFailed(trace, why):
                yield Logged(log(session, trace, took_ms))
                if asked:
                    yield AnswerEnded(trace, why, event.cancelled)
            case _:
                yield event
