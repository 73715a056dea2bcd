"""The blocking work of answering a query. Every function runs in a worker thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from brvtui import faults
from brvtui.app.project.opening import TreeRead
from brvtui.app.project.selection import detail_of

if TYPE_CHECKING:
    from brvtui.app.overview import OverviewBuilder
    from brvtui.services.model import Cancellation
    from brvtui.session import Session
    from brvtui.trace import Detail, Trace, events

PIECES_S = 0.05
"""The pieces of a model's text that arrive within this many seconds are shown together."""


class QueryRequest(NamedTuple):
    """A request for a trace; ``number`` increases with each request."""

    number: int
    query: str
    scope: str
    run: bool
    without_model: bool = False
    """True if no model may answer, although this is a run."""


class Answered(NamedTuple):
    """The answer to a request."""

    trace: Trace
    took_ms: float
    detail: Detail | None
    """The detail of the first hit."""
    history: tuple[str, ...] | None = None
    """The queries in the history after a run, oldest first."""
    problem: str = ""
    """The reason why the history could not be written, or an empty string."""
    read: TreeRead | None = None
    """The tree as it is after a run that recorded access hits."""


class EngineUnusable(NamedTuple):
    """``engine`` cannot be used with its settings; ``why`` is the reason, with advice."""

    why: str
    engine: str
    request: QueryRequest | None
    """The request that failed; None if the engine was only being prepared."""


class Logged(NamedTuple):
    """The outcome of logging a run; ``problem`` is the reason if the run could not be logged."""

    problem: str


class PermissionWanted(NamedTuple):
    """A run needs a model that the user has not permitted yet. ``trace`` is a preview; nothing was run."""

    model: str
    trace: Trace


class AnswerEnded(NamedTuple):
    """A model's answer ended; ``why`` is the reason if it failed."""

    trace: Trace
    why: str = ""
    cancelled: bool = False


RunStep: TypeAlias = "Answered | EngineUnusable | Logged | PermissionWanted | events.Event | AnswerEnded"
"""A step of an answer: first the answer itself, then the events of a model, and finally the end of the answer."""


def steps(
    session: Session,
    overviews: OverviewBuilder,
    request: QueryRequest,
    engine: str,
    mode: str,
    cancellation: Cancellation | None,
) -> Iterator[RunStep]:
    """Answers ``request`` with ``engine`` and yields each step. Blocks. A run's query is added to the history.

    With a ``cancellation``, a model may answer a run; until a model is permitted, the query is only previewed. A run
    that uses services is previewed without them first, so that a result appears immediately.
    """
    from brvtui.engines.contract import EngineError

    ask = partial(answer, session, overviews, request, engine, mode)
    if not request.run:
        yield ask(run=False)
        return
    if cancellation is None:
        if has_services(session):
            previewed = ask(run=False)
            yield previewed
            if isinstance(previewed, EngineUnusable):
                return
    elif (state := session.model.state).name and not state.problem and not request.without_model:
        if state.allowed:
            try:
                yield from _complete(session, overviews, request, engine, mode, cancellation)
            except EngineError as error:
                yield EngineUnusable(str(error), engine, request)
            return
        previewed = answer(session, overviews, request._replace(run=False), engine, mode, run=False)
        if isinstance(previewed, EngineUnusable):
            yield previewed
            return
        if previewed.trace.answer.awaits_model:
            yield previewed
            yield PermissionWanted(state.name, previewed.trace)
            return
    ended = ask(run=True)
    yield ended
    if isinstance(ended, Answered):
        yield Logged(_log(session, ended.trace, ended.took_ms))


def _complete(
    session: Session,
    overviews: OverviewBuilder,
    request: QueryRequest,
    engine: str,
    mode: str,
    cancellation: Cancellation,
) -> Iterator[RunStep]:
    """Runs a query that a model may answer; yields the answer's route, the model's events, and the end."""
    from brvtui.trace import events

    before, began = session.snapshot.generation, time.perf_counter()
    text, sent_at, has_model = "", 0.0, False
    for event in session.complete(request.query, request.scope, cancellation, engine, _mode_option(mode)):
        now = time.perf_counter()
        took_ms = (now - began) * 1000
        if isinstance(event, events.TextDelta):
            text += event.text
            if now - sent_at < PIECES_S:
                continue
        if text:
            yield events.TextDelta(text)
            text, sent_at = "", now
        match event:
            case events.TextDelta():
                pass
            case events.Routed(trace, model):
                yield _answered(session, overviews, request, trace, took_ms, before)
                has_model = bool(model)
                if has_model:
                    yield event
            case events.Finished(trace):
                yield Logged(_log(session, trace, took_ms))
                if has_model:
                    yield AnswerEnded(trace)
            case events.CompletionFailed(trace, why):
                yield Logged(_log(session, trace, took_ms))
                if has_model:
                    yield AnswerEnded(trace, why, event.cancelled)
            case _:
                yield event


def answer(
    session: Session, overviews: OverviewBuilder, request: QueryRequest, engine: str, mode: str, run: bool
) -> Answered | EngineUnusable:
    """Answers ``request`` with ``engine``, as a run or a preview. A run's query is added to the history."""
    from brvtui.engines.contract import EngineError

    before, started = session.snapshot.generation, time.perf_counter()
    asks = session.run if run else session.preview
    try:
        trace = asks(request.query, request.scope, engine, _mode_option(mode))
    except EngineError as error:
        return EngineUnusable(str(error), engine, request)
    return _answered(session, overviews, request, trace, (time.perf_counter() - started) * 1000, before)


def _mode_option(mode: str) -> dict[str, str]:
    """Returns the engine options for ``mode``; none if it is empty."""
    return {"mode": mode} if mode else {}


def _answered(
    session: Session, overviews: OverviewBuilder, request: QueryRequest, trace: Trace, took_ms: float, before: int
) -> Answered:
    """Returns ``trace`` with its detail and, after a run, the new history.

    ``before`` is the generation of the snapshot before the query; a later generation means that access hits were
    recorded.
    """
    detail = detail_of(session, trace, trace.hits[0].file) if trace.hits else None
    if not trace.ran:
        return Answered(trace, took_ms, detail)
    history, problem, read = None, "", None
    try:
        history = tuple(session.history.add(request.query))
    except OSError as error:
        problem = f"the history cannot be written: {faults.advice(error)}"
    if session.recording and session.snapshot.generation != before:
        read = TreeRead(overviews.build(session.snapshot), tuple(session.history.read()))
    return Answered(trace, took_ms, detail, history, problem, read)


def _log(session: Session, trace: Trace, took_ms: float) -> str:
    """Logs a run; returns the problem if that failed. The duration of a run without a model comes from the trace."""
    took_ms = took_ms if trace.answer.completion else trace.timings.get("total", took_ms)
    try:
        session.logbook.add(trace, session.clock(), took_ms)
    except OSError as error:
        return f"the log cannot be written: {faults.advice(error)}"
    return ""


def import_painters(engine: str) -> None:
    """Imports the modules that draw answers of ``engine``, which would delay the first answer."""
    from brvtui.engines.registry import presentation
    from brvtui.paint import (
        answers,  # noqa: F401
    )

    presentation(engine)


def has_services(session: Session) -> bool:
    """True if the settings name a service, working or not, that runs use and previews do not."""
    services = session.settings.services
    return bool(services.embedder.model or services.reranker.model)


def prepare(
    session: Session, engine: str, progressed: Callable[[int, int], None], cancelled: Callable[[], bool]
) -> EngineUnusable | None:
    """Prepares data that ``engine`` needs for queries. ``progressed`` gets the counts of finished and all vectors."""
    from brvtui.engines.contract import EngineError, PreparingEngine

    chosen = session.engines.named(engine)
    assert isinstance(chosen, PreparingEngine)
    try:
        chosen.prepare(session.engines.context(engine), progressed, cancelled)
    except EngineError as error:
        return EngineUnusable(str(error), engine, None)
    return None
