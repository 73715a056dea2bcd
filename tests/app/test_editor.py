"""Editing in the app: opening, typing, saving; by keyboard and by mouse."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.editing.note_on_disk import on_disk
from brvtui.app.editing.note_saving import NoteSaved, SaveDoubt, save
from brvtui.app.editing.questions import DamageDialog
from brvtui.app.notes.screen import NotesScreen
from brvtui.app.query.screen import QueryScreen
from brvtui.app.screens.message import TextPane
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.tree import TreePane
from brvtui.session import Session
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_all_sizes, at_two_sizes, on, press, settled, until
from tests.app.editing import NOTE, area, editor, looked, open_note, type_in_note, type_keys
from tests.app.looking import AppPilot, brv, flat, frame, shown, toast_text, view
from tests.support.trees import Tree

REFUNDS = "billing/refunds.md"
"""A note without stored signals."""


def _on_disk(garden: Tree, path: str = NOTE) -> bytes:
    return (garden.tree / path).read_bytes()


@at_all_sizes
async def test_e_edits_the_selected_note_and_esc_goes_back(size: tuple[int, int], pilot: AppPilot) -> None:
    await open_note(pilot)
    assert editor(pilot).focused is area(pilot)
    assert "Roll back by pointing the alias" in shown(pilot).replace("\n", "")
    assert " Edit rollback.md " in shown(pilot)
    await on(pilot, QueryScreen, "escape")
    assert view(pilot).editor.edit is None
    assert "Edit rollback.md" not in shown(pilot)


@pytest.mark.long
async def test_e_edits_the_note_under_the_tree_cursor(pilot: AppPilot) -> None:
    await settled(pilot)
    await press(pilot, "escape", "2")
    tree = frame(pilot).query_one(TreePane)
    tree.move_to(tree.choices.index("billing/refunds.md"), tell=False)
    await pilot.press("e")
    await until(pilot, lambda: view(pilot).editor.edit is not None)
    assert editor(pilot).path == "billing/refunds.md"
    await on(pilot, NotesScreen, "escape")


async def test_files_that_cannot_be_edited_give_a_reason(app: BrvTui, garden: Tree) -> None:
    garden.file(NOTE, "# Rollback\n" + "word " * 50_000, 3)
    garden.file("auth/binary.md", b"# A\0B", 1)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "e")
        assert "select a note first" in toast_text(pilot)
        await ask(pilot, "rollback")
        brv(pilot).selection.select(NOTE)
        await pilot.press("escape", "e")
        await until(pilot, lambda: "too many to edit here; E opens" in toast_text(pilot))
        assert isinstance(frame(pilot), QueryScreen)
        brv(pilot).editing.edit("no/such.md")
        await until(pilot, lambda: "no/such.md: there is no such note" in toast_text(pilot))
        brv(pilot).editing.edit("auth/binary.md")
        await until(pilot, lambda: "auth/binary.md: contains NUL bytes" in toast_text(pilot))


@at_two_sizes
async def test_typing_marks_the_note_as_unsaved(size: tuple[int, int], pilot: AppPilot) -> None:
    await type_in_note(pilot, "12 zq?")
    await looked(pilot)
    assert area(pilot).text.startswith("12 zq?# Rollback")
    assert "Edit rollback.md •" in shown(pilot)
    assert size == NARROW or "• unsaved" in shown(pilot)
    await pilot.press("ctrl+z")
    await looked(pilot)
    assert "•" not in shown(pilot)
    await pilot.press("ctrl+y")
    assert area(pilot).text.startswith("12 zq?# Rollback")


@pytest.mark.parametrize(
    "before",
    [
        b"# Rollback\r\n\r\nalias\r\n",
        b"\xef\xbb\xbf# Rollback\n\nno newline at the end",
        b"# Rollback \x1b[31m\n\nbyte \xff, \xe2\x80\xae turned, a\rb\n",
        b"# Rollback\ttab\n\n\n",
    ],
    ids=["crlf", "bom", "hidden", "tab"],
)
async def test_saving_changes_only_the_typed_text(garden: Tree, make_app: MakeApp, before: bytes) -> None:
    garden.file(NOTE, before, 3)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        marks = "marks and saved unchanged: ␍ carriage return, ␛ escape, · U+202E and 1 more"
        assert (marks in toast_text(pilot)) is (b"\x1b" in before)
        await pilot.press("right", "right")
        await type_keys(pilot, "My ")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: _on_disk(garden) != before)
        await looked(pilot)
        assert _on_disk(garden) == before.replace(b"# Roll", b"# My Roll")
        assert f"saved {NOTE}" in toast_text(pilot)
        assert not any(ord(char) < 32 for char in shown(pilot).replace("\n", ""))


async def test_saving_keeps_cursor_scroll_and_undo(garden: Tree, make_app: MakeApp) -> None:
    garden.file(NOTE, "# Rollback\n" + "line\n" * 200, 3)
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await open_note(pilot)
        area(pilot).move_cursor((150, 2))
        await pilot.pause()
        await type_keys(pilot, "x")
        place, scrolled = area(pilot).cursor_location, area(pilot).scroll_offset
        generation = brv(pilot).store.view.project.generation
        await pilot.press("ctrl+s")
        await until(pilot, lambda: brv(pilot).store.view.project.generation > generation)
        await looked(pilot)
        assert area(pilot).cursor_location == place
        assert area(pilot).scroll_offset == scrolled
        assert editor(pilot).focused is area(pilot)
        assert "shown as it is now" not in toast_text(pilot)
        await pilot.press("ctrl+z")
        await looked(pilot)
        assert view(pilot).editor.edit is not None
        assert view(pilot).editor.edit.dirty  # type: ignore[union-attr]
        assert b"lixne" in _on_disk(garden)


async def test_save_sets_or_keeps_the_modification_time_as_chosen(garden: Tree, make_app: MakeApp) -> None:
    before = os.stat(garden.tree / NOTE).st_mtime_ns
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        assert "^s save with new time" in shown(pilot)
        await pilot.press("f6")
        assert "^s save with old time" in shown(pilot)
        assert "keeps its time" in str(area(pilot).border_title)
        await type_keys(pilot, "x")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: _on_disk(garden).startswith(b"x#"))
        await looked(pilot)
        assert os.stat(garden.tree / NOTE).st_mtime_ns == before
        message = "saved; its time is kept, so cached answers stay valid; c on the Query screen (1) removes them"
        await until(pilot, lambda: message in toast_text(pilot))
        assert "its title “Rollback” is lost" in toast_text(pilot)
        brv(pilot).clear_notifications()
        await pilot.press("f6", "y", "ctrl+s")
        await until(pilot, lambda: _on_disk(garden).startswith(b"xy#"))
        await looked(pilot)
        assert os.stat(garden.tree / NOTE).st_mtime_ns != before
        assert message not in toast_text(pilot)


async def test_unchanged_or_read_only_note_is_not_saved(garden: Tree, make_app: MakeApp) -> None:
    before = os.stat(garden.tree / NOTE)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await pilot.press("ctrl+s")
        await looked(pilot)
        assert "nothing to save" in toast_text(pilot)
        assert os.stat(garden.tree / NOTE).st_ino == before.st_ino
        await pilot.press("ctrl+s")
        await until(pilot, lambda: os.stat(garden.tree / NOTE).st_mtime_ns > before.st_mtime_ns)
        assert _on_disk(garden).startswith(b"#")
        (garden.tree / NOTE).chmod(0o444)
        await type_keys(pilot, "x")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "read-only" in toast_text(pilot))
        await looked(pilot)
        assert area(pilot).text.startswith("x#")
        assert "• unsaved" in shown(pilot)


async def test_notes_from_shared_sources_cannot_be_edited(make_tree: Callable[[str], Tree], make_app: MakeApp) -> None:
    own, other = make_tree("own"), make_tree("other")
    own.note("a/b.md", "Own")
    other.note("c/d.md", "Shared words")
    own.source(("lib", other))
    async with make_app(own.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "shared words", "escape", "e")
        await until(pilot, lambda: "shared source lib" in toast_text(pilot))


@pytest.mark.long
async def test_search_finds_words_in_the_note(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await open_note(pilot)
        await pilot.press("ctrl+f")
        await type_keys(pilot, "ROLL")
        await settled(pilot)
        assert "1 of 2" in shown(pilot)
        assert area(pilot).selected_text == "Roll"
        await pilot.press("enter")
        assert area(pilot).selection.start[0] == 3
        await pilot.press("ctrl+f")
        assert area(pilot).selection.start[0] == 0
        await pilot.press("up")
        assert "2 of 2" in shown(pilot)
        await type_keys(pilot, "x")
        await settled(pilot)
        assert "nowhere" in shown(pilot)
        await pilot.press("escape")
        assert editor(pilot).focused is area(pilot)
        assert not editor(pilot).bar.display
        assert "nowhere" not in shown(pilot)


@pytest.mark.long
async def test_f8_toggles_wrapping_for_long_lines(garden: Tree, make_app: MakeApp) -> None:
    garden.file(NOTE, "# Rollback\n" + "word " * 100, 3)
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await open_note(pilot)
        assert area(pilot).soft_wrap
        assert area(pilot).wrapped_document.height > 5
        await pilot.press("f8")
        assert area(pilot).wrapped_document.height == area(pilot).document.line_count == 2
        assert not area(pilot).soft_wrap


@at_two_sizes
async def test_listed_problems_jump_to_their_line(garden: Tree, make_app: MakeApp, size: tuple[int, int]) -> None:
    garden.file(NOTE, "---\nmaturity: coer\n---\n# Rollback\n\nSee @deploy/freeze/windov.md.\n", 3)
    async with make_app(garden.root).run_test(size=size) as pilot:
        await open_note(pilot)
        assert set(area(pilot).line_marks) == {1, 5}
        assert "2! maturity" in shown(pilot)
        if size == WIDE:
            await pilot.click("#problems", offset=(8, 1))
            await settled(pilot)
            assert area(pilot).cursor_location == (1, 10)
        await pilot.press("f4")
        assert "2 maturity must be draft, validated or core, perhaps core" in flat(pilot, "#problems")
        await pilot.press("g", "j", "enter")
        assert area(pilot).cursor_location == (5, 4)
        assert editor(pilot).focused is area(pilot)
        await pilot.press("ctrl+home", "down")
        await pilot.press(*["delete"] * len("maturity: coer"))
        await looked(pilot)
        assert set(area(pilot).line_marks) == {5}


async def test_editor_handles_clicks_help_and_control_characters(pilot: AppPilot) -> None:
    await open_note(pilot)
    await pilot.click("#text", offset=(6, 4))
    assert area(pilot).cursor_location == (3, 2)
    await pilot.press("f1")
    assert "the note exactly as it is on disk" in flat(pilot)
    await pilot.press("escape", "f4", "question_mark")
    text = "\n".join(line.plain for line in pilot.app.screen.query_one(TextPane).lines)
    for words in (
        "updating the note's modification time",
        "Delete to the start of the word",
        "Go to the line with",
    ):
        assert words in text
    await pilot.press("escape")
    area(pilot).insert("a\x1b[31m\r\nb\u202ec\rd", (0, 0))
    await looked(pilot)
    assert area(pilot).text.startswith("a[31m\nbc\nd# Rollback")
    assert "2 characters that cannot be shown" in toast_text(pilot)


async def save_anyway(pilot: AppPilot, message: str = "its frontmatter would become unreadable") -> None:
    """Saves, and confirms the warning about damage."""
    await on(pilot, DamageDialog, "ctrl+s")
    dialog = pilot.app.screen
    assert isinstance(dialog, DamageDialog)
    assert message in " ".join(" ".join(row.plain for row in dialog.query_one("#question", Lines).lines).split())
    dialog.listen()
    await pilot.press("s")


@pytest.mark.parametrize(
    ("keys", "typed", "message"),
    [
        (("ctrl+home", "down", "end"), ": two: [", "line 2: "),
        (("ctrl+home",), "q", "line 1: the frontmatter does not begin with ---"),
    ],
)
async def test_broken_frontmatter_is_reported_after_saving(
    garden: Tree, make_app: MakeApp, keys: tuple[str, ...], typed: str, message: str
) -> None:
    garden.file(NOTE, "---\ntitle: one\n---\n# Rollback\n", 3)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await pilot.press(*keys)
        await type_keys(pilot, typed)
        await save_anyway(pilot)
        await until(pilot, lambda: f"saved {NOTE}" in toast_text(pilot))
        assert f"{NOTE} is saved, but {message}" in toast_text(pilot)
        assert "the engine does not read" in toast_text(pilot)


async def test_signals_lost_by_a_save_are_reported(garden: Tree, make_app: MakeApp) -> None:
    garden.file(REFUNDS, "---\nkeywords: [JWKS, kid]\nmaturity: core\nimportance: 88\n---\n# Refunds\n", 3)
    garden.read_frontmatter()
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot, REFUNDS)
        await pilot.press("ctrl+home", "down", "end", *["left"] * 5)
        await type_keys(pilot, ",")
        await save_anyway(pilot)
        await until(pilot, lambda: f"saved {REFUNDS}" in toast_text(pilot))
        assert (garden.tree / REFUNDS).read_text().splitlines()[1] == "keywords: [JWKS,, kid]"
        assert f"{REFUNDS} is saved, but line 2: " in toast_text(pilot)
        assert "signals are lost: maturity core → draft, importance 88 → 50" in toast_text(pilot)


@pytest.mark.long
async def test_generated_file_warns_that_edits_are_overwritten(garden: Tree, make_app: MakeApp) -> None:
    garden.summary("deploy")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot, "deploy/_index.md")
        await settled(pilot)
        assert "GENERATED" in shown(pilot)
        assert "will overwrite your changes" in shown(pilot)


@pytest.mark.long
async def test_f5_selects_the_whole_text_and_help_lists_the_key(app: BrvTui) -> None:
    async with app.run_test(size=(120, 160)) as pilot:
        await open_note(pilot)
        whole = area(pilot).text
        await press(pilot, "down", "f5")
        assert area(pilot).selected_text == whole
        await press(pilot, "x")
        assert area(pilot).text == "x"
        await press(pilot, "ctrl+z")
        assert area(pilot).text == whole
        await press(pilot, "f4", "question_mark")
        assert "F5" in shown(pilot)
        assert "Select the whole text" in shown(pilot)


MARKS = "<<<<<<< mine\none\n=======\ntwo\n>>>>>>> theirs\n"


async def test_conflict_markers_are_saved_only_after_confirmation(garden: Tree, pilot: AppPilot) -> None:
    await open_note(pilot)
    before = (garden.tree / NOTE).read_text()
    area(pilot).insert(MARKS, (0, 0))
    await on(pilot, DamageDialog, "ctrl+s")
    await press(pilot, "escape")
    assert (garden.tree / NOTE).read_text() == before
    assert area(pilot).text.startswith(MARKS)
    await save_anyway(pilot, "the conflict markers would become part of its text")
    await until(pilot, lambda: (garden.tree / NOTE).read_text().startswith(MARKS))
    area(pilot).insert("more ", (1, 0))
    await pilot.press("ctrl+s")  # this adds no new damage, so there is no question
    await until(pilot, lambda: "more one" in (garden.tree / NOTE).read_text())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: one\n---\n# R\n", "---\ntitle: one\n# R\n"),
        ("---\ntitle: one\nkeywords: [a]\n---\n# R\n", "---\ntitle: two\nkeywords: [a]\n--\n# R\n"),
        ("---\ntitle: one\n---\n# R\n", "\ufeff---\ntitle: one\n---\n# R\n"),
        ("---\ntitle: one\n---\n# R\n", "---\ntitle: one\ntitle: two\n---\n# R\n"),
        ("---\ntitle: one\n---\n# R\n", "---\n- title\n---\n# R\n"),
        ("# R\n", "---\ntitle: [\n---\n# R\n"),
        ("---\ntags:\n- a\n---\n# R\n", "# R\n\n- a\n"),
        ("---\ntitle: one\n---\n# R\n", "# R\n"),
        ("---\r\ntitle: one\r\n---\r\n# R\r\n", "---\r\ntitle: {one\r\n---\r\n# R\r\n"),
    ],
)
def test_unreadable_frontmatter_needs_confirmation(garden: Tree, before: str, after: str) -> None:
    garden.file(NOTE, before, 3)
    session = Session.open(garden.root)
    session.load()
    doubt = save(session, on_disk(session, NOTE), after.encode(), False)
    assert isinstance(doubt, SaveDoubt)
    assert "its frontmatter would become unreadable" in doubt.problem


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: [\n---\n# R\n", "---\ntitle: [\n---\n# R\nmore\n"),
        (MARKS, MARKS.replace("one", "1")),
    ],
)
def test_text_that_was_already_broken_is_saved_without_confirmation(garden: Tree, before: str, after: str) -> None:
    garden.file(NOTE, before, 3)
    session = Session.open(garden.root)
    session.load()
    assert isinstance(save(session, on_disk(session, NOTE), after.encode(), False), NoteSaved)
    assert (garden.tree / NOTE).read_text() == after


async def test_damaging_text_needs_confirmation_before_the_editor_closes(garden: Tree, pilot: AppPilot) -> None:
    await open_note(pilot)
    area(pilot).insert(MARKS, (0, 0))
    await looked(pilot)
    await on(pilot, DamageDialog, "escape", "s")
    await press(pilot, "escape")
    assert area(pilot).text.startswith(MARKS), "it is not closed"
    await on(pilot, DamageDialog, "escape", "s")
    pilot.app.screen.listen()  # type: ignore[attr-defined]
    await pilot.press("s")
    await until(pilot, lambda: view(pilot).editor.edit is None)
    assert (garden.tree / NOTE).read_text().startswith(MARKS)
