"""Checks of the user's keys against all others, and the lists that commands print."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.keys.checking import Checked, check_keys
from brvtui.app.keys.listing import default_table, keys_report, listed
from brvtui.config import configure
from tests.support.settings import own


def test_free_keys_are_accepted() -> None:
    keys = {"app.theme": "ctrl+t", "pane.down": "j,down,ctrl+e", "panes.back": "escape,f10"}
    assert check_keys(keys) == Checked(keys)


@pytest.mark.parametrize(
    ("name", "given_keys", "message"),
    [
        ("panes.bak", "x", "there is no such binding; did you mean panes.back?"),
        ("panes.back", "escpae", "there is no key 'escpae'; did you mean escape?"),
        ("panes.back", "f10,ctrl+i", "terminals send 'ctrl+i' as tab: choose another key"),
        ("panes.back", "ctrl+", "there is no key 'ctrl+'"),
        ("panes.back", "ctrl+banana", "there is no key 'ctrl+banana'"),  # a character that no keyboard has
        ("panes.next", "tab,n", "'n' types text in a field, and the other keys do not"),
    ],
)
def test_unusable_keys_are_rejected_with_a_reason(name: str, given_keys: str, message: str) -> None:
    result = check_keys({name: given_keys, "app.theme": "ctrl+t"})
    assert result.usable == {"app.theme": "ctrl+t"}
    assert list(result.problems) == [name]
    assert result.problems[name].startswith(f'keys."{name}": {message}')


@pytest.mark.parametrize(
    ("name", "given_keys", "other"),
    [
        ("pane.down", "G", "pane.bottom (Every pane: "),
        ("results.open", "k", "pane.up (Every pane"),
        ("app.theme", "z", "panes.maximise (Every screen"),
        ("pane.down", "c", "board.changes (Maturity screen"),
        ("results.open", "question_mark", "help.keys (Every screen"),
        ("results.open", "?", "help.keys (Every screen"),
        ("panes.score", "f3,f2", "panes.results (Query screen"),
    ],
)
def test_key_of_another_action_is_rejected(name: str, given_keys: str, other: str) -> None:
    result = check_keys({name: given_keys})
    assert result.usable == {}
    assert other in result.problems[name]
    assert result.problems[name].endswith("choose another key, or first give that action another key")


def test_rejected_key_falls_back_to_its_default_which_may_clash() -> None:
    result = check_keys({"app.theme": "G", "panes.maximise": "t", "panes.score": "V"})
    assert "pane.bottom" in result.problems["app.theme"]
    assert "app.theme" in result.problems["panes.maximise"]
    assert result.usable == {"panes.score": "V"}


def test_same_new_key_for_two_actions_is_rejected_for_both() -> None:
    result = check_keys({"app.theme": "ctrl+j", "panes.maximise": "ctrl+j"})
    assert (result.usable, set(result.problems)) == ({}, {"app.theme", "panes.maximise"})


@pytest.mark.parametrize(
    "keys",
    [
        {"results.open": "l"},  # the answer and the tree use this key, but the results do not
        {"notes.tree": "f5"},  # another screen uses this key
        {"modal.close": "z"},  # a modal hides the screen, and with it the screen's keys
        {"panes.maximise": "f11", "help.keys": "z"},  # its old key is free, since it has a new one
        {"pane.down": "down,j"},
    ],
)
def test_keys_in_separate_places_do_not_clash(keys: dict[str, str]) -> None:
    assert check_keys(keys) == Checked(keys)


@given(st.dictionaries(st.sampled_from([*ACTIONS, "zzz"]), st.text(min_size=1, max_size=9), max_size=4))
def test_each_checked_key_is_either_usable_or_a_problem(keys: dict[str, str]) -> None:
    result = check_keys(keys)
    assert {*result.usable, *result.problems} == set(keys)
    assert result.usable.keys().isdisjoint(result.problems)
    assert result.usable.items() <= keys.items()


def test_printed_key_table_is_valid_as_settings() -> None:
    text = default_table()
    assert tomllib.loads(text)["keys"] == {name: action.keys for name, action in ACTIONS.items()}
    own(text)
    result = configure(environ={})
    assert result.problems == ()
    assert check_keys(result.settings.keys).problems == {}


def test_key_list_shows_current_and_default_keys() -> None:
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(keys_report(listed({"app.theme": "ctrl+t"})))
    lines = console.export_text().splitlines()
    assert next(line for line in lines if " app.theme " in line).split()[0] == "^t"
    assert any("(by default t)" in line for line in lines)
    assert lines[0].strip() == "Everywhere"
    assert len([key for key in listed({}) if key["keys"] == key["default"]]) == len(ACTIONS)
