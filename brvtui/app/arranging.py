"""How the panes of each screen are shared, remembered per project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.timer import Timer
from textual.worker import Worker

from brvtui import faults
from brvtui.app import messages as news
from brvtui.app.arrangement import AS_DESIGNED
from brvtui.app.astray import AstrayApp
from brvtui.app.splits import Layout, layout_from

if TYPE_CHECKING:
    from brvtui.app.project import Opening
    from brvtui.session import Session

_PAUSE_S = 0.5
"""After the last change: a border that is dragged changes with each cell."""


class ArrangingApp(AstrayApp):
    """Reads the layouts of a project once it is open, and writes them when they have changed."""

    def __init__(self, opening: Opening) -> None:
        """An app whose screens are as designed."""
        super().__init__(opening)
        self.layouts: dict[str, Layout] = {}
        """By the screen's title; what is missing is as designed."""
        self._writing: Timer | None = None

    def layout_of(self, title: str) -> Layout:
        """How the panes of the screen with this title are shared."""
        return self.layouts.get(title, AS_DESIGNED)

    def remember_layout(self, title: str, layout: Layout) -> None:
        """Keeps the layout of a screen, for this project."""
        self.layouts[title] = layout
        if self._writing is not None:
            self._writing.stop()
        self._writing = self.set_timer(_PAUSE_S, self._write_layouts)

    @on(news.Opened)
    def _project_opened(self, event: news.Opened) -> None:
        self._read_layouts(event.session)

    @on(news.LayoutsRead)
    def _layouts_read(self, event: news.LayoutsRead) -> None:
        self.layouts = {**event.layouts, **self.layouts}
        if self.frame is not None:
            self.frame.take_layout()

    @work(thread=True, group="layout", exit_on_error=False)
    def _read_layouts(self, session: Session) -> None:
        read = {title: layout_from(plain) for title, plain in session.layouts.read().items()}
        self.post_message(news.LayoutsRead(read))

    def _write_layouts(self) -> Worker[None] | None:
        self._writing = None
        if self.session is None:
            return None
        changed = {title: layout.plain() for title, layout in self.layouts.items() if layout != AS_DESIGNED}
        return self._write(self.session, changed)

    @work(thread=True, group="layout", exit_on_error=False)
    def _write(self, session: Session, layouts: dict[str, dict[str, Any]]) -> None:
        try:
            session.layouts.write(layouts)
        except OSError as error:
            problem = f"the layout cannot be remembered: {faults.advised(error)}"
            self.call_from_thread(self.notify, problem, severity="warning")

    async def finish_writing(self) -> None:
        """Writes a layout that was just changed, and waits for that."""
        if self._writing is not None:
            self._writing.stop()
            worker = self._write_layouts()
            if worker is not None:
                await worker.wait()
