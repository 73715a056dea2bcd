"""Says what became of the selected result, for engines that learn from it."""

from __future__ import annotations

from collections.abc import Callable

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.trace.feedback import Usefulness

_GROUP = "feedback"
_NEXT, _GRADE = "{engine.next} asks the next engine; ", "{results.judge} grades a result for the Lab"


def give_feedback(
    services: AppServices, project: Project, ask_again: Callable[[], None], usefulness: Usefulness
) -> None:
    """Tells the engine in a worker what became of the selected result, shows what that changes, and asks again."""
    from brvtui.engines.contract import EngineError, Learns

    session, view = project.session, services.store.view
    trace, hit = view.answered, view.hit
    if session is None or trace is None or hit is None or project.refuses():
        services.notify("select a result of an answer first", timeout=4)
        return

    def learn() -> tuple[str, bool]:
        try:
            return session.engines.learn(trace, hit.file, usefulness), True
        except EngineError as error:
            able = isinstance(session.engines.named(trace.engine), Learns)
            instead = f"{_NEXT if project.has_other_engines else ''}{_GRADE}"
            return str(error) if able else f"{error}: {services.with_keys(instead)}", False

    def learned(outcome: tuple[str, bool]) -> None:
        said, kept = outcome
        services.notify(f"{usefulness.value}: {said}" if kept else said, timeout=4 if kept else 8)
        if kept:
            ask_again()

    services.background.run(learn, learned, group=_GROUP)
