"""The app has few base classes. Its objects know only the base class, and controllers are plain objects."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import brvtui.app
from brvtui.app.app import BrvTui
from brvtui.app.configured import ConfiguredApp
from brvtui.app.services import AppServices
from brvtui.app.themed import ThemedApp

_ROOM = Path(brvtui.app.__file__).parent
_TOP = {_ROOM / name for name in ("__init__.py", "app.py", "configured.py", "themed.py")}
_MODULES = sorted(set(_ROOM.rglob("*.py")) - _TOP)
_CONTROLLERS = [module for module in _MODULES if "services: AppServices" in module.read_text()]


def test_app_has_three_base_classes() -> None:
    own = [kind for kind in BrvTui.__mro__ if kind.__module__.startswith("brvtui.")]
    assert own == [BrvTui, ConfiguredApp, ThemedApp, AppServices]


def test_lower_modules_do_not_import_the_app() -> None:
    assert {module: found for module in _MODULES if (found := _of_the_app(module))} == {}


def _of_the_app(module: Path) -> set[str]:
    found = list(ast.walk(ast.parse(module.read_text())))
    imported = {node.module or "" for node in found if isinstance(node, ast.ImportFrom)}
    named = {node.id for node in found if isinstance(node, ast.Name)}
    named |= {node.attr for node in found if isinstance(node, ast.Attribute)}
    return imported & {"brvtui.app.app", "brvtui.app.configured", "brvtui.app.themed"} | {
        name for name in named if "BrvTui" in name
    }


@pytest.mark.parametrize("module", _CONTROLLERS, ids=lambda module: module.stem)
def test_no_controller_inherits_from_another(module: Path) -> None:
    classes = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.ClassDef)]
    bases = {ast.unparse(base).partition("[")[0] for kind in classes for base in kind.bases}
    assert bases <= {"Protocol", "Dialog", "FieldDialog", "ChoicePane", "Message", "Pane", "Paragraphs"}


def test_only_workers_run_in_threads() -> None:
    """Blocking work has a single entry point, so that every result arrives through a call."""
    for module in _ROOM.rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)]
        threaded = [ast.unparse(call) for call in calls for keyword in call.keywords if keyword.arg == "thread"]
        assert not threaded or module.name == "workers.py"
