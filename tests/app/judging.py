"""Helpers for tests that judge queries in the Lab."""

from __future__ import annotations

from brvtui.app.lab.judged import JudgedPane
from brvtui.app.lab.screen import LabScreen
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import Judgment
from brvtui.tree.reading.project import find_project
from tests.app.driving import settled, until
from tests.app.looking import AppPilot, frame, view
from tests.support.trees import Tree

ROTATION = "auth/jwt/refresh_rotation.md"


def judged(garden: Tree) -> tuple[Judgment, ...]:
    return JudgmentsFile.of(find_project(garden.root)).read()


async def to_lab(pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("escape", "5")
    await until(pilot, lambda: isinstance(frame(pilot), LabScreen) and view(pilot).lab.judgments is not None)
    await asked(pilot)


async def asked(pilot: AppPilot) -> None:
    """Waits until every query has run."""
    await settled(pilot)
    await until(pilot, lambda: view(pilot).lab.done == view(pilot).lab.total)
    await settled(pilot)


def table(pilot: AppPilot) -> JudgedPane:
    return frame(pilot).query_one(JudgedPane)
