"""The controllers of the app: each is given those that it calls."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from brvtui.app.modes import LAB
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.project import Project
from brvtui.app.project.selection import Selection
from brvtui.app.project.stale import StaleFiles
from brvtui.app.project.switches import Switches
from brvtui.app.query.answering import import_painters
from brvtui.app.query.cache import Cache
from brvtui.app.query.queries import Queries
from brvtui.app.query.reasons import Reasons
from brvtui.app.screens.frame import frame_of
from brvtui.config.schema import FEW

if TYPE_CHECKING:
    from brvtui.app.crashing import ReportingApp
    from brvtui.app.editing.changes import NoteChanges
    from brvtui.app.editing.controller import Editing
    from brvtui.app.editing.drafts import Drafts
    from brvtui.app.editing.external_editor import ExternalEditor
    from brvtui.app.editing.leaving import Leaving
    from brvtui.app.exporting.sharing import Sharing
    from brvtui.app.fleet.fleet_queries import FleetQueries
    from brvtui.app.lab.edit_check import EditCheck
    from brvtui.app.lab.lab import Lab
    from brvtui.app.log.logs import Logs
    from brvtui.app.notes.browsing import Browsing
    from brvtui.app.project.opening import Opening
    from brvtui.app.project.project import ProjectListener
    from brvtui.app.query.engine_choice import EngineChoice
    from brvtui.app.query.memories import Memories
    from brvtui.app.query.model_runs import ModelRuns
    from brvtui.app.query.screen import QueryScreen
    from brvtui.app.services import AppServices
    from brvtui.app.versions.controller import Versions
    from brvtui.trace import Remedy


class Controllers:
    """Makes each controller when it is first needed, and leads from one screen to another."""

    def __init__(
        self, services: AppServices, opening: Opening, *, app: ReportingApp, listener: ProjectListener
    ) -> None:
        """Those that the first frame needs. ``app`` is what gives the ``services``."""
        self._services = services
        self._opening = opening
        self._app = app
        project = self.project = Project(opening, services, listener)
        self.layouts = Layouts(services, project, services.configuration.settings.panes == FEW, self._take_layout)
        self.stale = StaleFiles(services, project)
        self.selection = Selection(services, project)
        self.reasons = Reasons(services, project)
        self.cache = Cache(services, project, lambda: self.queries.ask_again())
        self.queries = Queries(
            services,
            project,
            self.selection,
            self.reasons,
            self.cache,
            lambda ask: self.model.run(ask),
            lambda: self.model.cancel(),
            lambda problem: self.logs.logged(problem),
        )
        self.switches = Switches(services, project, self.queries.ask_again)

    # The first frame is painted before the controllers below are imported; each is made when it is first needed.

    @cached_property
    def model(self) -> ModelRuns:
        """Answers that a model writes."""
        from brvtui.app.query.model_runs import ModelRuns

        return ModelRuns(self._services, self.project, self.queries, self.cache, self.logs.logged, self._bring_answer)

    @cached_property
    def engines(self) -> EngineChoice:
        """Chooses the engine that answers."""
        from brvtui.app.query.engine_choice import EngineChoice

        return EngineChoice(self._services, self.project, self.queries, self.memories.open)

    @cached_property
    def browsing(self) -> Browsing:
        """What the Notes screen shows."""
        from brvtui.app.notes.browsing import Browsing

        return Browsing(self._services, self.project)

    @cached_property
    def logs(self) -> Logs:
        """The engine's log and our own."""
        from brvtui.app.log.logs import Logs

        return Logs(self._services, self.project, self._ask_in, partial(self.reasons.explain_logged, self.go_to_remedy))

    @cached_property
    def lab(self) -> Lab:
        """The judged queries."""
        from brvtui.app.lab.lab import Lab

        return Lab(
            self._services,
            self.project,
            self.edits,
            lambda: self.editing.unsaved_text(),
            self.queries.use,
            self.switches.use_profile,
            self._ask_in,
        )

    @cached_property
    def edits(self) -> EditCheck:
        """What edits change of the judged queries."""
        from brvtui.app.lab.edit_check import EditCheck

        return EditCheck(self._services, self.project)

    @cached_property
    def fleet(self) -> FleetQueries:
        """The fleet that is open, if one is."""
        from brvtui.app.fleet.fleet_queries import FleetQueries

        return FleetQueries(self._services, self._opening.fleet, lambda *member: self.memories.open_member(*member))

    @cached_property
    def versions(self) -> Versions:
        """The installed engine."""
        from brvtui.app.versions.controller import Versions

        return Versions(self._services, self.project)

    @cached_property
    def sharing(self) -> Sharing:
        """What is copied, and traces that are saved."""
        from brvtui.app.exporting.sharing import Sharing
        from brvtui.app.query.comparison import compared_text

        def write(escape: str) -> None:
            if self._app._driver is not None:
                self._app._driver.write(escape)

        def comparison() -> str:
            view = self._services.store.view
            return compared_text(view.pin, view.answered, self._services.glyphs)

        return Sharing(self._services, self.project, write, comparison)

    @cached_property
    def drafts(self) -> Drafts:
        """Texts that were not saved."""
        from brvtui.app.editing.drafts import Drafts

        return Drafts(self._services, self.project, lambda path: self.editing.edit(path))

    @cached_property
    def external_editor(self) -> ExternalEditor:
        """The user's own editor."""
        from brvtui.app.editing.external_editor import ExternalEditor

        return ExternalEditor(
            self._services,
            self.project,
            self.drafts,
            self._app.suspend,
            lambda conflict: self.editing.resolve(conflict),
        )

    @cached_property
    def editing(self) -> Editing:
        """The note that is edited."""
        from brvtui.app.editing.controller import Editing

        return Editing(self._services, self.project, self.external_editor, self.drafts, self._app.workers)

    @cached_property
    def changes(self) -> NoteChanges:
        """Changes of notes that are planned, shown, carried out and undone."""
        from brvtui.app.editing.changes import NoteChanges

        return NoteChanges(self._services, self.project, self.editing)

    @cached_property
    def leaving(self) -> Leaving:
        """The end of this app, or another app in place of it."""
        from brvtui.app.editing.leaving import Leaving

        def end(code: int) -> None:
            self._app.exit(return_code=code)

        return Leaving(self._services, self.editing, self.layouts, self._app.time_left, end)

    @cached_property
    def memories(self) -> Memories:
        """Other memories that can be opened in place of this one."""
        from brvtui.app.query.memories import Memories

        def leave_for(opening: Opening) -> None:
            self.leaving.leave_for(opening)

        return Memories(self._services, self.project, self._opening, lambda: self._query_screen, leave_for)

    # what leads from one screen to another

    @property
    def _query_screen(self) -> QueryScreen:
        """The Query screen, which was in front before."""
        (first, *_) = self._app.get_screen_stack("query")
        return cast("QueryScreen", first)

    def _ask_in(self, query: str, scope: str) -> None:
        """Asks ``query`` on the Query screen, in the folder ``scope`` (empty: the whole tree)."""
        self.queries.scope_to(scope)
        self._query_screen.fill(query)

    def keep_answer(self, query: str, scope: str) -> None:
        """Judges ``query`` by its answer now."""
        if not self.project.refuses():
            self.lab.keep([(query, scope)])

    def show_answers_in(self, days: int) -> None:
        """Asks the judged queries as of ``days`` on, in a column of the Lab."""

        async def show() -> None:
            from brvtui.app.lab.screen import LabScreen
            from brvtui.lab.whatif.variant import Variant

            await self._services.switch_mode(LAB.name)
            frame = frame_of(self._app)
            if isinstance(frame, LabScreen):
                frame.add_column(Variant(days=days))

        self._app.run_worker(show(), exclusive=True, group="answers later")

    async def go_to_remedy(self, path: str, remedy: Remedy) -> None:
        """Goes to where the change of ``remedy`` is made: the query's field, the signals, or the editor.

        Says how where that is none of them.
        """
        from brvtui.trace import RemedyKind

        if remedy.query:
            await self._services.switch_mode("query")
            self.queries.select_once_answered(remedy.query, path)
            self._query_screen.fill(remedy.query)
        elif remedy.maturity:
            self.changes.set_signals(path, remedy.maturity)
        elif remedy.kind is not None:
            self._services.notify(f"to make it: {remedy.how} ({remedy.text})", timeout=10)
            if remedy.kind is not RemedyKind.UPDATE:  # which ByteRover alone can make
                self.editing.edit(path)
        else:
            self._services.notify(f"to make it: {remedy.text}", timeout=10)

    def _bring_answer(self) -> None:
        if frame_of(self._app) is self._query_screen:
            self._query_screen.bring_answer()

    def _take_layout(self) -> None:
        frame = frame_of(self._app)
        if frame is not None:
            frame.take_layout()


def import_rest(engine: str) -> None:
    """Imports what paints answers of ``engine``, then the controllers, so that no key waits for it. It blocks."""
    import_painters(engine)
    from brvtui.app.editing import changes  # noqa: F401
    from brvtui.app.exporting import sharing  # noqa: F401
    from brvtui.app.lab import screen  # noqa: F401
    from brvtui.app.log import logs  # noqa: F401
    from brvtui.app.notes import browsing  # noqa: F401
    from brvtui.app.query import model_runs  # noqa: F401
