"""Asks how relevant a note is to the open query."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from brvtui.app.lab import asking
from brvtui.app.lab.grade_dialog import NO_GRADE, GradeDialog
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices


def ask_grade(services: AppServices, project: Project, path: str, grade: Callable[[str, int | None], None]) -> None:
    """Asks for the grade of the note at ``path`` for the open query; says what to do where one of the two is missing.

    ``grade`` is called with the path and the grade, None to take one away.
    """
    view = services.store.view
    query = view.query.text.strip()
    if project.refuses():
        return
    if not query or not path:
        said = "ask something and choose a result: {results.judge} then grades it for the query"
        services.notify(services.with_keys(said), timeout=4)
        return

    def answered(value: int | None) -> None:
        if value is not None:
            grade(path, None if value == NO_GRADE else value)

    dialog = GradeDialog(query, path, view.noun)
    services.push_screen(dialog, answered)

    def show(grade: int | None) -> None:
        if dialog.is_attached:
            dialog.show_grade(grade)

    if project.session is not None:
        known = partial(asking.grade_of, project.session, query, view.query.scope, path)
        services.background.run(known, show, group="grade", exclusive=True)
