"""Notes whose files are not what is shown of them: newer than the index, or gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work

from brvtui.app import engine
from brvtui.app import messages as news
from brvtui.app.reopening import ReopeningApp
from brvtui.app.view import GONE, selectable

if TYPE_CHECKING:
    from brvtui.session import Session

LOOK_S = 2.0
"""How often files are looked at while the index may be behind them."""
_REASONS = frozenset({"trace", "foreign", "selected", "overview", "catching_up", "watching"})
"""What of the view decides which files are shown, and whether the index may be behind."""


class AstrayApp(ReopeningApp):
    """Marks what is shown of files that changed since. While the system tells of changes, the index is not behind."""

    def on_mount(self) -> None:
        """Looks now and then, where nothing tells of changes."""
        self.set_interval(LOOK_S, self._look_at_shown)

    def show(self, **changes: object) -> None:
        """Changes the view and shows it; what it shows then is looked at where the index may be behind."""
        super().show(**changes)
        if not _REASONS.isdisjoint(changes):
            lost = self._lost
            if self._may_be_behind:
                self._look_at_shown()
            elif self.view.astray != lost:
                super().show(astray=lost)

    @property
    def _lost(self) -> dict[str, str]:
        """The selected note, when it is in the tree no more."""
        view = self.view
        found = view.answered
        known = not view.selected or view.knows(view.selected) or (found and view.selected in selectable(found))
        return {} if known or view.overview is None or view.saved else {view.selected: GONE}

    @property
    def _may_be_behind(self) -> bool:
        view = self.view
        return view.overview is not None and (not view.watching or bool(view.poll_s) or view.catching_up)

    def _look_at_shown(self) -> None:
        if self.session is None or self.view.overview is None or not self._may_be_behind:
            return
        found = self.view.answered
        shown = dict.fromkeys([*(selectable(found) if found else ()), self.view.selected])
        self._look_at_files(self.session, tuple(path for path in shown if path))

    @on(news.FilesSeen)
    def _files_seen(self, event: news.FilesSeen) -> None:
        astray = {**event.astray, **self._lost}
        if self._may_be_behind and astray != self.view.astray:
            self.show(astray=astray)

    @work(thread=True, exclusive=True, group="files", exit_on_error=False, description="files")
    def _look_at_files(self, session: Session, paths: tuple[str, ...]) -> None:
        engine.look_at_files(session, paths, self.post_message)
