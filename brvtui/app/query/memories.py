"""Opens another memory: the project's second one, or a fleet member's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from brvtui.app.actions.dialogs import MEMORY
from brvtui.app.keys.bindings import bindings
from brvtui.app.modes import FLEET
from brvtui.app.project.opening import Opening
from brvtui.app.project.project import Project
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import AppServices
from brvtui.app.states import SelectionState

if TYPE_CHECKING:
    from brvtui.app.query.screen import QueryScreen
    from brvtui.fleet.fleet_file import Member

# The dialog for projects with both a context tree and a space of ByteRover V4.


class MemoryDialog(Dialog[str]):
    """Returns the selected memory, or None to show the dialog again at the next start."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(MEMORY)

    def __init__(self, tree: Path, key: str) -> None:
        """Creates the dialog for the project with the context ``tree``; ``key`` switches engines."""
        super().__init__(
            "Two memories",
            f"This project has a context tree ({tree}) and a ByteRover V4 space. Which one do you want to open?",
            (
                f"Your choice is saved for this project. Later, {key} switches to the other memory after the last "
                "engine."
            ),
        )


class Memories:
    """Shows the requested memory on the Query screen, and replaces it when the user chooses another one."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        request: Opening,
        screen: Callable[[], QueryScreen],
        leave_for: Callable[[Opening], None],
    ) -> None:
        """Creates the controller; ``screen`` returns the Query screen, and ``leave_for`` restarts the app."""
        self._services = services
        self._project = project
        self._request = request
        self._screen = screen
        self._leave_for = leave_for

    def begin(self) -> None:
        """Fills in the requested query, then shows the dialog if the user has to choose between two memories."""
        if self._request.member:
            self._show_member(self._request.query, self._request.note)
        elif self._request.query:
            self._screen().fill(self._request.query)
        if not self._project.is_chosen:
            self._ask()

    def _ask(self) -> None:
        from brvtui.store.app_state import MemoryChoice

        assert self._project.session is not None

        def chosen(memory: str | None) -> None:
            if memory == MemoryChoice.SPACE:
                self.open(memory)
            elif memory is not None:
                self._project.chosen(memory)

        tree, key = self._project.session.project.tree, self._services.shown_key("engine.next")
        self._services.push_screen(MemoryDialog(tree, key), chosen)

    def open(self, memory: str) -> None:
        """Opens the project's other memory with the current query."""
        self._open_anew(self._project.chosen(memory), f"the {memory}")

    def open_project_anew(self) -> None:
        """Opens the project again with the current query, after its settings have changed."""
        self._open_anew(self._request, "the project")

    def _open_anew(self, opening: Opening, what: str) -> None:
        """Restarts the app on ``opening`` with the current query; in a browser, asks the user to reload instead."""
        if self._services.is_web:
            self._services.notify(f"reload this page to open {what}", timeout=8)
        else:
            self._leave_for(opening._replace(query=self._services.store.view.query.text))

    async def open_member(self, member: Member, query: str, note: str) -> None:
        """Opens a fleet member's memory with ``query``, or switches to it if it is already open."""
        request, view = self._request, self._services.store.view
        if view.fleet.opened == member.name and view.project.overview is not None:
            await self._services.switch_mode("query")
            self._show_member(query, note)
            return
        opening = Opening(
            Path(member.path),
            member.profile or None,
            request.now_ms,
            query=query,
            note=note,
            engine=member.engine,
            fleet=request.fleet,
            member=member.name,
        )
        self._leave_for(opening)

    def _show_member(self, query: str, note: str) -> None:
        """Fills in ``query`` for the open fleet member, and selects ``note`` in the results."""
        store = self._services.store
        if query and note:
            store.update(store.view.query._replace(text=query), SelectionState(note))
        self._screen().fill(query)
        self._screen().action_pane("results")
        key = self._services.shown_key(f"screens.{FLEET.name}")
        self._services.notify(f"{self._request.member}, a member of the fleet: {key} goes back to the fleet", timeout=6)
