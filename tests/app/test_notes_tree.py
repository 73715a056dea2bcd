"""The tree of the Notes screen: browsing, filtering, and details on request; by keys and by mouse."""

from __future__ import annotations

from threading import Event

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.notes.screen import NotesScreen, NotesTree
from brvtui.app.widgets.outline import Order
from brvtui.app.widgets.tree import ASIDE, UNSEEN
from brvtui.session import Session
from tests.app.driving import NARROW, WIDE, MakeApp, ask, on, open_notes, press, reading, settled, until
from tests.app.looking import AppPilot, flat, frame, shown, text_of, view
from tests.support.trees import Tree

pytestmark = pytest.mark.long

STUB = "_archived/auth/jwt/old_flow.stub.md"


def _tree(app: BrvTui) -> NotesTree:
    return app.screen.query_one(NotesTree)


async def test_tree_cursor_selects_notes_and_enter_opens_rows(app: BrvTui, pilot: AppPilot) -> None:
    await open_notes(pilot)
    tree = _tree(app)
    assert tree.chosen == "auth"
    assert view(pilot).selection.file == ""
    await press(pilot, "j", "j")
    assert tree.chosen == view(pilot).selection.file == "auth/jwt/refresh_rotation.md"
    assert "rotated out after thirty seconds" in flat(pilot, "#note")
    await pilot.press("k")
    assert tree.chosen == "auth/jwt"
    assert view(pilot).selection.file == "auth/jwt/refresh_rotation.md"
    await pilot.press("g")
    await pilot.press("enter")
    assert "auth/jwt" not in tree.choices
    await press(pilot, "enter", "j", "j", "enter")
    assert app.focused is app.screen.query_one("#note")
    await pilot.press("f2")
    await press(pilot, "G", "enter", "j")
    assert _tree(app).chosen == view(pilot).selection.file == "auth/broken.md"
    assert "not UTF-8" in text_of(pilot, "#note")
    await pilot.press("k", "enter")
    assert _tree(app).chosen == UNSEEN
    assert "auth/broken.md" not in _tree(app).choices
    await press(pilot, "slash", *"broken")
    assert "nothing matches" not in text_of(pilot, "#tree"), "a file that is not seen does"
    await press(pilot, "x")
    assert "nothing matches" in text_of(pilot, "#tree")


async def test_closed_folder_is_marked_if_a_note_inside_needs_repair(garden: Tree, app: BrvTui) -> None:
    undecided = "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> topic\n"
    garden.file("auth/jwt/refresh_rotation.md", f"# Refresh rotation\n\n{undecided}")
    async with app.run_test(size=WIDE) as pilot:
        await open_notes(pilot)
        folder = next(row for row in text_of(pilot, "#tree").splitlines() if " auth" in row)
        assert "⚠" not in folder, "its note has the mark"
        await pilot.press("enter")
        folder = next(row for row in text_of(pilot, "#tree").splitlines() if " auth" in row)
        assert "auth ⚠" in folder


async def test_folder_of_the_selected_result_is_opened(app: BrvTui, pilot: AppPilot) -> None:
    await settled(pilot)
    await press(pilot, "escape", "2")
    tree = _tree(app)
    for folder in ("auth/jwt", "auth"):
        tree.toggle(folder, False)
    await pilot.press("1")
    await ask(pilot, "session expiry")
    await press(pilot, "escape", "2")
    assert tree.chosen == "auth/jwt/session_expiry.md"
    assert "Session expiry" in text_of(pilot, "#tree").splitlines()[tree.cursor]
    await pilot.press("h")
    assert "▌" not in text_of(pilot, "#tree"), "only the cursor marks a row"
    await pilot.press("h")
    assert "auth/jwt/session_expiry.md" not in tree.choices, "the user may close it again"


async def test_filter_keeps_notes_with_their_folders(app: BrvTui, pilot: AppPilot) -> None:
    await open_notes(pilot)
    tree = _tree(app)
    await press(pilot, "slash", *"rotation")
    assert tree.choices == [
        "auth",
        "auth/jwt",
        "auth/jwt/refresh_rotation.md",
        "auth/oauth",
        "auth/oauth/key_rotation.md",
        "i18n",
        "i18n/rotation_ja.md",
    ]
    assert "3 of 12, without 1 stub" in shown(pilot)
    assert tree.chosen == view(pilot).selection.file == "auth/jwt/refresh_rotation.md"
    rows = text_of(pilot, "#tree").splitlines()
    assert rows[0].split() == ["▾", "auth", "2"]
    assert rows[-1].rstrip("│ ").endswith("n_ja.md"), "the path says why it is kept"
    lit = {text.lower() for text, role in tree.spans(2) if "match" in role}
    assert lit == {"rotation"}
    await press(pilot, "enter", "n")
    assert tree.chosen == view(pilot).selection.file == "auth/oauth/key_rotation.md"
    await pilot.press("n", "n")
    assert tree.chosen == "auth/jwt/refresh_rotation.md", "after the last comes the first"
    await pilot.press("N")
    assert tree.chosen == "i18n/rotation_ja.md"
    await press(pilot, "escape")
    assert len(tree.choices) > 12
    assert tree.chosen == view(pilot).selection.file == "i18n/rotation_ja.md"


async def test_tree_filter_searches_texts_and_follows_changes(tree: Tree, make_app: MakeApp) -> None:
    tree.note("foxes.md", "Foxes", "sleep by day")
    tree.note("owls.md", "Owls", "hunt by night")
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await open_notes(pilot)
        rows = _tree(pilot.app)
        await press(pilot, "slash", *"hun")
        await until(pilot, lambda: rows.choices == ["owls.md"])
        assert rows.chosen == view(pilot).selection.file == "owls.md"
        tree.note("foxes.md", "Foxes", "hunt by day")
        await until(pilot, lambda: rows.choices == ["foxes.md", "owls.md"])
        await press(pilot, *"t -night")
        await until(pilot, lambda: rows.choices == ["foxes.md"])
        await press(pilot, "escape")
        await until(pilot, lambda: rows.choices == ["foxes.md", "owls.md"])


async def test_hint_for_a_tree_without_folders_mentions_no_folder(tree: Tree, make_app: MakeApp) -> None:
    tree.note("foxes.md", "Foxes", "sleep by day")
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await open_notes(pilot)
        assert "no note is selected: in the tree, Enter shows a note" in flat(pilot, "#note")
        await pilot.press("enter")
        await until(pilot, lambda: "sleep by day" in text_of(pilot, "#note"))


async def test_escape_while_typing_a_filter_restores_rows_cursor_and_note(app: BrvTui, pilot: AppPilot) -> None:
    await open_notes(pilot)
    tree = _tree(app)
    tree.toggle("deploy", False)
    await press(pilot, "j", "j", "k")
    before = list(tree.choices), tree.chosen, view(pilot).selection.file
    assert before[1:] == ("auth/jwt", "auth/jwt/refresh_rotation.md")
    await press(pilot, "slash", *"rollback")
    assert tree.chosen == view(pilot).selection.file == "deploy/rollback.md"
    await press(pilot, "escape")
    assert (tree.choices, tree.chosen, view(pilot).selection.file) == before


async def test_cursor_is_on_the_best_match_while_a_filter_is_typed(tree: Tree, make_app: MakeApp) -> None:
    tree.note("a.md", "Foxes", "they hunt")
    tree.note("b.md", "Hunting", "by night")
    tree.note("c.md", "Crows", "fly")
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await open_notes(pilot)
        rows = _tree(pilot.app)
        await press(pilot, "slash", *"hunt")
        await until(pilot, lambda: rows.choices == ["a.md", "b.md"])
        assert rows.chosen == view(pilot).selection.file == "b.md", "its title matches"
        await press(pilot, "escape", "j", "slash", *"hunt")
        await until(pilot, lambda: rows.choices == ["a.md", "b.md"])
        assert rows.chosen == "a.md", "the former row"
        await press(pilot, "escape", "g", "slash", *"hunt")
        await until(pilot, lambda: rows.chosen == "b.md")
        await press(pilot, "up")
        rows.put_filter("hun")
        assert rows.chosen == "a.md", "the best match of the former text does not count"
        await until(pilot, lambda: rows.chosen == "b.md")


async def test_filter_typed_while_loading_searches_only_titles_and_paths(
    tree: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.note("foxes.md", "Foxes", "hunt by day")
    tree.note("owls.md", "Owls", "sleep by day")
    may_load, load = Event(), Session.load
    monkeypatch.setattr(Session, "load", lambda *args: may_load.wait(30) and load(*args))
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await reading(pilot)
        rows = (await on(pilot, NotesScreen, "escape", "2")).query_one(NotesTree)
        await pilot.press("slash", *"hunt")
        await until(pilot, lambda: str(rows.border_subtitle) == "titles and paths only, so far")
        may_load.set()
        await until(pilot, lambda: rows.choices == ["foxes.md"])
        assert str(rows.border_subtitle) == "1 of 2"


async def test_filter_without_matches_selects_no_row(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await open_notes(pilot)
        tree = _tree(app)
        await press(pilot, "slash", *"zzz", "down", "enter", "n", "enter", "l", "h")
        assert "0 of 12" in shown(pilot)
        assert tree.chosen == ""
        await pilot.press("escape", "slash", *"broken")
        assert "not read by the engine" in text_of(pilot, "#tree")
        assert "not UTF-8" in text_of(pilot, "#tree")


async def test_stubs_are_shown_on_request_and_notes_can_be_sorted(app: BrvTui, garden: Tree, pilot: AppPilot) -> None:
    await open_notes(pilot)
    tree = _tree(app)
    assert "in the tree, l opens a folder" in flat(pilot, "#note")
    assert "_archived" not in tree.choices
    assert "2 stubs, derived files" in text_of(pilot, "#tree")
    await pilot.press("full_stop")
    text = text_of(pilot, "#tree")
    assert "_archived" in tree.choices
    assert "auth/_index.md" in tree.choices
    assert "_index.md  folder summary" in text
    assert "hide 2 stubs" in text
    tree.move_to(tree.choices.index(ASIDE))
    await pilot.press("h", "h")
    assert "_archived" not in tree.choices
    await pilot.press("l", "l")
    assert "_archived" in tree.choices
    await pilot.press("enter")
    assert "_archived" not in tree.choices
    await pilot.press("S")
    assert tree.outline.order is Order.IMPORTANCE
    jwt = [choice for choice in tree.choices if choice.startswith("auth/jwt/")]
    assert [path.rpartition("/")[2] for path in jwt] == [
        "token_store.md",
        "session_expiry.md",
        "refresh_rotation.md",
    ]
    assert "Tree · by importance" in shown(pilot)
    assert next(row for row in text_of(pilot, "#tree").splitlines() if "Token store" in row).endswith(" 91")
    await pilot.press("S")
    jwt = [choice for choice in tree.choices if choice.startswith("auth/jwt/")]
    assert [path.rpartition("/")[2] for path in jwt] == [
        "token_store.md",
        "refresh_rotation.md",
        "session_expiry.md",
    ]
    assert next(row for row in text_of(pilot, "#tree").splitlines() if "Token store" in row).endswith("2.0 d")
    await pilot.press("S")
    assert tree.outline.order is Order.NAME
    await pilot.press("g")
    await press(pilot, "j", "j")
    garden.file("deploy/zeppelin.md", "# Zeppelin\n\ntext\n", 0)
    await until(pilot, lambda: "deploy/zeppelin.md" in _tree(app).choices)
    await settled(pilot)
    assert view(pilot).selection.file == _tree(app).chosen == "auth/jwt/refresh_rotation.md"


async def test_selected_stub_is_always_shown(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "old jwt flow 2023", "escape")
    while view(pilot).selection.file != STUB:
        await press(pilot, "j")
    await press(pilot, "2")
    assert _tree(app).chosen == STUB
    assert "Old JWT flow  stub" in text_of(pilot, "#tree")


async def test_click_shows_a_note_and_opens_a_folder(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await open_notes(pilot)
        tree = _tree(app)
        await pilot.click("#tree", offset=(5, tree.choices.index("billing/refunds.md") + 1))
        await settled(pilot)
        assert view(pilot).selection.file == "billing/refunds.md"
        assert app.focused is tree
        await pilot.click("#tree", offset=(5, tree.choices.index("billing") + 1))
        await settled(pilot)
        assert "billing/refunds.md" not in tree.choices


async def test_empty_or_missing_tree_is_explained(tree: Tree, make_app: MakeApp) -> None:
    empty = make_app(tree.root)
    async with empty.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "2")
        assert "no notes" in text_of(pilot, "#tree")
        assert text_of(pilot, "#note").strip() == "no note is selected"
        await pilot.press("j", "enter", "l", "h", "full_stop", "S", "slash", "x", "enter", "n")
        assert "nothing matches" in text_of(pilot, "#tree")
    missing = make_app(tree.root / "nowhere")
    async with missing.run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "escape", "2")
        assert "no such folder" in flat(pilot, "#tree")
        await pilot.press("j", "enter", "slash", "x", "enter", "n")
        assert frame(pilot).TITLE == "Notes"
