"""Notes whose files are not what is shown of them: newer than the index, or gone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.needs import HasSession, Posts, Repeats
from brvtui.app.parts.shown import Shown
from brvtui.app.parts.threads import Job, Threads
from brvtui.app.view import GONE, selectable

LOOK_S = 2.0
"""How often files are looked at while the index may be behind them."""
_REASONS = frozenset({"trace", "foreign", "selected", "overview", "catching_up", "watching"})
"""What of the view decides which files are shown, and whether the index may be behind."""
_LOOK = Job("files", exclusive=True)


class Host(Posts, Repeats, Protocol):
    """What looking at files needs of the app."""


class Astray:
    """Marks what is shown of files that changed since. While the system tells of changes, the index is not behind."""

    def __init__(self, host: Host, hearing: Hearing, threads: Threads, project: HasSession, shown: Shown) -> None:
        """Looks whenever other files are shown, where the index may be behind them."""
        self._host = host
        self._threads = threads
        self._project = project
        self._shown = shown
        shown.follow(self._view_changed)
        hearing.hear(news.FilesSeen, self._files_seen)

    def begin(self) -> None:
        """Looks now and then from now on, where nothing tells of changes."""
        self._host.set_interval(LOOK_S, self._look)

    def _view_changed(self, changes: Collection[str]) -> None:
        if not _REASONS.isdisjoint(changes):
            lost = self._lost
            if self._may_be_behind:
                self._look()
            elif self._shown.view.astray != lost:
                self._shown.show(astray=lost)

    @property
    def _lost(self) -> dict[str, str]:
        """The selected note, when it is in the tree no more."""
        view = self._shown.view
        found = view.answered
        known = not view.selected or view.knows(view.selected) or (found and view.selected in selectable(found))
        return {} if known or view.overview is None or view.saved else {view.selected: GONE}

    @property
    def _may_be_behind(self) -> bool:
        view = self._shown.view
        return view.overview is not None and (not view.watching or bool(view.poll_s) or view.catching_up)

    def _look(self) -> None:
        session, view = self._project.session, self._shown.view
        if session is None or view.overview is None or not self._may_be_behind:
            return
        found = view.answered
        shown = dict.fromkeys([*(selectable(found) if found else ()), view.selected])
        paths = tuple(path for path in shown if path)
        self._threads.start(_LOOK, engine.look_at_files, session, paths, self._host.post_message)

    def _files_seen(self, event: news.FilesSeen) -> None:
        astray = {**event.astray, **self._lost}
        if self._may_be_behind and astray != self._shown.view.astray:
            self._shown.show(astray=astray)
