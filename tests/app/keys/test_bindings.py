"""Every key has a name and says what it does; none that terminals swallow; none is two things in one place."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.binding import Binding

from brvtui.app.keymap import QUERY_PANES
from brvtui.app.keys.letters import letter_actions
from brvtui.app.keys.naming import is_key, is_text, key_name, same, split
from brvtui.app.keys.owners import Owner, all_bindings, owners
from brvtui.app.screens.message import MessageScreen
from brvtui.app.screens.query import QueryScreen
from brvtui.app.widgets.pane import Pane

_ALL = [(owner, binding) for owner in owners() for binding in owner.bindings]


def _ids(value: object) -> str:
    return value.title if isinstance(value, Owner) else str(getattr(value, "id", value))


@pytest.mark.parametrize(("owner", "binding"), _ALL, ids=_ids)
def test_a_binding_is_documented_and_arrives(owner: Owner, binding: Binding) -> None:
    assert binding.id
    assert binding.tooltip
    for key in split(binding.key):
        assert is_key(key)
        assert key not in {"ctrl+j", "ctrl+m", "ctrl+i", "ctrl+h"}
        assert not key.startswith(("alt+", "super+", "ctrl+shift+"))


def test_every_owner_is_found() -> None:
    kinds = {owner.kind for owner in owners()}
    assert {QueryScreen, Pane, MessageScreen} <= kinds
    titles = [owner.title for owner in owners()]
    assert titles[:2] == ["Everywhere", "Every screen"]
    assert {"Screen Query", "Screen Notes", "Every pane", "Results"} <= set(titles)
    assert all("BINDINGS" in vars(kind) for kind in kinds)


def test_names_are_unique() -> None:
    assert len(all_bindings()) == len(_ALL)


@pytest.mark.parametrize("owner", owners(), ids=_ids)
def test_no_key_is_two_things_in_one_place(owner: Owner) -> None:
    above = [binding for other in owners() if issubclass(owner.kind, other.kind) for binding in other.bindings]
    keys = Counter(same(key) for binding in above for key in split(binding.key))
    assert [key for key, times in keys.items() if times > 1] == []


@pytest.mark.parametrize(("owner", "binding"), _ALL, ids=_ids)
def test_with_priority_keys_are_text_all_or_none(owner: Owner, binding: Binding) -> None:
    assert not binding.priority or len({is_text(key) for key in split(binding.key)}) == 1


def test_function_keys_reach_every_pane() -> None:
    assert sorted(QUERY_PANES.values()) == [f"f{number}" for number in range(2, 9)]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ctrl+r", "^r"), ("f12", "F12"), ("escape,q", "esc"), ("slash", "/"), ("f", "f"), ("full_stop", "."),
        ("pagedown", "pgdn"), ("space", "space"), ("shift+tab", "shift+tab"), ("F2-F8", "F2-F8"), ("minus", "-"),
    ],
)  # fmt: skip
def test_keys_are_written_as_people_write_them(key: str, name: str) -> None:
    assert key_name(key) == name


@pytest.mark.parametrize(
    ("key", "exists", "text"),
    [
        ("a", True, True), ("G", True, True), ("?", True, True), ("question_mark", True, True), ("+", True, True),
        ("slash", True, True), ("é", True, True), ("space", True, True), ("comma", True, True), ("f5", True, False),
        ("ctrl+r", True, False), ("ctrl+slash", True, False), ("shift+up", True, False), ("escpae", False, False),
        ("ctrl+", False, False), ("", False, False), ("strg+r", False, False), ("Ctrl+r", False, False),
    ],
)  # fmt: skip
def test_which_keys_there_are_and_which_are_text(key: str, exists: bool, text: bool) -> None:
    assert (is_key(key), is_text(key)) == (exists, text)


def test_two_names_of_one_key_are_the_same() -> None:
    assert same("?") == same("question_mark")
    assert same("/") == same("slash")
    assert same("tab") != same("shift+tab")


def test_letters_are_told_by_the_keys_that_hold() -> None:
    assert {("query", ()), ("why", ())} <= letter_actions(QueryScreen, {})
    assert ("cycle", (1,)) not in letter_actions(QueryScreen, {})
    held = letter_actions(QueryScreen, {"panes.next": "n", "results.why": "ctrl+w"})
    assert ("cycle", (1,)) in held
    assert ("why", ()) not in held
