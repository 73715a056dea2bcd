"""What the engine is switched to: a profile, recording of access hits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import Notifies, Posts, Surveyed
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.store import ViewStore
from brvtui.profiles import BUILT_IN

if TYPE_CHECKING:
    from brvtui.config import Configuration


class Host(Notifies, Posts, Protocol):
    """What switching needs of the app."""


class Read(Surveyed, Protocol):
    """How the tree is read anew."""

    @property
    def load(self) -> Job:
        """Reading it."""
        ...


class Switches:
    """Switches the session, and says so."""

    def __init__(
        self,
        host: Host,
        hearing: Hearing,
        threads: Threads,
        project: Read,
        store: ViewStore,
        put_again: Callable[[], None],
    ) -> None:
        """``put_again`` asks the query anew under another profile."""
        self._host = host
        self._threads = threads
        self._project = project
        self._store = store
        self._put_again = put_again
        hearing.hear(news.ProfileSwitched, self._switched)

    def next_profile(self) -> None:
        """Switches to the next built-in profile."""
        session = self._project.session
        if session is None or self._store.view.project.overview is None:
            return
        current = session.profile.name.removesuffix("*")
        following = BUILT_IN[(BUILT_IN.index(current) + 1) % len(BUILT_IN)] if current in BUILT_IN else BUILT_IN[0]
        surveyor, post = self._project.surveyor, self._host.post_message
        self._threads.start(self._project.load, engine.use_profile, session, following, surveyor, post)

    def _switched(self, event: news.ProfileSwitched) -> None:
        self._store.update(
            replace(self._store.view.engine, profile=event.name), replace(self._store.view.answer, ticks={})
        )
        self._host.notify(f"profile {event.name}: {event.summary}", timeout=4)
        self._put_again()

    def record(self) -> None:
        """Turns recording of access hits on or off."""
        session = self._project.session
        if session is not None:
            session.recording = not session.recording
            self._store.update(replace(self._store.view.engine, recording=session.recording))
            on_text = "runs now record access hits in brv-tui's own overlay (the engine's files stay untouched)"
            self._host.notify(on_text if session.recording else "access hits are no longer recorded")

    def adopt(self, configuration: Configuration) -> None:
        """Puts the settings ``configuration`` into effect, as far as they differ from those so far."""
        session, settings = self._project.session, configuration.settings
        if session is not None and session.configuration is not configuration:
            before = session.configuration.settings.recording
            session.configuration = configuration
            if settings.recording != before:
                session.recording = settings.recording
        self._store.update(
            replace(self._store.view.engine, recording=session.recording if session is not None else False)
        )
