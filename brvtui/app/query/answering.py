"""The blocking work of answering a query. Every function runs in a worker thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from brvtui import faults
from brvtui.app.project.opening import TreeRead
from brvtui.app.project.selection import detail_of
from brvtui.app.query.prober import QueryRequest
from brvtui.config.sources import Layer

if TYPE_CHECKING:
    from brvtui.app.overview import OverviewBuilder
    from brvtui.lab.answer_diff.results import AnswerDiff
    from brvtui.session import Session
    from brvtui.trace import Detail, Trace


class Answered(NamedTuple):
    """The answer to a request."""

    request: QueryRequest
    trace: Trace
    took_ms: float
    detail: Detail | None
    """Of the first hit."""
    history: tuple[str, ...] | None = None
    """The queries that were run, when this one was, oldest first."""
    problem: str = ""
    """Why the history could not be written; empty when it was."""
    read: TreeRead | None = None
    """The tree as a run made it, by recording access hits."""


class EngineUnusable(NamedTuple):
    """``engine`` cannot be asked as it is set; ``why`` says also what to do."""

    why: str
    engine: str
    request: QueryRequest | None
    """The request it was asked; None if it was only to be prepared."""


def causes(session: Session, pinned: Trace) -> AnswerDiff | None:
    """Why the answer to what ``pinned`` was asked is another now; None where it cannot be asked again."""
    from brvtui.engines.contract import EngineError
    from brvtui.session.diffing import diff_with_saved_answer

    try:
        return diff_with_saved_answer(session, pinned, "pinned")
    except EngineError:
        return None


def answer(
    session: Session, overviews: OverviewBuilder, request: QueryRequest, engine: str, mode: str, run: bool
) -> Answered | EngineUnusable:
    """Has ``engine`` answer ``request``, in a run or a probe. A run's query joins the history."""
    from brvtui.engines.contract import EngineError

    before, started = session.snapshot.generation, time.perf_counter()
    asks = session.run if run else session.probe
    try:
        trace = asks(request.query, request.scope, engine, mode_option(mode))
    except EngineError as error:
        return EngineUnusable(str(error), engine, request)
    return answered(session, overviews, request, trace, (time.perf_counter() - started) * 1000, before)


def mode_option(mode: str) -> dict[str, str]:
    """The options that ask an engine in ``mode``; none when it is empty."""
    return {"mode": mode} if mode else {}


def answered(
    session: Session, overviews: OverviewBuilder, request: QueryRequest, trace: Trace, took_ms: float, before: int
) -> Answered:
    """``trace`` with what is shown beside it; it was made since generation ``before`` was the newest."""
    detail = detail_of(session, trace, trace.hits[0].file) if trace.hits else None
    if not trace.ran:
        return Answered(request, trace, took_ms, detail)
    history, problem, read = None, "", None
    try:
        history = tuple(session.history.add(request.query))
    except OSError as error:
        problem = f"the history cannot be written: {faults.advice(error)}"
    if session.recording and session.snapshot.generation != before:
        read = TreeRead(overviews.build(session.snapshot), tuple(session.history.read()))
    return Answered(request, trace, took_ms, detail, history, problem, read)


def log(session: Session, trace: Trace, took_ms: float) -> str:
    """Logs a run; returns why it cannot be logged, or nothing. What no model answered took what its trace says."""
    took_ms = took_ms if trace.answer.completion else trace.timings.get("total", took_ms)
    try:
        session.logbook.add(trace, session.clock(), took_ms)
    except OSError as error:
        return f"the log cannot be written: {faults.advice(error)}"
    return ""


def import_painters(engine: str) -> None:
    """Imports what paints an answer of ``engine``, so that the first one need not wait for it.

    It takes longer than all that the first screen shows without an answer.
    """
    from brvtui.engines.registry import presentation
    from brvtui.paint import completion, hits, score  # noqa: F401

    presentation(engine)


def has_services(session: Session) -> bool:
    """Returns whether a run asks a service that a probe does not; one that cannot be used counts."""
    services = session.settings.services
    return bool(services.embedder.model or services.reranker.model)


def is_own_choice(session: Session) -> bool:
    """Returns whether the user chose the engine of the settings, rather than the project's file."""
    return session.configuration.source("engine").layer is not Layer.PROJECT


def prepare(
    session: Session, engine: str, progressed: Callable[[int, int], None], cancelled: Callable[[], bool]
) -> EngineUnusable | None:
    """Makes what ``engine`` needs ahead of queries; tells how many vectors are made, of how many."""
    from brvtui.engines.contract import EngineError, Prepares

    chosen = session.engines.named(engine)
    assert isinstance(chosen, Prepares)
    try:
        chosen.prepare(session.engines.context(engine), progressed, cancelled)
    except EngineError as error:
        return EngineUnusable(str(error), engine, None)
    return None
