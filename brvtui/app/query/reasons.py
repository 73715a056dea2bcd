"""Explains answers: a note's place, the changes that make a model unnecessary, and differences from a pinned answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.modes import MATURITY
from brvtui.app.project.project import Project
from brvtui.app.query.answering import has_services
from brvtui.app.services import AppServices
from brvtui.app.states import NO_SUCH_NOTE, CounterfactualSearch, PinState
from brvtui.app.view import selectable
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.engines.registry import presentation
from brvtui.wording import ordinal, shortened

if TYPE_CHECKING:
    from brvtui.engines.counterfactuals import Counterfactuals
    from brvtui.lab.answer_diff import AnswerDiff
    from brvtui.session import Session
    from brvtui.trace import Explanation, Remedy, RemedySearch, Trace
    from brvtui.tree.engine_files.query_log import LoggedQuery

GoToRemedy = Callable[[str, "Remedy"], Awaitable[None]]

_CHANGES = "{note.signals} and {note.edit} change this"
_NO_NOTE = "{} is not a note; only notes can be results"
_PLAIN_SEARCH = "baseline"
"""The name of the engine that ranks notes by plain search."""
_COUNTERFACTUALS, _REMEDIES = "counterfactuals", "remedies"
_RESTORES = "Press {dialog.back}, then {note.archive} to restore it."
_EMPTIES = "This answer came from the cache; {cache.clear} on the Query screen clears it."
_NO_LONGER = "the notes have changed: close this dialog, and press {results.why} again"
_CACHED = "but the cache has an answer to a similar query: clear it first with {cache.clear} on the Query screen"


class Reasons:
    """Runs explanations of the current answer in workers and shows them."""

    def __init__(self, services: AppServices, project: Project, go_to: GoToRemedy) -> None:
        """Creates a controller; ``go_to`` is called with a file and the remedy that the user selects for it."""
        self._services = services
        self._project = project
        self._go_to = go_to

    def explain(self, file: str) -> None:
        """Explains in a dialog why ``file`` is or is not in the answer, and lists remedies."""
        view = self._services.store.view
        session, trace, overview = self._project.session, view.answer.trace, view.project.overview
        if self._project.refuses():
            return
        if not file and overview is not None and not overview.notes:
            self._services.notify(f"{overview.why_empty}: there is no note to explain", timeout=4)
        elif session is None or trace is None or not file:
            first = (
                "type a query on the Query screen ({screens.query}) and select a note"
                if trace is None
                else "select a note, here or on the Notes screen ({screens.notes})"
            )
            message = f"{first}; {{results.why}} then explains why it is or is not in the answer"
            if self._services.current_mode == MATURITY.name:
                changes = "{note.edit} edits it" if view.kind.not_moved else _CHANGES
                message += f"; {{maturity.ageing}} shows how it ages, {changes}"
            self._services.notify(self._services.with_keys(message), timeout=4)
        else:
            explained = partial(self._explained, session, trace, file)
            run = self._services.background.run
            run(partial(explanation, session, trace, file), explained, group="explain", exclusive=True)

    def explain_logged(self, entry: LoggedQuery, file: str) -> None:
        """Explains why ``file`` is or is not in the current answer to the query of ``entry``."""
        session = self._project.session
        if self._project.refuses() or session is None:
            return

        def show(explanation: Explanation | None) -> None:
            if explanation is None:
                self._services.notify(f"{file} is no longer a note", severity="warning")
            else:
                self._show(session, explanation)

        explain = partial(logged_explanation, session, entry, file)
        self._services.background.run(explain, show, group="explain", exclusive=True)

    def _explained(self, session: Session, trace: Trace, file: str, explanation: Explanation | None) -> None:
        if explanation is None:
            is_there = self._services.store.view.knows(file)
            message = _NO_NOTE.format(file) if is_there else f"{file}: {NO_SUCH_NOTE}"
            self._services.notify(message, severity="warning", timeout=6)
        elif trace is self._services.store.view.answer.trace:
            self._show(session, explanation)

    def _explain_in(self, session: Session, trace: Trace, file: str) -> None:
        """Explains ``file`` in the answer ``trace``, which may be of another query than the one on the Query screen."""

        def show(found: Explanation | None) -> None:
            if found is not None:
                self._show(session, found)

        explain = partial(explanation, session, trace, file)
        self._services.background.run(explain, show, group="explain", exclusive=True)

    def _show(self, session: Session, explanation: Explanation) -> None:
        from brvtui.app.query.remedy_dialog import RemedyDialog
        from brvtui.trace import RemedySearch
        from brvtui.tree.reading.files import Role, role_of

        hints = [_RESTORES] if role_of(explanation.path) is Role.STUB else []
        hints += [_EMPTIES] if explanation.trace.answer.kind == "cached" and not explanation.found else []
        cached = self._services.with_keys(_CACHED)

        def find(lower: bool) -> None:
            def failed(why: str) -> None:
                dialog.put(lower, RemedySearch((), (), notice=self._services.with_keys(why)))

            task, show = partial(_remedies, session, explanation, lower, cached), partial(dialog.put, lower)
            self._services.background.run(task, show, group=_REMEDIES, on_error=failed)

        dialog = RemedyDialog(explanation, find, self._services.with_keys(" ".join(hints)))

        async def answered(chosen: Remedy | str | None) -> None:
            self._services.background.cancel(_REMEDIES)
            if isinstance(chosen, str):
                self._services.select(chosen)
                self._explain_in(session, explanation.trace, chosen)
            elif chosen is not None:
                await self._go_to(explanation.path, chosen)

        self._services.background.cancel(_REMEDIES)
        self._services.push_screen(dialog, answered)

    def find_counterfactuals(self) -> None:
        """Searches for the smallest changes that would avoid a model call. A finished search can be repeated."""
        if self._project.refuses():
            return
        session, view = self._project.session, self._services.store.view
        trace, search = view.answer.trace, view.answer.counterfactuals
        if session is None or trace is None or not view.may_need_less:
            message = "no change is needed: this query is answered without a model"
            if trace is not None and trace.answer.kind == "cached":
                message += (
                    " while the cache has its answer. To look for changes, clear the cache with "
                    "{cache.clear}, then press {route.takes}"
                )
            if trace is None:
                message = "type a query first; {route.takes} then looks for changes that would make a model unnecessary"
            if not view.presentation.has_tiers:
                message = f"{view.presentation.title} has no tiers, so no change can avoid a model call"
            self._services.notify(self._services.with_keys(message), timeout=4)
        elif search is None or search.trace is not trace or search.found is not None:
            self._services.store.update(view.answer._replace(counterfactuals=CounterfactualSearch(trace)))
            find, show = partial(_counterfactuals, session, trace), partial(self._show_counterfactuals, trace)
            self._services.background.run(find, show, group=_COUNTERFACTUALS, exclusive=True)

    def cancel_counterfactuals(self) -> None:
        """Cancels the search because its answer is about to be replaced."""
        self._services.background.cancel(_COUNTERFACTUALS)
        answer = self._services.store.view.answer
        if answer.counterfactuals is not None and answer.counterfactuals.found is None:
            self._services.store.update(answer._replace(counterfactuals=None))

    def _show_counterfactuals(self, trace: Trace, counterfactuals: Counterfactuals | None) -> None:
        answer = self._services.store.view.answer
        if counterfactuals is not None and trace is answer.trace:
            self._services.store.update(answer._replace(counterfactuals=CounterfactualSearch(trace, counterfactuals)))

    def find_in_plain_search(self, file: str) -> None:
        """Finds the rank of ``file`` in plain search for the current query, and shows it below the file's row."""
        session, trace = self._project.session, self._services.store.view.answered
        if self._project.refuses():
            return
        if session is None or trace is None or not file:
            hint = "type a query and select a result; {results.plain} then shows its rank in plain search"
            self._services.notify(self._services.with_keys(hint), timeout=4)
            return
        find, show = partial(_in_plain_search, session, trace, file), partial(self._show_plain_rank, trace, file)
        self._services.background.run(find, show, group="plain search", exclusive=True)

    def _show_plain_rank(self, trace: Trace, file: str, rank: str) -> None:
        store, answered = self._services.store, self._services.store.view.answered
        is_shown = answered is not None and (answered.query, answered.scope_option) == (trace.query, trace.scope_option)
        if is_shown and file == store.view.selection.file and file in selectable(trace):
            store.update(store.view.selection._replace(plain=rank))
        else:  # the note has no row in the results
            self._services.notify(f"{file}, asked “{shortened(trace.query)}”: {rank}", timeout=6)

    # differences from the pinned answer

    def pin(self) -> bool:
        """Pins the current answer, or unpins it if it is pinned already; returns True if it was pinned."""
        store = self._services.store
        trace = store.view.answered
        if self._project.refuses():
            return False
        if trace is None:
            self._services.notify(
                self._services.with_keys("type a query first; {answer.pin} then pins its answer"), timeout=4
            )
            return False
        if trace is store.view.pin.trace:
            store.update(PinState())
            self._services.notify("the answer is no longer pinned", timeout=4)
            return False
        store.update(PinState(trace))
        from brvtui.engines.profile_files import profiles_of

        read, say = partial(profiles_of, trace.engine), partial(self._say_pinned, trace)
        self._services.background.run(read, say, group="profiles")
        return True

    def _say_pinned(self, trace: Trace, profiles: tuple[str, ...]) -> None:
        """Shows a hint about comparisons with ``trace``, if it is still pinned."""
        if self._services.store.view.pin.trace is not trace:
            return
        ways = ["wording"]
        ways += ["profile ({engine.profile})"] if len(profiles) > 1 else []
        ways += ["engine ({engine.next})"] if self._project.has_other_engines else []
        others = " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
        message = f"pinned: change {others}, then press {{answer.compare}} to compare"
        self._services.notify(self._services.with_keys(message), timeout=4)

    def find_causes(self, trace: Trace) -> None:
        """Finds the causes of differences between ``trace`` and the pinned answer, if query and engine are the same."""
        pin, session, background = self._services.store.view.pin, self._project.session, self._services.background
        background.cancel("causes")
        if pin.trace is None or pin.trace is trace or session is None:
            return
        requests = [(one.engine, one.query, one.scope_option, one.options) for one in (pin.trace, trace)]
        if requests[0] != requests[1] or has_services(session):  # services must not be called only for this
            self._services.store.update(PinState(pin.trace))
            return
        find = partial(_causes, session, pin.trace)
        background.run(find, partial(self._causes_found, trace), group="causes", exclusive=True)

    def _causes_found(self, trace: Trace, diff: AnswerDiff | None) -> None:
        store = self._services.store
        if diff is not None and store.view.pin.trace is diff.traces.then and store.view.answered is trace:
            store.update(PinState(diff.traces.then, diff))


# functions for worker threads


def explanation(session: Session, trace: Trace, file: str) -> Explanation | None:
    """Explains why ``file`` is or is not in the answer; returns None if the note no longer exists.

    Raises :class:`Refusal` if the engine cannot answer.
    """
    return _explained_or_none(partial(session.explainer.explain, trace.query, file, trace.scope_option, trace))


def logged_explanation(session: Session, entry: LoggedQuery, file: str) -> Explanation | None:
    """Explains the place of ``file`` for the query of ``entry`` with an empty cache; None if the note no longer exists.

    Raises :class:`Refusal` if the engine cannot answer.
    """
    return _explained_or_none(partial(session.explainer.explain_logged, entry, file))


def _in_plain_search(session: Session, trace: Trace, file: str) -> str:
    """Returns the rank of ``file`` in plain search for the query of ``trace``, and a note that all others put first.

    Raises :class:`Refusal` if plain search cannot answer.
    """
    return "; ".join(filter(None, (_plain_rank(session, trace, file), _others_first(session, trace))))


def _others_first(session: Session, trace: Trace) -> str:
    """Returns a clause with the note that all other engines, but not this one, put first; empty if they disagree."""
    from brvtui.engines.contract import Query
    from brvtui.session.diffing import ask_all

    others = [name for name in session.engines.names if name != trace.engine]
    if has_services(session) or not trace.hits:
        return ""
    answers = ask_all(session, Query(trace.query, trace.scope_option), others).answered
    firsts = [next(iter(answer.results), None) for answer in answers]
    first = firsts[0] if len(firsts) > 1 else None
    if (
        first is None
        or first.path == trace.hits[0].file
        or any(one is None or one.path != first.path for one in firsts)
    ):
        return ""
    return f"all {len(firsts)} other engines put “{shortened(first.title)}” first"


def _plain_rank(session: Session, trace: Trace, file: str) -> str:
    """Returns the rank of ``file`` in plain search for the query of ``trace``, or why it has none."""
    explanation = _explained_or_none(
        partial(session.explainer.explain, trace.query, file, trace.scope_option, engine=_PLAIN_SEARCH)
    )
    if explanation is None:
        return _NO_NOTE.format(file)
    title, near_misses = (
        presentation(explanation.trace.engine).title,
        (one for one in explanation.trace.near_misses if one.file == file),
    )
    if rank := explanation.rank or next((one.rank for one in near_misses), 0):
        return f"{title}: {ordinal(rank)} of {explanation.trace.total_found}"
    if explanation.hit is not None:
        return f"{title}: {explanation.numbers}"
    return f"{title} does not find it: {explanation.reason.text if explanation.reason else explanation.numbers}"


def _explained_or_none(explain: Callable[[], Explanation]) -> Explanation | None:
    from brvtui.engines.contract import EngineError
    from brvtui.snapshot.naming import UnknownNote

    try:
        return explain()
    except UnknownNote:
        return None
    except EngineError as error:
        raise Refusal(str(error)) from error


def _remedies(session: Session, explanation: Explanation, lower: bool, cached: str) -> RemedySearch:
    """Returns the remedies that lower or raise the note of ``explanation``.

    Remedies are tried on an empty cache; ``cached`` is appended to remedies whose wording the current cache would
    answer. Raises :class:`Refusal` if the tree has changed since, or if the engine cannot answer.
    """
    from brvtui.engines.contract import EngineError
    from brvtui.session.remedies import find_remedies

    try:
        search = find_remedies(session, explanation, lower, is_cancelled)
    except KeyError as error:
        raise Refusal(_NO_LONGER) from error
    except EngineError as error:
        raise Refusal(str(error)) from error
    if not presentation(explanation.trace.engine).caches:
        return search
    cached_now = partial(session.cache_now, engine=explanation.trace.engine)
    remedies = (
        replace(one, how=f"{one.how}, {cached}") if one.query and cached_now(one.query).look.hit_key else one
        for one in search.remedies
    )
    return replace(search, remedies=tuple(remedies))


def _counterfactuals(session: Session, trace: Trace) -> Counterfactuals | None:
    """Returns the smallest changes that would let the query of ``trace`` do without a model; None if cancelled."""
    try:
        return session.explainer.counterfactuals(trace, cancelled=is_cancelled)
    except KeyError:  # the tree has changed, and the query will be answered again
        return None


def _causes(session: Session, pinned: Trace) -> AnswerDiff | None:
    """Returns the causes of differences from the ``pinned`` answer; None if the query cannot run again."""
    from brvtui.engines.contract import EngineError
    from brvtui.session.diffing import diff_with_saved_answer

    try:
        return diff_with_saved_answer(session, pinned, "pinned")
    except EngineError:
        return None
