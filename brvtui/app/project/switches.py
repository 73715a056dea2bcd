"""Switches of the session: its profile, and whether it records access hits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.project.opening import TreeRead
from brvtui.app.project.project import LOAD, Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Newest, Refusal
from brvtui.engines.profile_files import profiles_of
from brvtui.engines.registry import reads_trees

if TYPE_CHECKING:
    from brvtui.config import Configuration
    from brvtui.session import Session


class Switches:
    """Switches the session and says so in a toast."""

    def __init__(self, services: AppServices, project: Project, ask_again: Callable[[], None]) -> None:
        """``ask_again`` asks the query anew under another profile."""
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
