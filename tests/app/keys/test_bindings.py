"""Every action has a name and a description, and its keys reach it. No key has two meanings in one place."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter

import pytest
from textual.dom import DOMNode

import brvtui.app
from brvtui.app.actions.action import Action, Place, PlaceKind
from brvtui.app.actions.everywhere import ALL_SCREENS
from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.actions.screens import QUERY_PANES
from brvtui.app.app import BrvTui
from brvtui.app.keys.bindings import (
    bindings,
    canonical,
    declared,
    is_key,
    is_text,
    key_name,
    letter_actions,
    own_bindings,
    split,
)
from brvtui.app.modes import EDITOR, SCREENS
from brvtui.app.query.screen import QueryScreen
from brvtui.app.screens.frame import FrameScreen
from tests.app.driving import WIDE, settled
from tests.app.editing import open_note

_ALL = [(place, action) for place in PLACES for action in place.actions]


def _ids(value: object) -> str:
    return value.heading if isinstance(value, Place) else str(getattr(value, "name", value))


def _classes() -> list[type]:
    """Yields every class of the app that declares bindings."""
    for module in pkgutil.walk_packages(brvtui.app.__path__, "brvtui.app."):
        importlib.import_module(module.name)
    found: list[type] = []
    left: list[type] = [DOMNode]
    while left:
        for kind in left.pop().__subclasses__():
            if kind not in found:
                left.append(kind)
                found.append(kind)
    return [kind for kind in found if kind.__module__.startswith("brvtui.app.") and own_bindings(kind)]


def test_w_explains_results_on_every_screen() -> None:
    held = {action.name: action for _, action in _ALL if "w" in split(action.keys)}
    assert {action.call for action in held.values()} == {"app.why"}
    log = held.pop("log.why")
    assert log.description.startswith("Explain why the first note that answered is or is not")
    assert len({action.description for action in held.values()}) == 1
    assert not any("Log" in action.description for action in held.values())


@pytest.mark.parametrize(("place", "action"), _ALL, ids=_ids)
def test_actions_have_descriptions_and_keys_that_terminals_send(place: Place, action: Action) -> None:
    assert action.name
    assert action.description
    for key in split(action.keys):
        assert is_key(key)
        assert key not in {"ctrl+j", "ctrl+m", "ctrl+i", "ctrl+h"}
        assert not key.startswith(("alt+", "super+", "ctrl+shift+"))


def test_action_and_place_names_are_unique() -> None:
    assert len(ACTIONS) == len(_ALL)
    for names in ([place.name for place in PLACES], [place.heading for place in PLACES]):
        assert len(set(names)) == len(PLACES)


def test_places_are_sorted_by_kind_and_title() -> None:
    titles = [place.heading for place in PLACES]
    assert titles[:2] == ["Everywhere", "Every screen"]
    for kinds in ((PlaceKind.SCREEN,), (PlaceKind.PANE, PlaceKind.FIELD), (PlaceKind.DIALOG,)):
        listed = [place.title for place in PLACES if place.kind in kinds and place.name != "filter"]
        assert listed == sorted(listed)


def test_each_place_has_one_class_that_binds_its_actions() -> None:
    classes = {tuple(binding.id for binding in own_bindings(kind)): kind for kind in _classes()}
    assert len(classes) == len(_classes()) == len(PLACES)
    for place in PLACES:
        kind = classes[tuple(action.name for action in place.actions)]
        assert own_bindings(kind) == tuple(bindings(place))
        above = [action.name for one in reversed(list(place.chain)) for action in one.actions]
        assert [binding.id for binding in declared(kind) if binding.id] == above


async def test_panes_appear_on_the_screens_listed_in_the_registry(app: BrvTui) -> None:
    places = {action.name: place for place in PLACES for action in place.actions}
    found: dict[str, set[str]] = {}
    async with app.run_test(size=WIDE) as pilot:
        await open_note(pilot)
        for mode in (*SCREENS, EDITOR):
            await app.switch_mode(mode.name)
            await settled(pilot)
            frame = app.frame
            assert isinstance(frame, FrameScreen)
            assert mode.title == frame.TITLE
            for widget in frame.walk_children():
                for binding in declared(type(widget)):
                    if binding.id:
                        found.setdefault(places[binding.id].name, set()).add(mode.name)
    parts = [place for place in PLACES if place.screens and place.kind is not PlaceKind.EVERY_SCREEN]
    assert found | {"filter": set(ALL_SCREENS)} == {place.name: set(place.screens) for place in parts}


@pytest.mark.parametrize("place", PLACES, ids=_ids)
def test_no_key_has_two_meanings_in_one_place(place: Place) -> None:
    within = [*place.chain]
    if place.kind is PlaceKind.PANE:  # a pane's key would hide the screen's, although help lists both
        within += [one for one in PLACES if one.kind is PlaceKind.EVERY_SCREEN]
    held = [action for one in within for action in one.actions]
    keys = Counter(canonical(key) for action in held for key in split(action.keys))
    assert [key for key, times in keys.items() if times > 1] == []


@pytest.mark.parametrize(("place", "action"), _ALL, ids=_ids)
def test_priority_actions_do_not_mix_text_keys_with_other_keys(place: Place, action: Action) -> None:
    assert not action.first or len({is_text(key) for key in split(action.keys)}) == 1


def test_function_keys_reach_every_pane() -> None:
    assert sorted(QUERY_PANES.values()) == [f"f{number}" for number in range(2, 9)]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ctrl+r", "^r"), ("f12", "F12"), ("escape,q", "Esc"), ("slash", "/"), ("f", "f"), ("full_stop", "."),
        ("pagedown", "PgDn"), ("space", "Space"), ("shift+tab", "Shift+Tab"), ("F2-F8", "F2-F8"), ("minus", "-"),
    ],
)  # fmt: skip
def test_keys_are_written_in_common_notation(key: str, name: str) -> None:
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
def test_existing_keys_and_text_keys_are_recognized(key: str, exists: bool, text: bool) -> None:
    assert (is_key(key), is_text(key)) == (exists, text)


def test_two_names_for_the_same_key_are_equal() -> None:
    assert canonical("?") == canonical("question_mark")
    assert canonical("/") == canonical("slash")
    assert canonical("tab") != canonical("shift+tab")


def test_letter_actions_follow_the_users_keys() -> None:
    assert {("query", ()), ("why", ())} <= letter_actions(QueryScreen, {})
    assert ("cycle", (1,)) not in letter_actions(QueryScreen, {})
    held = letter_actions(QueryScreen, {"panes.next": "n", "results.why": "ctrl+w"})
    assert ("cycle", (1,)) in held
    assert ("why", ()) not in held
