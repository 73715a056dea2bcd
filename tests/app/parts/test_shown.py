"""One view, drawn before those who follow it are told."""

from __future__ import annotations

from collections.abc import Collection

from brvtui.app.parts.shown import Shown
from brvtui.app.view import View


def test_a_change_is_drawn_then_told() -> None:
    seen: list[object] = []
    shown = Shown(View(), lambda view: seen.append(view.query))

    def told(changes: Collection[str]) -> None:
        seen.append(set(changes))

    shown.follow(told)
    shown.show(query="peas", scope="garden")
    assert seen == ["peas", {"query", "scope"}]
    assert (shown.view.query, shown.view.scope) == ("peas", "garden")


def test_a_follower_may_change_the_view() -> None:
    drawn: list[tuple[str, str]] = []
    shown = Shown(View(), lambda view: drawn.append((view.query, view.selected)))

    def select(changes: Collection[str]) -> None:
        if "query" in changes:
            shown.show(selected="peas.md")

    shown.follow(select)
    shown.show(query="peas")
    assert drawn == [("peas", ""), ("peas", "peas.md")]


def test_nothing_is_shown_of_a_tree_at_first() -> None:
    assert Shown(View(), lambda view: None).generation == 0
