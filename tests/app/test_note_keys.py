"""New notes, moving, archiving, restoring, undoing: every dialog by keyboard and by mouse."""

from __future__ import annotations

from typing import Any

import pytest
from textual.widgets import Input

from brvtui.app.app import BrvTui
from brvtui.app.editing.changes import NewNoteDialog
from brvtui.app.editing.plan_dialog import MoveDialog, PlanDialog, SignalsDialog
from brvtui.app.editing.questions import ChangesDialog, LeavingDialog
from brvtui.app.lab.asking import grade
from brvtui.app.notes.screen import NotesTree
from brvtui.app.query.screen import QueryScreen
from brvtui.app.screens.dialog import Dialog
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.tree.reading.project import find_project
from tests.app.driving import NARROW, WIDE, ask, at_two_sizes, on, press, settled, until
from tests.app.editing import NOTE, area, in_editor, looked, open_note, type_in_note, type_keys
from tests.app.looking import AppPilot, brv, flat, frame, shown, text_of, toast_text, view
from tests.support.trees import Tree

_LINKING = "auth/linking.md"
_ARCHIVED = "_archived/deploy/rollback"


@pytest.fixture
def garden(garden: Tree) -> Tree:
    """The garden with a note that links to another."""
    garden.file("deploy/ops/rollback.md", "# Ops rollback\n\nHow it is done.\n", 2)
    garden.file(_LINKING, "# Linking\n\nSee @deploy/ops/rollback.md, and so on.\n", 2)
    return garden


def judged_paths(garden: Tree) -> list[str]:
    """The paths of the notes in judged queries."""
    return [document.path for each in JudgmentsFile.of(find_project(garden.root)).read() for document in each.documents]


async def _press(pilot: AppPilot, key: str, kind: type[Dialog[Any]], note: str = NOTE) -> None:
    """Selects ``note``, presses ``key`` and waits for its dialog."""
    await ask(pilot, "rollback")
    brv(pilot).selection.select(note)
    await on(pilot, kind, "escape", key)
    await settled(pilot)


async def _click(pilot: AppPilot, words: str) -> None:
    """Clicks on the displayed ``words``."""
    rows = shown(pilot).splitlines()
    row = next(number for number, text in enumerate(rows) if words in text)
    await pilot.click(offset=(rows[row].index(words) + 1, row))
    await settled(pilot)


# new notes


@pytest.mark.long
async def test_new_note_on_the_query_screen_is_titled_by_the_query(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await on(pilot, NewNoteDialog, "escape", "a")
    await settled(pilot)
    assert "rollback.md" in shown(pilot)
    assert "No note covers" not in shown(pilot)
    await press(pilot, "escape", "2")
    await on(pilot, NewNoteDialog, "a")
    assert "give the note a title" in shown(pilot)
    await press(pilot, "escape")


@at_two_sizes
async def test_new_note_for_an_uncovered_query_covers_the_query(
    garden: Tree, size: tuple[int, int], pilot: AppPilot
) -> None:
    await ask(pilot, "zebra quagga", "escape")
    assert "then a begins a note" in shown(pilot)
    await on(pilot, NewNoteDialog, "a")
    await settled(pilot)
    assert "No note covers “zebra quagga”" in shown(pilot)
    assert "zebra_quagga.md" in shown(pilot)
    await pilot.press("tab")
    await type_keys(pilot, "auth")
    assert "creates the folder" not in shown(pilot)
    await pilot.press("ctrl+u")
    await type_keys(pilot, "animals/stripes")
    assert "animals/stripes/zebra_quagga.md" in shown(pilot)
    assert "creates the folder animals/stripes" in shown(pilot)
    await pilot.press("enter")
    await in_editor(pilot)
    assert "no note covered it: zebra quagga" in area(pilot).text
    assert "a new note: ^s writes it to disk" in shown(pilot)
    assert area(pilot).document.get_line(area(pilot).cursor_location[0] - 2) == "## Reason"
    assert not (garden.tree / "animals").exists()
    await pilot.press("ctrl+s")
    await until(pilot, lambda: (garden.tree / "animals/stripes/zebra_quagga.md").exists())
    await looked(pilot)
    assert "new note" not in str(area(pilot).border_title)
    await pilot.press("escape")
    await until(pilot, lambda: view(pilot).answer.trace and view(pilot).answer.trace.hits)  # type: ignore[union-attr]
    await settled(pilot)
    assert "NOT COVERED" not in shown(pilot)


@pytest.mark.long
async def test_saved_new_note_is_selected_where_it_was_started(pilot: AppPilot) -> None:
    await settled(pilot)
    await press(pilot, "escape", "2")
    await on(pilot, NewNoteDialog, "a")
    await settled(pilot)
    await type_keys(pilot, "Zebra crossing")
    await pilot.press("enter")
    await in_editor(pilot)
    await pilot.press("ctrl+s")
    await until(pilot, lambda: "saved " in toast_text(pilot))
    await pilot.press("escape")
    await until(pilot, lambda: view(pilot).selection.file.endswith("zebra_crossing.md"))
    await until(pilot, lambda: "Zebra crossing" in text_of(pilot, "#note"))
    assert frame(pilot).query_one(NotesTree).chosen.endswith("zebra_crossing.md")


@pytest.mark.long
async def test_abandoned_new_note_leaves_no_file(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "zebra quagga", "escape", "a", "enter")
    await in_editor(pilot)
    await on(pilot, QueryScreen, "escape")
    assert not (garden.tree / "zebra_quagga.md").exists()


@pytest.mark.long
async def test_template_is_chosen_by_keys_and_by_mouse(pilot: AppPilot) -> None:
    await _press(pilot, "a", NewNoteDialog)
    await type_keys(pilot, "How we deploy")
    assert "deploy/how_we_deploy.md" in shown(pilot)
    await pilot.press("tab", "tab", "right")
    assert "[decision]" in shown(pilot)
    await _click(pilot, "runbook")
    assert "[runbook]" in shown(pilot)
    await _click(pilot, "Enter begin")
    await in_editor(pilot)
    assert "tags: [runbook]" in area(pilot).text
    assert "## Raw Concept" in area(pilot).text


async def test_existing_or_outside_path_is_refused_while_typing(pilot: AppPilot) -> None:
    await _press(pilot, "a", NewNoteDialog)
    await pilot.press("backspace")
    assert "give the note a title" in shown(pilot)
    await type_keys(pilot, "Rollback")
    assert "deploy/rollback.md: already exists" in shown(pilot)
    await pilot.press("enter")
    assert isinstance(pilot.app.screen, NewNoteDialog)
    await pilot.press("tab", "end", *["backspace"] * len("deploy"))
    await type_keys(pilot, "../out")
    assert "points outside the tree" in shown(pilot)
    await pilot.press("escape")
    assert isinstance(pilot.app.screen, QueryScreen)


async def test_file_that_appears_at_the_new_path_is_never_overwritten(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "zebra quagga", "escape", "a", "enter")
    await in_editor(pilot)
    garden.file("zebra_quagga.md", "theirs\n")
    await until(pilot, lambda: "CHANGED ON DISK" in shown(pilot))
    await pilot.press("ctrl+s")
    await until(pilot, lambda: "Changed on disk" in shown(pilot))
    assert (garden.tree / "zebra_quagga.md").read_text() == "theirs\n"


# moving


@at_two_sizes
async def test_moving_a_note_updates_links_as_previewed(app: BrvTui, garden: Tree, size: tuple[int, int]) -> None:
    grade(garden.session(), "rollback", "", "deploy/ops/rollback.md", 3)
    garden.file("deploy/ops/rollback.md", "# Going back\n\nIn other words.\n", 2)
    async with app.run_test(size=size) as pilot:
        await _press(pilot, "M", MoveDialog, "deploy/ops/rollback.md")
        assert "type another path" in shown(pilot)
        await type_keys(pilot, "s")
        await until(pilot, lambda: "deploy/ops/rollbacks.md" in shown(pilot) and "moves" in shown(pilot))
        assert _LINKING in shown(pilot)
        if size == WIDE:
            assert "3   - See @deploy/ops/rollback.md, and so on." in shown(pilot)
            assert "3 + See @deploy/ops/rollbacks.md, and so on." in shown(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: (garden.tree / "deploy/ops/rollbacks.md").exists())
        await until(pilot, lambda: view(pilot).selection.file == "deploy/ops/rollbacks.md")
        await settled(pilot)
        assert not (garden.tree / "deploy/ops/rollback.md").exists()
        assert "@deploy/ops/rollbacks.md" in (garden.tree / _LINKING).read_text()
        assert "u undoes it" in toast_text(pilot)
        assert judged_paths(garden) == ["deploy/ops/rollbacks.md"], "also after its title and words have changed"
        await pilot.press("u")
        await until(pilot, lambda: (garden.tree / "deploy/ops/rollback.md").exists())
        await settled(pilot)
        assert "@deploy/ops/rollback.md" in (garden.tree / _LINKING).read_text()
        assert judged_paths(garden) == ["deploy/ops/rollback.md"]
        await pilot.press("U")
        await until(pilot, lambda: (garden.tree / "deploy/ops/rollbacks.md").exists())
        await settled(pilot)


async def test_impossible_move_gives_a_reason_and_md_is_not_doubled(garden: Tree, pilot: AppPilot) -> None:
    await _press(pilot, "M", MoveDialog, "deploy/ops/rollback.md")
    await pilot.press("enter")
    assert isinstance(pilot.app.screen, MoveDialog)
    await pilot.press("home", *["delete"] * len("deploy/ops/rollback.md"))
    await type_keys(pilot, "auth/linking.md")
    await until(pilot, lambda: "auth/linking.md: already exists" in shown(pilot))
    await press(pilot, "enter", "escape")
    assert (garden.tree / "deploy/ops/rollback.md").exists()
    await _press(pilot, "M", MoveDialog, "deploy/ops/rollback.md")
    field = pilot.app.screen.query_one(Input)
    await pilot.press("ctrl+u", "a", ".", "m", "d")
    await until(pilot, lambda: field.value == "a.md")
    assert field.cursor_position == len("a.md")
    await pilot.press("ctrl+u")
    await type_keys(pilot, "deploy/ops/back.md")
    await until(pilot, lambda: "to deploy/ops/back.md " in shown(pilot))
    await pilot.press("enter")
    await until(pilot, lambda: (garden.tree / "deploy/ops/back.md").exists())
    await settled(pilot)


async def test_outdated_plan_is_not_applied(garden: Tree, pilot: AppPilot) -> None:
    await _press(pilot, "X", PlanDialog)
    await until(pilot, lambda: "so the effect on answers is not known" in shown(pilot))
    await until(pilot, lambda: "removes" in shown(pilot))
    garden.file(NOTE, "# Rollback, otherwise\n")
    await pilot.press("enter")
    await until(pilot, lambda: "the file has changed" in toast_text(pilot))
    assert (garden.tree / NOTE).exists()
    assert not (garden.tree / f"{_ARCHIVED}.stub.md").exists()


# archiving


async def test_archiving_and_restoring_a_note_can_be_undone(app: BrvTui, garden: Tree) -> None:
    before = (garden.tree / NOTE).read_bytes()
    async with app.run_test(size=WIDE) as pilot:
        await _press(pilot, "X", PlanDialog)
        await until(pilot, lambda: "removes" in shown(pilot))
        for words in (f"creates {_ARCHIVED}.full.md", f"creates {_ARCHIVED}.stub.md", "type: archive_stub"):
            assert words in shown(pilot)
        await _click(pilot, "Enter run ")
        await until(pilot, lambda: view(pilot).selection.file == f"{_ARCHIVED}.stub.md")
        await settled(pilot)
        assert not (garden.tree / NOTE).exists()
        assert (garden.tree / f"{_ARCHIVED}.full.md").read_bytes() == before
        await pilot.press("X")
        await until(pilot, lambda: isinstance(pilot.app.screen, PlanDialog) and "creates" in shown(pilot))
        assert "Restore" in shown(pilot)
        await until(pilot, lambda: "the effect on answers is not known" in shown(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: view(pilot).selection.file == NOTE)
        await settled(pilot)
        assert (garden.tree / NOTE).read_bytes() == before
        await pilot.press("u")
        await until(pilot, lambda: view(pilot).selection.file == f"{_ARCHIVED}.stub.md")
        assert not (garden.tree / NOTE).exists()
        await pilot.press("u")
        await until(pilot, lambda: view(pilot).selection.file == NOTE)
        await settled(pilot)
        assert (garden.tree / NOTE).exists()
        assert not (garden.tree / f"{_ARCHIVED}.stub.md").exists()


async def test_only_notes_can_be_archived(app: BrvTui, garden: Tree) -> None:
    garden.file("_archived/auth/jwt/old_flow.full.md", "# Old flow\n")
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        brv(pilot).selection.select("auth/_index.md")
        await pilot.press("escape", "X")
        await until(pilot, lambda: "only notes can be archived" in toast_text(pilot))
        brv(pilot).selection.select("_archived/auth/jwt/old_flow.full.md")
        await pilot.press("X")
        message = "this note is archived already; restore it from its stub _archived/auth/jwt/old_flow.stub.md"
        await until(pilot, lambda: message in toast_text(pilot))
        assert not isinstance(pilot.app.screen, PlanDialog)


@pytest.mark.parametrize("key", ["M", "X"])
async def test_moving_or_archiving_first_asks_about_unsaved_text(key: str, pilot: AppPilot) -> None:
    await type_in_note(pilot, "x")
    await on(pilot, QueryScreen, "escape", "k")
    await on(pilot, LeavingDialog, key)
    await on(pilot, PlanDialog, "d")
    assert view(pilot).editor.edit is None


# undoing


async def test_u_undoes_a_save_and_reloads_the_editor(app: BrvTui, garden: Tree) -> None:
    before = (garden.tree / NOTE).read_bytes()
    async with app.run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await pilot.press("end")
        await type_keys(pilot, "x")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: (garden.tree / NOTE).read_bytes() != before)
        await looked(pilot)
        await pilot.press("f3", "u")
        await until(pilot, lambda: (garden.tree / NOTE).read_bytes() == before)
        await until(pilot, lambda: area(pilot).text.startswith("# Rollback"))
        await looked(pilot)
        assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]
        assert "edit deploy/rollback.md: undone; U redoes it" in toast_text(pilot)


@pytest.mark.long
async def test_list_of_changes_can_undo_and_redo(app: BrvTui, garden: Tree) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await _press(pilot, "C", ChangesDialog)
        assert "no note was changed in this session" in flat(pilot)
        await pilot.press("escape")
        await _press(pilot, "X", PlanDialog)
        await until(pilot, lambda: "removes" in shown(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: not (garden.tree / NOTE).exists())
        await settled(pilot)
        await pilot.press("C")
        assert f"archive {NOTE}" in shown(pilot)
        assert "undo latest" in shown(pilot)
        assert "U redo" not in shown(pilot)
        await pilot.press("u")
        await until(pilot, lambda: (garden.tree / NOTE).exists())
        await settled(pilot)
        await pilot.press("C")
        assert f"undone  archive {NOTE}" in shown(pilot)
        assert "undo latest" not in shown(pilot)
        await _click(pilot, "U redo")
        await until(pilot, lambda: not (garden.tree / NOTE).exists())


@pytest.mark.long
async def test_keys_without_a_note_or_a_change_explain_what_is_missing(pilot: AppPilot) -> None:
    await settled(pilot)
    for key in ("M", "X"):
        brv(pilot).clear_notifications()
        await press(pilot, "escape", key)
        assert "select a note first" in toast_text(pilot)
    await pilot.press("escape", "u", "U")
    await until(pilot, lambda: "nothing to redo" in toast_text(pilot))
    assert "nothing to undo" in toast_text(pilot)


# signals


@at_two_sizes
async def test_signals_are_set_in_the_overlay_and_undone(app: BrvTui, garden: Tree, size: tuple[int, int]) -> None:
    path = "auth/jwt/refresh_rotation.md"
    (garden.root / "signals.json").write_text("{}")
    before = (garden.tree / path).read_bytes()
    async with app.run_test(size=size) as pilot:
        await _press(pilot, "I", SignalsDialog, path)
        assert "draft, importance 50" in shown(pilot)
        title = app.screen.title
        await pilot.press("f1")
        await until(pilot, lambda: f"━ {title} · help ━" in shown(pilot))
        await pilot.press("escape", "right")
        await until(pilot, lambda: "validated, importance 50" in shown(pilot))
        assert "nothing →" not in shown(pilot)
        assert "the next access hit" not in shown(pilot)  # at 53, a validated note keeps its maturity
        await pilot.press("right")
        await until(pilot, lambda: "core, importance 50" in shown(pilot))
        message = (
            "the next access hit makes it validated: a core note keeps its maturity at an importance of 60 or more"
        )
        assert message in flat(pilot)
        await pilot.press("left")
        await pilot.press("tab", *["backspace"] * 2)
        await type_keys(pilot, "70")
        await until(pilot, lambda: "validated, importance 70" in shown(pilot))
        assert "only brv-tui reads these signals" in shown(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: view(pilot).project.overview.branches[path].maturity == "validated")  # type: ignore[union-attr]
        await settled(pilot)
        assert (garden.tree / path).read_bytes() == before
        await pilot.press("u")
        await until(pilot, lambda: view(pilot).project.overview.branches[path].maturity == "draft")  # type: ignore[union-attr]


@pytest.mark.long
async def test_signals_set_in_the_frontmatter_create_no_overlay(app: BrvTui, garden: Tree) -> None:
    path = "auth/jwt/refresh_rotation.md"
    garden.read_frontmatter()
    before = (garden.tree / path).stat().st_mtime_ns
    async with app.run_test(size=WIDE) as pilot:
        await _press(pilot, "I", SignalsDialog, path)
        await pilot.press("right", "right")
        await _click(pilot, "frontmatter [")
        await until(pilot, lambda: "+ maturity: core" in shown(pilot))
        assert "its time is kept, so cached answers stay valid" in shown(pilot)
        await _click(pilot, "Enter run ")
        await until(pilot, lambda: b"maturity: core" in (garden.tree / path).read_bytes())
        assert (garden.tree / path).stat().st_mtime_ns == before
        await until(pilot, lambda: view(pilot).project.overview.branches[path].maturity == "core")  # type: ignore[union-attr]
        await settled(pilot)
        assert not (brv(pilot).project.session.notes._overlay.path).exists()  # type: ignore[union-attr]
        await _press(pilot, "I", SignalsDialog, path)
        await until(pilot, lambda: "these are its current signals" in shown(pilot))
        assert "Enter run " not in shown(pilot)
        await pilot.press("left")
        # stored where they already are, in the frontmatter
        await until(pilot, lambda: "+ maturity: validated" in shown(pilot))
        assert "Enter run " in shown(pilot)


@pytest.mark.long
async def test_invalid_importance_is_reported(app: BrvTui, garden: Tree) -> None:
    (garden.root / "signals.json").write_text("{}")
    async with app.run_test(size=WIDE) as pilot:
        await _press(pilot, "I", SignalsDialog)
        await pilot.press("tab")
        await type_keys(pilot, "77")
        await until(pilot, lambda: "importance must be a number from 0 to 100" in shown(pilot))
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, SignalsDialog)
