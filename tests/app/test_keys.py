"""Every key has an id and a tooltip; none that terminals swallow."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from brvtui.app.app import BrvTui
from brvtui.app.keymap import EDITOR_SCREEN, FRAME, LOG_SCREEN, NOTES_SCREEN, QUERY_PANES, QUERY_SCREEN
from brvtui.app.screens.comparing import ConflictDialog, DraftDialog, GoneDialog
from brvtui.app.screens.dialog import Dialog
from brvtui.app.screens.drafts import DraftsPane
from brvtui.app.screens.export import ExportScreen
from brvtui.app.screens.journal import ChangesDialog
from brvtui.app.screens.leaving import LeavingDialog
from brvtui.app.screens.message import MessageScreen
from brvtui.app.screens.new_note import NewNoteDialog
from brvtui.app.screens.planning import PlanDialog
from brvtui.app.widgets.answer import AnswerPane
from brvtui.app.widgets.filter_field import FilterField
from brvtui.app.widgets.find_bar import FindField
from brvtui.app.widgets.key_bar import key_name
from brvtui.app.widgets.note_editor import NoteEditor
from brvtui.app.widgets.notes_tree import NotesTree
from brvtui.app.widgets.options import Options
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.problems import ProblemsPane
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
    "editor": EDITOR_SCREEN,
    "text": NoteEditor.BINDINGS,
    "problems": ProblemsPane.BINDINGS,
    "find": FindField.BINDINGS,
    "options": Options.BINDINGS,
    "drafts": DraftsPane.BINDINGS,
    "dialog": Dialog.BINDINGS,
    "leaving": LeavingDialog.BINDINGS,
    "conflict": ConflictDialog.BINDINGS,
    "draft": DraftDialog.BINDINGS,
    "gone": GoneDialog.BINDINGS,
    "plan": PlanDialog.BINDINGS,
    "new": NewNoteDialog.BINDINGS,
    "changes": ChangesDialog.BINDINGS,
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
