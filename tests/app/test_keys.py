"""Every key has an id and a tooltip; none that terminals swallow."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from brvtui.app.app import BrvTui
from brvtui.app.keymap import FRAME, LOG_SCREEN, NOTES_SCREEN, QUERY_PANES, QUERY_SCREEN
from brvtui.app.screens.export import ExportScreen
from brvtui.app.screens.message import MessageScreen
from brvtui.app.widgets.answer import AnswerPane
from brvtui.app.widgets.filter_field import FilterField
from brvtui.app.widgets.key_bar import key_name
from brvtui.app.widgets.notes_tree import NotesTree
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.query_input import QueryInput
from brvtui.app.widgets.results import ResultsPane
from brvtui.app.widgets.scope_tree import ScopeTree
from brvtui.app.widgets.tree import TreePane

_OWNERS = {
    "frame": FRAME,
    "query": QUERY_SCREEN,
    "notes": NOTES_SCREEN,
    "log screen": LOG_SCREEN,
    "app": BrvTui.BINDINGS,
    "field": QueryInput.BINDINGS,
    "pane": Pane.BINDINGS,
    "filter": FilterField.BINDINGS,
    "results": ResultsPane.BINDINGS,
    "answer": AnswerPane.BINDINGS,
    "tree": TreePane.BINDINGS,
    "scope": ScopeTree.BINDINGS,
    "notes_tree": NotesTree.BINDINGS,
    "modal": MessageScreen.BINDINGS,
    "export": ExportScreen.BINDINGS,
}
_ALL = [(owner, binding) for owner, bindings in _OWNERS.items() for binding in bindings]


@pytest.mark.parametrize(("owner", "binding"), _ALL, ids=lambda value: getattr(value, "id", value))
def test_a_binding_is_documented_and_arrives(owner: str, binding: object) -> None:
    assert isinstance(binding, Binding)
    assert binding.id
    assert binding.tooltip
    for key in binding.key.split(","):
        assert key not in {"ctrl+j", "ctrl+m", "ctrl+i", "ctrl+h"}
        assert not key.startswith(("alt+", "super+", "ctrl+shift+"))


def test_ids_are_unique() -> None:
    ids = [binding.id for _, binding in _ALL if isinstance(binding, Binding)]
    assert len(ids) == len(set(ids))


def test_function_keys_reach_every_pane() -> None:
    assert sorted(QUERY_PANES.values()) == [f"f{number}" for number in range(2, 9)]


@pytest.mark.parametrize(
    ("key", "name"), [("ctrl+r", "^r"), ("f12", "F12"), ("escape,q", "esc"), ("slash", "/"), ("f", "f")]
)
def test_keys_are_written_as_people_write_them(key: str, name: str) -> None:
    assert key_name(key) == name
