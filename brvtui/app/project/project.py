"""The open project or saved trace: opens and reads it, follows changes on disk, and switches its session."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from brvtui.app.project import opening
from brvtui.app.project.opening import OpenedProject, Opening, TreeRead
from brvtui.app.services import AppServices
from brvtui.app.states import Phase, WatchState
from brvtui.app.workers import Newest, Refusal
from brvtui.config.schema import SettingProblem
from brvtui.engines.registry import reads_trees
from brvtui.paint.text import seconds
from brvtui.saved import is_saved

if TYPE_CHECKING:
    from brvtui.app.contents import Overview
    from brvtui.app.overview import OverviewBuilder
    from brvtui.config import Configuration
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session
    from brvtui.session.finding import IndexState
    from brvtui.store.app_state import MemoryChoice

CATCHING_UP_S = 0.25
"""The delay in seconds before the status line shows that changes are being read."""
TRIED_AGAIN_S = 3.0
"""The interval in seconds between attempts to open a project that could not be opened."""
LOAD = "load"
"""The group of workers that read the tree."""
_COLLECTIONS = (10_000, 5, 20)
"""The thresholds of garbage collection; the first is a number of new objects, by default 700 in Python."""
_LINKED = "the context tree is a link: open the folder that it points to, and add notes there"


class Project:
    """Opens a project and reads changes on disk. Blocking work runs in workers."""

    def __init__(self, request: Opening, services: AppServices) -> None:
        self._request = request
        self._services = services
        self.session: Session | None = None
        """The session of the open project; None while no project is open."""
        self.saved: SavedTrace | None = None
        """The displayed saved trace; None for a project."""
        self.choice: MemoryChoice | None = None
        """The stored choice of memory; None if the project does not have both a context tree and a space."""
        self.is_chosen = True
        """True if the user has chosen one of two memories, or if there is only one."""
        self._reading = False
        self._changed_again = False
        """True if the tree changed again while it was being read."""
        self._after_save = False
        """True if the tree is being read because the user saved."""
        self._late_timer: Timer | None = None
        self._texts: Newest[Session] = Newest(self._index_texts)
        self._texts_problem = ""

    @cached_property
    def overviews(self) -> OverviewBuilder:
        """Builds overviews of the tree; first used in a worker, after the first frame."""
        from brvtui.app.overview import OverviewBuilder

        return OverviewBuilder()

    def refuses(self) -> bool:
        """True if no project is open; then also shows a message about opening one."""
        return self._refuses_for(self._services.store.view.no_project)

    def _refuses_for(self, why: str) -> bool:
        """Shows ``why`` as a message and returns True, unless ``why`` is empty."""
        if why:
            self._services.notify(why, timeout=4)
        return bool(why)

    @property
    def has_other_engines(self) -> bool:
        """True if the user can switch to another engine or to the project's other memory."""
        return self.session is not None and (self.choice is not None or len(self.session.engines.names) > 1)

    def refuses_edits(self) -> bool:
        """True if code is open, which is read-only here; then also shows a message about this."""
        session = self.session
        return session is not None and not session.kind.has_files and self._refuses_for(session.kind.not_added)

    def refuses_changes(self) -> bool:
        """True if files cannot be moved or created, as in code, spaces and unread linked trees; also shows why."""
        session = self.session
        if session is None:
            return False
        is_unread = bool(session.project.link) and not session.profile.limits.linked_trees
        return self._refuses_for(session.kind.not_added or (_LINKED if is_unread else ""))

    def chosen(self, memory: str) -> Opening:
        """Stores the choice of ``memory``, and returns the request that opens it."""
        assert self.choice is not None
        self.is_chosen = True
        self._services.background.run(partial(opening.remember, self.choice, memory), group="choice")
        return self._request._replace(memory=memory)

    # opening: each step starts the next one

    def open(self) -> None:
        """Opens, reads and watches the project, or opens a saved trace."""
        start, run = self._request.start, self._services.background.run
        if start is not None and is_saved(start):
            run(partial(opening.read_saved, start), self._reopened, group=LOAD, on_error=self.failed)
        elif self._services.store.view.project.phase is Phase.FAILED:
            run(self._open_and_read, self._opened_at_last, group=LOAD, on_error=self.failed)
        else:
            run(partial(opening.open_session, self._request), self._opened, group=LOAD, on_error=self.failed)

    def _reopened(self, read: tuple[SavedTrace, Overview]) -> None:
        settle_memory()
        self.saved, overview = read
        self._services.trace_reopened(self.saved, overview)

    def _opened(self, opened: OpenedProject | SettingProblem) -> None:
        if isinstance(opened, SettingProblem):
            self.failed(opened.message, opened)
            return
        background = self._services.background
        self._begin(opened)
        read = partial(self._read_first, opened.session, background.relay(self._progressed))
        background.run(read, self._first_read, group=LOAD, on_error=self.failed)

    def _begin(self, opened: OpenedProject) -> None:
        session = self.session = opened.session
        store = self._services.store
        self.choice, self.is_chosen = opened.choice, opened.choice is None or opened.is_chosen
        self._services.project_opened(session)
        store.update(
            store.view.engine._replace(
                frozen=session.frozen, recording=session.recording, has_others=self.has_other_engines
            )
        )

    def _open_and_read(self) -> tuple[OpenedProject, TreeRead | None] | SettingProblem:
        """Opens and reads the project in one step, so that a retry shows nothing unless both succeed. Blocks."""
        opened = opening.open_session(self._request)
        return opened if isinstance(opened, SettingProblem) else (opened, self._read_first(opened.session))

    def _opened_at_last(self, result: tuple[OpenedProject, TreeRead | None] | SettingProblem) -> None:
        if isinstance(result, SettingProblem):
            self.failed(result.message, result)
            return
        opened, read = result
        self._begin(opened)
        self._first_read(read)

    def _read_first(self, session: Session, progressed: Callable[[int, int], None] | None = None) -> TreeRead | None:
        """Reads the tree for the first time; closes ``session`` if that fails. Blocks."""
        try:
            return opening.read_tree(session, self.overviews, progressed=progressed)
        except Refusal:
            session.close()
            raise

    def _progressed(self, done: int, total: int) -> None:
        project = self._services.store.view.project
        if project.phase is Phase.LOADING:
            self._services.store.update(project._replace(done=done, total=total))

    def _first_read(self, read: TreeRead | None) -> None:
        self.show_tree(read)
        if self.session is not None:
            background = self._services.background
            changed, watching = background.relay(self._disk_changed), background.relay(self._watching)
            background.run(partial(opening.samples, self.session), self._sampled, group="samples")
            watch = partial(opening.watch, self.session, changed, watching)
            background.run(watch, self._watched, group=LOAD, on_error=self.failed)

    def _sampled(self, samples: tuple[str, ...]) -> None:
        store = self._services.store
        store.update(store.view.query._replace(samples=samples))

    def _watched(self, _: None) -> None:
        if self.session is not None:  # changes from before watching started
            read = partial(self.read_tree, self.session)
            self._services.background.run(read, self._followed, group=LOAD, on_error=self.failed)

    def _followed(self, read: TreeRead | None) -> None:
        self.show_tree(read)
        if self.session is not None:
            keep = partial(opening.keep, self.session)
            self._services.background.run(keep, group=LOAD, on_error=self.failed, on_end=settle_memory)
            self._follow_texts()

    def close(self) -> None:
        """Stores the index for the next start, and stops watching."""
        self._changed_again = False
        if self.session is not None:
            with suppress(OSError):  # was reported at the first attempt
                self.session.keep(everything=True)
            self.session.close()

    # reading

    def read_tree(self, session: Session) -> TreeRead | None:
        """Reads changes on disk; returns None if there are none. Blocks, and raises :class:`Refusal` on errors."""
        return opening.read_tree(session, self.overviews, self._services.store.view.project.generation)

    def show_tree(self, read: TreeRead | None, by_a_run: bool = False) -> None:
        """Shows the tree; repeats the query unless the change was made ``by_a_run`` that recorded access hits."""
        if read is None:
            return
        store = self._services.store
        first = store.view.project.overview is None
        project = store.view.project._replace(phase=Phase.READY, problem="", closed_by=None, overview=read.overview)
        store.update(project, store.view.note._replace(text=None))
        if first:
            settle_memory()
            store.update(store.view.query._replace(history=read.history))
            for notice in read.overview.notices:
                self._services.notify(notice, timeout=8)
        if not by_a_run:
            self._services.tree_shown(first)

    def failed(self, why: str, closed_by: SettingProblem | None = None) -> None:
        """Shows ``why`` the project cannot be opened; ``closed_by`` is the setting that prevents this, if there is one.

        If the project was open and can no longer be read, the reason is shown only in a message.
        """
        store = self._services.store
        project = store.view.project
        if project.overview is None:
            if project.phase is not Phase.FAILED:
                settle_memory()
                self._services.opening_failed()
            failed = project._replace(phase=Phase.FAILED, problem=why, closed_by=closed_by)
            if failed != project:
                store.update(failed)
            self._services.set_timer(TRIED_AGAIN_S, self.open)
        else:
            self._services.notify(why, severity="error", timeout=10)

    # following

    def follow(self, after_save: bool = False) -> None:
        """Reads changes on disk now, or after the current reading; ``after_save`` means that the user saved."""
        if self.session is None:
            return
        self._after_save = self._after_save or after_save
        if self._reading:
            self._changed_again = True
            return
        self._reading = True
        self._late_timer = self._services.set_timer(CATCHING_UP_S, lambda: self._show_catching_up(True))
        self._read_again(self.session)

    def _read_again(self, session: Session) -> None:
        self._changed_again = False
        read = partial(self.read_tree, session)
        run = self._services.background.run
        run(read, self.show_tree, group=LOAD, on_error=self.failed, on_end=self._caught_up)

    def _caught_up(self) -> None:
        """Reads the tree again if it has changed since the last reading; otherwise shows that it is up to date."""
        if self._changed_again and self.session is not None:
            self._read_again(self.session)
            return
        self._reading = False
        if self._late_timer is not None:
            self._late_timer.stop()
            self._late_timer = None
        self._show_catching_up(False)
        self._follow_texts()
        if self._after_save:
            self._after_save = False
            self._services.save_read()

    def _follow_texts(self) -> None:
        """Updates the text index, one update at a time; the index of code is built when it is needed."""
        if self.session is not None and self.session.kind.has_files:
            self._texts.want(self.session)

    def _index_texts(self, session: Session) -> None:
        follow = partial(opening.follow_texts, session)
        self._services.background.run(follow, self._texts_indexed, group="text index", on_end=self._texts.finished)

    def _texts_indexed(self, index: IndexState) -> None:
        if index.problem not in ("", self._texts_problem):
            self._services.notify(index.problem, severity="warning", timeout=8)
        self._texts_problem = index.problem
        watch = self._services.store.view.watch
        if watch.text_index != index.place:
            self._services.store.update(watch._replace(text_index=index.place))

    def _show_catching_up(self, catching_up: bool) -> None:
        watch = self._services.store.view.watch
        if watch.catching_up != catching_up:
            self._services.store.update(watch._replace(catching_up=catching_up))

    def _watching(self, watch: WatchState) -> None:
        store = self._services.store
        shown = store.view.watch
        store.update(watch._replace(catching_up=shown.catching_up, text_index=shown.text_index))
        if watch.poll_s:
            often = f"so all files are checked every {seconds(watch.poll_s)}, or less often if there are many"
            self._services.notify(f"{watch.why}; {often}", severity="warning", timeout=10)

    def _disk_changed(self) -> None:
        self._services.disk_changed()
        self.follow()


def settle_memory() -> None:
    """Exempts existing objects from garbage collection, and enables collection with large thresholds.

    A collection blocks the event loop: a full one takes 60 ms with ten thousand notes.
    """
    if not gc.isenabled():
        gc.set_threshold(*_COLLECTIONS)
    if gc.get_threshold() == _COLLECTIONS:
        gc.freeze()
        gc.enable()


class Switches:
    """Switches the session's profile and other options, and shows a message about each switch."""

    def __init__(self, services: AppServices, project: Project, ask_again: Callable[[], None]) -> None:
        """Creates the controller; ``ask_again`` repeats the query with another profile."""
        self._services = services
        self._project = project
        self._ask_again = ask_again
        self._switching: Newest[tuple[str, str]] = Newest(self._switch)
        """The requested engine and profile; while a switch reads the tree, another switch may be requested."""
        self._requested = ("", "")
        """The last requested engine and profile. They are in use unless the switch is still running or has failed."""

    def next_profile(self) -> None:
        """Switches the engine to the next profile after the last requested profile."""
        view = self._services.store.view
        if self._project.session is not None and view.project.overview is not None:
            from brvtui.engines.profile_files import profiles_of

            read, take = partial(profiles_of, view.engine.name), partial(self._switch_to_next, view.engine.name)
            self._services.background.run(read, take, group="profiles")

    def _switch_to_next(self, engine: str, names: tuple[str, ...]) -> None:
        view = self._services.store.view
        if view.engine.name != engine:
            return
        if len(names) < 2:
            keeps = self._services.with_keys("{whatif.keep} in the Lab (What if) saves another one")
            self._services.notify(
                f"{view.presentation.title} has only one profile, {view.engine.profile}; {keeps}", timeout=4
            )
            return
        engine_before, profile = self._requested
        current = profile if engine_before == engine else view.engine.profile.removesuffix("*")
        place = names.index(current) if current in names else -1
        self._requested = engine, names[(place + 1) % len(names)]
        self._switching.want(self._requested)

    def use_profile(self, engine: str, profile: str) -> None:
        """Switches ``engine`` to the built-in ``profile``."""
        session = self._project.session
        if session is not None and session.engines.profile(engine).removesuffix("*") != profile:
            self._requested = engine, profile
            self._switching.want(self._requested)

    def _switch(self, request: tuple[str, str]) -> None:
        session, (engine, profile) = self._project.session, request
        assert session is not None

        def switch() -> TreeRead | None:
            from brvtui.engines.contract import EngineError
            from brvtui.typed_tables import ProfileError

            try:
                session.use_profile(profile, engine)
            except (ProfileError, EngineError) as error:
                raise Refusal(str(error)) from error
            return self._project.read_tree(session)

        switched, run = partial(self._switched, session, engine), self._services.background.run
        run(switch, switched, group=LOAD, on_error=self._project.failed, on_end=self._switching.finished)

    def _switched(self, session: Session, engine: str, read: TreeRead | None) -> None:
        self._project.show_tree(read)
        store, profile = self._services.store, session.engines.profile(engine)
        store.update(store.view.engine._replace(profile=profile), store.view.answer._replace(ticks={}))
        summary = f": {session.profile.summary}; the simulated cache has been cleared" if reads_trees(engine) else ""
        self._services.notify(f"profile {profile}{summary}", timeout=4)
        self._ask_again()

    def record(self) -> None:
        """Turns recording of access hits on or off."""
        session, store = self._project.session, self._services.store
        if session is not None and not self._project.refuses_changes():
            session.recording = not session.recording
            store.update(store.view.engine._replace(recording=session.recording))
            message = "runs now record access hits in brv-tui's own overlay (the engine's files are not changed)"
            self._services.notify(message if session.recording else "access hits are no longer recorded")

    def adopt(self, configuration: Configuration) -> None:
        """Applies the settings in ``configuration`` that have changed."""
        session, settings, store = self._project.session, configuration.settings, self._services.store
        if session is not None and session.configuration is not configuration:
            before = session.configuration.settings.recording
            session.configuration = configuration
            if settings.recording != before:
                session.recording = settings.recording
        recording = session is not None and session.recording
        store.update(store.view.engine._replace(recording=recording))
