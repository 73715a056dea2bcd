"""A project whose tree is behind a symlink: the app explains the empty tree, and writes no note through the link."""

from __future__ import annotations

from pathlib import Path

from tests.app.driving import WIDE, MakeApp, ask, press, settled
from tests.app.looking import flat, toasts
from tests.support.trees import Tree


async def test_linked_tree_is_explained_and_no_note_is_created(garden: Tree, make_app: MakeApp, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".brv").symlink_to(garden.root / ".brv")
    before = sorted(garden.tree.rglob("*"))
    async with make_app(linked).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "is a link that leads out of" in flat(pilot)
        assert "begins" not in flat(pilot, "#results")
        await ask(pilot, "rollback")
        assert "begins" not in flat(pilot, "#results")
        await press(pilot, "escape", "a")
        assert any("the context tree is a link" in text for text in toasts(pilot))
        assert len(pilot.app.screen_stack) == 1
    assert sorted(garden.tree.rglob("*")) == before
