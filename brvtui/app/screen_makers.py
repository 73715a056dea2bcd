"""The screens of the app: each is given the controllers that it calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from brvtui.app.modes import EDITOR, FLEET, LAB, MATURITY, SETTINGS

if TYPE_CHECKING:
    from brvtui.app.controllers import Controllers
    from brvtui.app.screens.frame import FrameScreen
    from brvtui.app.services import AppServices
    from brvtui.lab.whatif.sweep import Sweep
    from brvtui.paint.neighbourhood import Neighbourhood


def screen_makers(services: AppServices, of: Controllers) -> dict[str, Callable[[], FrameScreen]]:
    """Returns, by the name of its mode, what makes a screen when it is first in front; each imports its own."""

    def query() -> FrameScreen:
        from brvtui.app.query.screen import QueryScreen

        def save_graph(shown: Neighbourhood) -> None:
            of.sharing.save_graph(shown)

        return QueryScreen(of.layouts, of.queries, of.reasons, of.selection, of.cache, save_graph)

    def notes() -> FrameScreen:
        from brvtui.app.notes.screen import NotesScreen

        return NotesScreen(of.layouts, of.browsing)

    def maturity() -> FrameScreen:
        from brvtui.app.maturity.screen import MaturityScreen

        return MaturityScreen(of.layouts, of.project, of.show_answers_in)

    def log() -> FrameScreen:
        from brvtui.app.log.screen import LogScreen

        return LogScreen(of.layouts, of.logs, of.keep_answer)

    def lab() -> FrameScreen:
        from brvtui.app.lab.screen import LabScreen
        from brvtui.app.lab.sweeps import Sweeps

        def save(made: Sweep) -> None:
            of.sharing.save_sweep(made)

        return LabScreen(of.layouts, of.lab, Sweeps(services, lambda: of.lab.session, save))

    def fleet() -> FrameScreen:
        from brvtui.app.fleet.screen import FleetScreen

        def copy(text: str, named: str) -> None:
            of.sharing.copy_text(text, named)

        return FleetScreen(of.layouts, of.fleet, copy)

    def settings() -> FrameScreen:
        from brvtui.app.settings.screen import SettingsScreen

        return SettingsScreen(of.layouts)

    def edit() -> FrameScreen:
        from brvtui.app.editing.screen import EditorScreen

        screen = EditorScreen(of.layouts, of.project, of.external_editor, of.drafts)
        of.editing.use(screen)
        return screen

    return {
        "query": query,
        "notes": notes,
        MATURITY.name: maturity,
        "log": log,
        LAB.name: lab,
        FLEET.name: fleet,
        SETTINGS.name: settings,
        EDITOR.name: edit,
    }
