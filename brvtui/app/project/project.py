"""The open project: opens and reads it, follows changes on disk, and switches its session; or a saved trace."""

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
from brvtui.engines.profile_files import profiles_of
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
"""The status shows that changes are being read once that takes longer than so many seconds."""
TRIED_AGAIN_S = 3.0
"""What could not be opened is tried again after so many seconds: it may only now be made, or repaired."""
LOAD = "load"
"""The group of workers that read the tree."""
_COLLECTIONS = (10_000, 5, 20)
"""How many new objects lead to a collection of these (Python's 700), and how many of those to one of older ones."""
_LINKED = "the context tree is behind a link: open the folder that the link points to, and add notes there"


class Project:
    """Opens a project and reads what changes on disk. Whatever blocks runs in a worker."""

    def __init__(self, request: Opening, services: AppServices) -> None:
        """Nothing is open yet."""
        self._request = request
        self._services = services
        self.session: Session | None = None
        """None while no project is open."""
        self.saved: SavedTrace | None = None
        """None while no saved trace is shown."""
        self.choice: MemoryChoice | None = None
        """Keeps which memory is opened; None for a project that has not both, a context tree and a space."""
        self.is_chosen = True
        """Whether the user chose one of the two memories, or there is nothing to choose."""
        self._reading = False
        self._changed_again = False
        """Whether something changed while the tree was read."""
        self._after_save = False
        """Whether what is being read was saved by the user."""
        self._late_timer: Timer | None = None
        self._texts: Newest[Session] = Newest(self._index_texts)
        self._texts_problem = ""

    @cached_property
    def overviews(self) -> OverviewBuilder:
        """Makes overviews of the tree; first needed in a worker, after the first frame."""
        from brvtui.app.overview import OverviewBuilder

        return OverviewBuilder()

    def refuses(self) -> bool:
        """Returns whether no project is open, but a saved trace or nothing at all; a toast then says what opens one."""
        return self._refuses_for(self._services.store.view.no_project)

    def _refuses_for(self, why: str) -> bool:
        """Returns whether there is a reason to refuse, which a toast then says."""
        if why:
            self._services.notify(why, timeout=4)
        return bool(why)

    @property
    def has_other_engines(self) -> bool:
        """Whether another engine, or the engine of the project's other memory, can be switched to."""
        return self.session is not None and (self.choice is not None or len(self.session.engines.names) > 1)

    def refuses_edits(self) -> bool:
        """Returns whether code is open, which is only read here; a toast then says so."""
        session = self.session
        return session is not None and not session.kind.has_files and self._refuses_for(session.kind.not_added)

    def refuses_changes(self) -> bool:
        """Returns whether files are not moved nor made here: those of code, of a space, or in an unread linked tree.

        A toast then says so.
        """
        session = self.session
        if session is None:
            return False
        is_unread = bool(session.project.link) and not session.profile.limits.linked_trees
        return self._refuses_for(session.kind.not_added or (_LINKED if is_unread else ""))

    def chosen(self, memory: str) -> Opening:
        """Keeps that ``memory`` was chosen of the two; returns what opens it."""
        assert self.choice is not None
        self.is_chosen = True
        self._services.background.run(partial(opening.remember, self.choice, memory), group="choice")
        return self._request._replace(memory=memory)

    # opening: each step begins the next one

    def open(self) -> None:
        """Opens the project, reads and watches it; or opens a saved trace."""
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
        """Opens and reads in one go, so that another attempt shows nothing unless all of it succeeds. Blocks."""
        opened = opening.open_session(self._request)
        return opened if isinstance(opened, SettingProblem) else (opened, self._read_first(opened.session))

    def _opened_at_last(self, made: tuple[OpenedProject, TreeRead | None] | SettingProblem) -> None:
        if isinstance(made, SettingProblem):
            self.failed(made.message, made)
            return
        opened, read = made
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
            watch = partial(opening.watch, self.session, changed, watching)
            background.run(watch, self._watched, group=LOAD, on_error=self.failed)

    def _watched(self, _: None) -> None:
        if self.session is not None:  # for changes from before watching began
            read = partial(self.read_tree, self.session)
            self._services.background.run(read, self._followed, group=LOAD, on_error=self.failed)

    def _followed(self, read: TreeRead | None) -> None:
        self.show_tree(read)
        if self.session is not None:
            keep = partial(opening.keep, self.session)
            self._services.background.run(keep, group=LOAD, on_error=self.failed, on_end=settle_memory)
            self._follow_texts()

    def close(self) -> None:
        """Keeps the index for the next start, and ends watching."""
        self._changed_again = False
        if self.session is not None:
            with suppress(OSError):  # reported when it was first tried
                self.session.keep(everything=True)
            self.session.close()

    # reading

    def read_tree(self, session: Session) -> TreeRead | None:
        """Reads what changed on disk; returns None if nothing did. Blocks, and raises :class:`Refusal`."""
        return opening.read_tree(session, self.overviews, self._services.store.view.project.generation)

    def show_tree(self, read: TreeRead | None, by_a_run: bool = False) -> None:
        """Shows the tree as it was read. After a run, which may record access hits, its answer stays as it is."""
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
        """Shows ``why`` the project cannot be opened, and the setting that keeps it closed, if one does.

        In a toast if it was open and cannot be read any more.
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
        """Reads what changed on disk, ``after_save`` by the user: now, or after the reading that is under way."""
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
        """Reads again if something changed meanwhile, else shows that the tree is up to date."""
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
        """Brings the text index up to date, one time after the other; that of code is made when it is needed."""
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
            often = f"so all files are looked at every {seconds(watch.poll_s)}, or less often when there are many"
            self._services.notify(f"{watch.why}; {often}", severity="warning", timeout=10)

    def _disk_changed(self) -> None:
        self._services.disk_changed()
        self.follow()


def settle_memory() -> None:
    """Sets what was made while starting apart from garbage collection, and turns that on, seldom and in small steps.

    A collection holds up the event loop: one of everything that ten thousand notes leave behind takes 60 ms.
    """
    if not gc.isenabled():
        gc.set_threshold(*_COLLECTIONS)
    if gc.get_threshold() == _COLLECTIONS:
        gc.freeze()
        gc.enable()


class Switches:
    """Switches the session and says so in a toast."""

    def __init__(self, services: AppServices, project: Project, ask_again: Callable[[], None]) -> None:
        """``ask_again`` asks the query again under another profile."""
        self._services = services
        self._project = project
        self._ask_again = ask_again
        self._switching: Newest[tuple[str, str]] = Newest(self._switch)
        """Engine and profile: a switch reads the tree, and another may be asked for meanwhile."""
        self._asked = ("", "")
        """The last engine and profile asked for; in use, unless it is still being switched to or cannot be used."""

    def next_profile(self) -> None:
        """Switches the engine to the profile after the last one asked for, once its profiles are read."""
        view = self._services.store.view
        if self._project.session is not None and view.project.overview is not None:
            read, take = partial(profiles_of, view.engine.name), partial(self._switch_to_next, view.engine.name)
            self._services.background.run(read, take, group="profiles")

    def _switch_to_next(self, engine: str, names: tuple[str, ...]) -> None:
        view = self._services.store.view
        if view.engine.name != engine:
            return
        if len(names) < 2:
            keeps = self._services.with_keys("{whatif.keep} in the Lab (What if) keeps another")
            self._services.notify(
                f"{view.presentation.title} has one profile: {view.engine.profile}; {keeps}", timeout=4
            )
            return
        asked_engine, asked = self._asked
        current = asked if asked_engine == engine else view.engine.profile.removesuffix("*")
        place = names.index(current) if current in names else -1
        self._asked = engine, names[(place + 1) % len(names)]
        self._switching.want(self._asked)

    def use_profile(self, engine: str, profile: str) -> None:
        """Switches ``engine`` to ``profile``, a built-in one."""
        session = self._project.session
        if session is not None and session.engines.profile(engine).removesuffix("*") != profile:
            self._asked = engine, profile
            self._switching.want(self._asked)

    def _switch(self, asked: tuple[str, str]) -> None:
        session, (engine, profile) = self._project.session, asked
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
        summary = f": {session.profile.summary}; the simulated cache is emptied" if reads_trees(engine) else ""
        self._services.notify(f"profile {profile}{summary}", timeout=4)
        self._ask_again()

    def record(self) -> None:
        """Turns recording of access hits on or off."""
        session, store = self._project.session, self._services.store
        if session is not None and not self._project.refuses_changes():
            session.recording = not session.recording
            store.update(store.view.engine._replace(recording=session.recording))
            said = "runs now record access hits in brv-tui's own overlay (the engine's files stay untouched)"
            self._services.notify(said if session.recording else "access hits are no longer recorded")

    def adopt(self, configuration: Configuration) -> None:
        """Applies the settings in ``configuration`` that differ from those in effect."""
        session, settings, store = self._project.session, configuration.settings, self._services.store
        if session is not None and session.configuration is not configuration:
            before = session.configuration.settings.recording
            session.configuration = configuration
            if settings.recording != before:
                session.recording = settings.recording
        recording = session is not None and session.recording
        store.update(store.view.engine._replace(recording=recording))
