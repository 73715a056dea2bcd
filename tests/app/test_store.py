"""One view, which changes by whole sub-states: drawn before those who subscribed to one are told."""

from __future__ import annotations

from brvtui.app.states import NoteState, QueryState, SelectionState
from brvtui.app.view import View, ViewStore


def test_a_change_is_drawn_then_told() -> None:
    seen: list[object] = []
    store = ViewStore(lambda view: seen.append(view.query.text))
    store.subscribe((QueryState, NoteState), lambda: seen.append("told"))
    store.update(store.view.query._replace(text="peas", scope="garden"), SelectionState("peas.md"))
    assert seen == ["peas", "told"]
    assert store.view == View(query=QueryState("peas", "garden"), selection=SelectionState("peas.md"))


def test_only_a_sub_state_that_was_subscribed_to_is_told_of() -> None:
    told: list[str] = []
    store = ViewStore(lambda view: None)
    store.subscribe((NoteState,), lambda: told.append("note"))
    store.update(QueryState("peas"))
    assert told == []
    store.update(NoteState())
    assert told == ["note"]


def test_a_subscriber_may_change_the_view() -> None:
    drawn: list[tuple[str, str]] = []
    store = ViewStore(lambda view: drawn.append((view.query.text, view.selection.file)))
    store.subscribe((QueryState,), lambda: store.update(SelectionState("peas.md")))
    store.update(QueryState("peas"))
    assert drawn == [("peas", ""), ("peas", "peas.md")]


def test_nothing_is_shown_of_a_tree_at_first() -> None:
    assert View().project.generation == 0
