"""Reasons of answers: why a note is, or is not, in one; the smallest changes after which one needs no model."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import CounterfactualSearch
from brvtui.app.workers import Refusal, is_cancelled

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals import Counterfactuals
    from brvtui.session import Session
    from brvtui.trace import Explanation, Trace

_TAKES = "takes"


class Reasons:
    """Asks the engine for reasons of the answer that is shown."""

    def __init__(self, services: AppServices, project: Project) -> None:
        """Nothing was asked yet."""
        self._services = services
        self._project = project

    def explain(self, file: str) -> None:
        """Finds out why ``file`` is, or is not, in the answer, and shows that in a modal."""
        session, trace = self._project.session, self._services.store.view.answer.trace
        if self._project.refuses():
            return
        if session is None or trace is None or not file:
            said = "type a query and select a note: w then says why it is, or is not, in the answer"
            self._services.notify(said, timeout=4)
        else:
            explained = partial(self._explained, trace)
            run = self._services.background.run
            run(partial(explanation, session, trace, file), explained, group="explain", exclusive=True)

    def _explained(self, trace: Trace, explanation: Explanation | None) -> None:
        from brvtui.app.query.why import why_screen

        if explanation is not None and trace is self._services.store.view.answer.trace:
            self._services.push_screen(why_screen(explanation))

    def find_counterfactuals(self) -> None:
        """Finds out what it would take that the query needs no model; again after all of it was said."""
        if self._project.refuses():
            return
        session, view = self._project.session, self._services.store.view
        trace, shown = view.answer.trace, view.answer.counterfactuals
        if session is None or trace is None or not view.may_need_less:
            said = "nothing to find: only a query that needs a model, or that nothing covers, can need less"
            self._services.notify(said, timeout=4)
        elif shown is None or shown.trace is not trace or shown.found is not None:
            self._services.store.update(replace(view.answer, counterfactuals=CounterfactualSearch(trace)))
            found = partial(self._counterfactuals_found, trace)
            self._services.background.run(partial(_takes, session, trace), found, group=_TAKES, exclusive=True)

    def cancel_counterfactuals(self) -> None:
        """Ends trying changes: they are of an answer that is about to be replaced."""
        self._services.background.cancel(_TAKES)
        answer = self._services.store.view.answer
        if answer.counterfactuals is not None and answer.counterfactuals.found is None:
            self._services.store.update(replace(answer, counterfactuals=None))

    def _counterfactuals_found(self, trace: Trace, takes: Counterfactuals | None) -> None:
        answer = self._services.store.view.answer
        if takes is not None and trace is answer.trace:
            self._services.store.update(replace(answer, counterfactuals=CounterfactualSearch(trace, takes)))


# in worker threads


def explanation(session: Session, trace: Trace, file: str) -> Explanation | None:
    """Why ``file`` is, or is not, in the answer, which is found by asking again; None when it is no note any more.

    Raises :class:`Refusal` when the engine cannot be asked.
    """
    from brvtui.engines.contract import EngineError
    from brvtui.snapshot.naming import UnknownNote

    try:
        return session.answers.explain(trace.query, file, trace.scope_option, trace)
    except UnknownNote:
        return None
    except EngineError as error:
        raise Refusal(str(error)) from error


def _takes(session: Session, trace: Trace) -> Counterfactuals | None:
    """What it would take that the query of ``trace`` needs no model; None once that is not wanted any more."""
    try:
        return session.answers.counterfactuals(trace, cancelled=is_cancelled)
    except KeyError:  # the tree went on, and an answer to the newest one is on its way
        return None
