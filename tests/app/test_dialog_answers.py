"""Enter chooses a dialog's first option."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import brvtui.app
from brvtui.app.actions.dialogs import DIALOG
from brvtui.app.app import BrvTui
from brvtui.app.editing import questions
from brvtui.app.editing.questions import (
    ChangesDialog,
    ConflictDialog,
    DamageDialog,
    DraftDialog,
    DraftsDialog,
    GoneDialog,
    LeavingDialog,
)
from brvtui.app.keys.bindings import own_bindings
from brvtui.app.lab.lab import GradeDialog
from brvtui.app.screens.dialog import Dialog
from brvtui.app.widgets.key_bar import KeyBar
from tests.app.driving import ask, settled, until

_wait_for_a_pause = questions.UnexpectedQuestion.wait
HUNKS = ()
MAKE: dict[str, tuple[Callable[[], Dialog[Any]], object]] = {
    "changes": (lambda: ChangesDialog(["moved a note"], ["archived a note"]), "undo"),
    "changes, all undone": (lambda: ChangesDialog([], ["archived a note"]), "redo"),
    "conflict": (lambda: ConflictDialog(["It changed."], HUNKS), "mine"),
    "conflict with a file": (lambda: ConflictDialog(["It changed."], None), "mine"),
    "damage": (lambda: DamageDialog("it has conflict markers"), None),
    "draft": (lambda: DraftDialog(["There is a draft."], HUNKS), "take"),
    "drafts": (lambda: DraftsDialog(["auth/a.md", "auth/b.md"]), "auth/a.md"),
    "gone": (lambda: GoneDialog("auth/a.md", "auth/b.md"), "again"),
    "grade": (lambda: GradeDialog("which", "auth/a.md", "note"), 3),
    "leaving": (lambda: LeavingDialog("auth/a.md", True), "save"),
}


def kinds(kind: type[Dialog[Any]] = Dialog) -> Iterator[type[Dialog[Any]]]:
    """All dialog classes."""
    for below in kind.__subclasses__():
        yield below
        yield from kinds(below)


def test_every_dialog_has_an_answer_for_enter() -> None:
    for module in pkgutil.walk_packages(brvtui.app.__path__, "brvtui.app."):
        importlib.import_module(module.name)
    for kind in kinds():
        answers = [one for one in own_bindings(kind) if one.show]
        bound = [one for above in kind.__mro__ for one in own_bindings(above) if "enter" in one.key.split(",")]
        assert not bound or bound[0].id not in {action.name for action in DIALOG.actions}
        # if a dialog has neither answers nor a binding for Enter, its list handles Enter
        assert answers or bound or kind.AUTO_FOCUS or kind.__subclasses__(), kind


@pytest.mark.parametrize("name", MAKE)
async def test_enter_gives_the_first_answer_in_the_bottom_line(app: BrvTui, name: str) -> None:
    make, expected = MAKE[name]
    async with app.run_test() as pilot:
        await ask(pilot, "rollback", "escape")
        given: list[object] = []

        async def open_dialog() -> Dialog[Any]:
            dialog = make()
            app.push_screen(dialog, given.append)
            await until(pilot, lambda: app.screen is dialog and dialog.query(KeyBar) and bar(dialog))
            if hasattr(dialog, "listen"):
                dialog.listen()
            await pilot.pause()
            return dialog

        dialog = await open_dialog()
        first = bar(dialog)[0]
        await pilot.press("enter")
        await until(pilot, lambda: given)
        assert given == [expected]
        await open_dialog()
        await pilot.press(first)
        await until(pilot, lambda: len(given) == 2)
        assert given[0] == given[1]


def bar(dialog: Dialog[Any]) -> list[str]:
    """The keys in the bottom line of ``dialog``, in order."""
    return [key.split(",")[0] for _, _, key in dialog.query_one(KeyBar)._keys]


async def test_enter_does_nothing_while_an_unexpected_question_waits_for_a_pause(
    app: BrvTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions.UnexpectedQuestion, "wait", _wait_for_a_pause)
    monkeypatch.setattr(questions, "PAUSE_S", 3_600)
    async with app.run_test() as pilot:
        await settled(pilot)
        given: list[object] = []
        dialog = GoneDialog("auth/a.md", "")
        app.push_screen(dialog, given.append)
        await until(pilot, lambda: app.screen is dialog)
        await pilot.press("enter", "enter")
        assert app.screen is dialog
        assert not given
        dialog.listen()
        await pilot.press("enter")
        await until(pilot, lambda: given)
        assert given == ["again"]
