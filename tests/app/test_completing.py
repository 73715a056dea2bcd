"""Runs that a model may answer, with an engine from another package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.overview import OverviewBuilder
from brvtui.app.query import answering
from brvtui.app.query.answering import Answered, EngineUnusable, PermissionWanted, QueryRequest
from brvtui.app.query.permission import what_is_asked
from brvtui.engines.contract import Context, EngineError, Query
from brvtui.services.model import Budget, Cancellation
from brvtui.session import Session
from brvtui.trace import Answer, ModelPrompt, Trace, events
from tests.engines.toy import Rules, Toy
from tests.support.engine_packages import declared
from tests.support.settings import own
from tests.support.trees import Tree

_ASKED = QueryRequest(1, "refresh token", "", True)
_PROMPT = ModelPrompt((), 70, 100, 0.0, 1, {}, (), "", ())


class Drafter(Toy):
    """Toy with two modes, whose answers are drafts until a model has written them."""

    name = "drafter"
    modes = ("short", "long")

    def answer(self, context: Context[Rules], query: Query) -> Trace:
        """Toy's answer, as a draft."""
        mode = query.options.get("mode", self.modes[0])
        if mode not in self.modes:
            raise EngineError(f"no mode {mode}")
        drafted = Answer("drafted", "a draft", _PROMPT, "", ())
        result = super().answer(context, replace(query, options={}))
        return replace(result, engine=self.name, answer=drafted, options={"mode": mode})

    def complete(self, context: Context[Rules], query: Query, cancellation: Cancellation) -> Iterator[events.Event]:
        """A model that changes nothing."""
        trace = self.answer(context, query)
        yield events.Routed(trace, "echo")
        yield events.Finished(trace)


@pytest.fixture
def session(garden: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session with the engine installed, and with a model that needs permission."""
    with declared(tmp_path, monkeypatch, "drafter", f"{__name__}:Drafter"):
        own('[llm]\nmodel = "echo"\nurl = "http://127.0.0.1:9"\nallowed = false\n')
        yield garden.session()


def _steps(session: Session, mode: str) -> list[Any]:
    return list(answering.steps(session, OverviewBuilder(), _ASKED, "drafter", mode, Cancellation()))


def test_model_needs_permission_first(session: Session) -> None:
    previewed, wanted = _steps(session, "long")
    assert isinstance(previewed, Answered)
    assert isinstance(wanted, PermissionWanted)
    assert (wanted.trace.engine, wanted.trace.mode, wanted.trace.options) == ("drafter", "preview", {"mode": "long"})
    message = what_is_asked(wanted.trace, Budget())
    assert message == "This query needs a model: one call with about 70 tokens of your notes."


def test_model_is_called_in_the_chosen_mode(session: Session) -> None:
    session.model.allow()
    routed = [step for step in _steps(session, "long") if isinstance(step, events.Routed)]
    assert [(step.model, step.trace.mode, step.trace.options) for step in routed] == [("echo", "run", {"mode": "long"})]


@pytest.mark.parametrize("allowed", [False, True])
def test_unknown_mode_is_refused_without_further_steps(session: Session, allowed: bool) -> None:
    if allowed:
        session.model.allow()
    assert _steps(session, "none") == [EngineUnusable("no mode none", "drafter", _ASKED._replace(run=allowed))]


def test_run_without_the_model_uses_the_chosen_mode(session: Session) -> None:
    session.model.allow()
    asked = _ASKED._replace(without_model=True)
    ran = next(answering.steps(session, OverviewBuilder(), asked, "drafter", "long", Cancellation()))
    assert isinstance(ran, Answered)
    assert (ran.trace.mode, ran.trace.options) == ("run", {"mode": "long"})
