"""The tree: counts, scopes, and files that the engine does not see."""

from __future__ import annotations

from brvtui.app.widgets.tree import UNSEEN, TreePane
from brvtui.engines.byterover.sections import Search
from tests.app.driving import ask, press, settled
from tests.app.looking import AppPilot, brv, flat, screen, shown, text_of, trace_of, view


async def test_folders_show_counts_and_can_be_opened_and_closed(pilot: AppPilot) -> None:
    await settled(pilot)
    lines = text_of(pilot, "#tree").splitlines()
    assert lines[0].split()[-3:] == ["○9", "◐2", "●2"]
    auth = next(line for line in lines if line.startswith(" ▾ auth "))
    assert auth.split()[-3:] == ["○4", "◐1", "●1"]
    tree = screen(pilot).query_one(TreePane)
    assert "broken.md" not in text_of(pilot, "#tree")
    await pilot.press("f8")
    tree.move_to(tree.choices.index(UNSEEN))
    await pilot.press("enter")
    assert "broken.md" in text_of(pilot, "#tree")
    assert "not UTF-8" in text_of(pilot, "#tree")
    await pilot.press("enter")
    assert "broken.md" not in text_of(pilot, "#tree")
    tree.move_to(tree.choices.index("auth"))
    await pilot.press("left")
    assert "auth/jwt" not in tree.choices
    await pilot.press("right")
    assert "auth/jwt" in tree.choices
    await pilot.press("right")
    assert tree.chosen.startswith("auth/")
    tree.move_to(tree.choices.index("auth/strange.md"))
    await pilot.press("left")
    assert tree.chosen == "auth"
    brv(pilot).store.update(brv(pilot).store.view.query._replace(scope="auth/nowhere"))
    await ask(pilot, "token")
    assert "auth/nowhere, which is not in the tree" in text_of(pilot, "#lint")


async def test_folders_scope_the_search_and_notes_open_as_text(pilot: AppPilot) -> None:
    await ask(pilot, "token")
    tree = screen(pilot).query_one(TreePane)
    await pilot.press("f8")
    tree.move_to(tree.choices.index("auth/oauth"))
    await press(pilot, "enter")
    trace = trace_of(pilot)
    assert view(pilot).query.scope == trace.scope_option == "auth/oauth"
    assert {hit.path for hit in trace.section(Search).hits} <= {
        "auth/oauth/scopes.md",
        "auth/oauth/key_rotation.md",
    }
    assert "auth/oauth" in shown(pilot)
    await press(pilot, "enter")
    assert view(pilot).query.scope == ""
    assert view(pilot).answer.trace is not None
    tree.move_to(tree.choices.index("billing"))
    await press(pilot, "enter")
    assert view(pilot).query.scope == "billing"
    await press(pilot, "g", "enter")
    assert view(pilot).query.scope == ""
    row = tree.choices.index("billing") - tree.offset_row
    await pilot.click("#tree", offset=(4, row + 1))
    await settled(pilot)
    assert view(pilot).query.scope == "billing"
    tree.move_to(tree.choices.index("billing/refunds.md"))
    await press(pilot, "enter")
    assert "A refund never changes an invoice" in flat(pilot, "#answer")


async def test_tree_shows_the_selected_result_with_its_score(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    tree = screen(pilot).query_one(TreePane)
    assert tree.chosen == "deploy/rollback.md"
    row = next(line for line in text_of(pilot, "#tree").splitlines() if "Rollback" in line)
    assert row.startswith("▌")
    assert row.endswith("1.00")
