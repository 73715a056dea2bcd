"""The choice of engine and mode, and the preparation of the engine's data in a worker."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.project import Project
from brvtui.app.query import answering
from brvtui.app.query.answering import EngineUnusable
from brvtui.app.query.runner import QueryRunner
from brvtui.app.services import AppServices
from brvtui.app.states import EngineState, ProjectState
from brvtui.app.workers import is_cancelled
from brvtui.engines.contract import EngineError, PreparingEngine

if TYPE_CHECKING:
    from brvtui.session import Session

_PREPARING = "preparing words and vectors"
_GROUP = "prepare"


class EngineChoice:
    """Switches between engines and starts the preparation of the selected one."""

    def __init__(
        self, services: AppServices, project: Project, queries: QueryRunner, open_memory: Callable[[str], None]
    ) -> None:
        """Starts with the default engine; ``open_memory`` opens the other memory of a project that has two."""
        self._services = services
        self._project = project
        self._queries = queries
        self._open_memory = open_memory
        self._seen: tuple[str, object] = ("", None)
        """The engine and the tree at the last change of the view."""
        services.store.subscribe((EngineState, ProjectState), self._view_changed)

    def begin_as_set(self, session: Session) -> None:
        """Selects the engine from the settings. If it cannot be loaded, keeps the default engine."""
        store = self._services.store
        try:
            mode = next(iter(session.engines.named(session.engine).modes), "")
        except EngineError as error:
            self._services.notify(f"{error}; {store.view.engine.name} answers", severity="error", timeout=10)
            store.update(store.view.engine._replace(profile=session.profile.name))
        else:
            profile = session.engines.profile(session.engine)
            store.update(store.view.engine._replace(name=session.engine, mode=mode, profile=profile))

    def next_engine(self) -> None:
        """Switches to the next engine that can be loaded, and repeats the query."""
        view = self._services.store.view
        if self._project.refuses() or self._project.session is None or view.project.overview is None:
            return
        if not self._project.has_other_engines:
            self._services.notify(self._services.with_keys(self._project.session.kind.only_engine), timeout=4)
            return
        names = self._project.session.engines.names
        place = names.index(view.engine.name)
        choice = self._project.choice
        if choice is not None and place + 1 == len(names):
            self._open_memory(choice.TREE if view.kind.is_html else choice.SPACE)
            return
        for name in (*names[place + 1 :], *names[:place]):
            try:
                self._queries.use(name)
            except EngineError as error:
                self._services.notify(str(error), severity="error", timeout=10)
            else:
                return

    def next_mode(self) -> None:
        """Switches the engine to its next mode, and repeats the query."""
        session, store = self._project.session, self._services.store
        if self._project.refuses() or session is None:
            return
        modes = session.engines.named(store.view.engine.name).modes
        if not modes:
            message = f"{store.view.presentation.title} has only one mode"
            if self._project.has_other_engines:
                message += f": {self._services.shown_key('engine.next')} switches the engine"
            self._services.notify(message, timeout=4)
            return
        next_mode = modes[(modes.index(store.view.engine.mode) + 1) % len(modes)]
        store.update(store.view.engine._replace(mode=next_mode))
        self._queries.ask_again()

    # preparing

    def _view_changed(self) -> None:
        view = self._services.store.view
        name, overview = self._seen
        self._seen = (view.engine.name, view.project.overview)
        if view.engine.name != name and view.project.overview is not None and self._project.session is not None:
            self._project.session.services_permitted = True  # the user has selected an engine
        if view.engine.name != name or view.project.overview is not overview:
            self._prepare()

    def _prepare(self) -> None:
        session, view, background = self._project.session, self._services.store.view, self._services.background
        if session is None or view.project.overview is None:
            return
        name = view.engine.name
        if isinstance(session.engines.named(name), PreparingEngine) and session.may_call_services(name):
            self._show(_PREPARING)
            report = background.relay(self._progressed)
            prepare = partial(answering.prepare, session, name, report, is_cancelled)
            background.run(prepare, self._prepared, group=_GROUP, exclusive=True, on_error=self._broke_down)
        else:
            background.cancel(_GROUP)
            self._show("")

    def _progressed(self, done: int, total: int) -> None:
        if self._services.store.view.answer.preparing:
            self._show(f"vectors {done} of {total}")

    def _prepared(self, refused: EngineUnusable | None) -> None:
        session = self._project.session
        self._show("")
        if refused is not None:
            self._queries.refused(refused)
        elif session is not None and answering.has_services(session):
            self._queries.ask_again()  # the preview did not wait for these vectors

    def _broke_down(self, why: str) -> None:
        self._show("")
        self._services.notify(why, severity="error", timeout=10)

    def _show(self, preparing: str) -> None:
        store = self._services.store
        if store.view.answer.preparing != preparing:
            store.update(store.view.answer._replace(preparing=preparing))
