"""Reasons of answers: why a note is, or is not, in one; the smallest changes after which one needs no model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import CounterfactualSearch
from brvtui.app.workers import Refusal, is_cancelled

if TYPE_CHECKING:
    from brvtui.app.screens.message import Entry
    from brvtui.engines.byterover.counterfactuals import Counterfactuals
    from brvtui.session import Session
    from brvtui.trace import Explanation, Trace

_COUNTERFACTUALS = "counterfactuals"


class Reasons:
    """Asks the engine for reasons of the answer that is shown."""

    def __init__(self, services: AppServices, project: Project) -> None:
        """Asks nothing yet."""
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
        if explanation is None or trace is not self._services.store.view.answer.trace:
            return
        from brvtui.app.screens.message import MessageScreen

        title = f"Why it is {'' if explanation.found else 'not '}in the answer"
        self._services.push_screen(MessageScreen(title, explanation.title, _entries(explanation)))

    def find_counterfactuals(self) -> None:
        """Searches the smallest changes after which the query needs no model; again once all of them are found."""
        if self._project.refuses():
            return
        session, view = self._project.session, self._services.store.view
        trace, search = view.answer.trace, view.answer.counterfactuals
        if session is None or trace is None or not view.may_need_less:
            said = "nothing to find: only a query that needs a model, or that nothing covers, can need less"
            self._services.notify(said, timeout=4)
        elif search is None or search.trace is not trace or search.found is not None:
            self._services.store.update(view.answer._replace(counterfactuals=CounterfactualSearch(trace)))
            find, found = partial(_counterfactuals, session, trace), partial(self._found, trace)
            self._services.background.run(find, found, group=_COUNTERFACTUALS, exclusive=True)

    def cancel_counterfactuals(self) -> None:
        """Ends the search: it is of an answer that is about to be replaced."""
        self._services.background.cancel(_COUNTERFACTUALS)
        answer = self._services.store.view.answer
        if answer.counterfactuals is not None and answer.counterfactuals.found is None:
            self._services.store.update(answer._replace(counterfactuals=None))

    def _found(self, trace: Trace, found: Counterfactuals | None) -> None:
        answer = self._services.store.view.answer
        if found is not None and trace is answer.trace:
            self._services.store.update(answer._replace(counterfactuals=CounterfactualSearch(trace, found)))


def _entries(explanation: Explanation) -> list[Entry]:
    """The place of a note that is in the answer; of any other the reason, its numbers, the remedy that was tried."""
    made: list[Entry] = [("note", explanation.path)]
    if explanation.found:
        score = f", {explanation.hit.score:.{explanation.trace.scale.decimals}f}" if explanation.hit else ""
        return [*made, ("rank", f"{explanation.rank}{score}"), ("then", explanation.use)]
    if explanation.reason is not None:
        made.append(("why", f"{explanation.reason.number}. {explanation.reason.text}"))
    made.append(("numbers", explanation.numbers))
    remedy = explanation.remedy
    if remedy is not None:
        made.append(("remedy", f"{remedy.text} (re-run and seen)" if remedy.verified else remedy.text))
        if remedy.query:
            made.append(("ask", remedy.query))
    return made


# in worker threads


def explanation(session: Session, trace: Trace, file: str) -> Explanation | None:
    """Asks again why ``file`` is, or is not, in the answer; returns None when it is no note any more.

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


def _counterfactuals(session: Session, trace: Trace) -> Counterfactuals | None:
    """The smallest changes after which the query of ``trace`` needs no model; None once they are wanted no more."""
    try:
        return session.answers.counterfactuals(trace, cancelled=is_cancelled)
    except KeyError:  # the tree went on, and an answer to the newest one is on its way
        return None
