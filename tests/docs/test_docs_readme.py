"""README.md: its examples print what they show, its keys are the app's, its numbers are those of the project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from textual.binding import Binding

from tests.docs.pages import page, script, section, sources

README = page("README.md")
KEY_NAMES = {
    "slash": "/",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "escape": "Esc",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "colon": ":",
    "pagedown": "PgDn",
    "pageup": "PgUp",
}


@pytest.fixture
def maker() -> ModuleType:
    """docs/make_examples.py."""
    return script("docs/make_examples.py")


def test_the_examples_print_what_they_show(maker: ModuleType, tmp_path: Path) -> None:
    assert maker.differing(README, maker.fresh(README, tmp_path)) == [], "run make examples and look at the difference"


def test_every_key_of_the_app_is_listed() -> None:
    table = section(README, "Keys")
    listed = set(re.findall(r"`([^`]+)`", "".join(re.findall(r"^\|[^|]+\|", table, re.MULTILINE))))
    bound = {_written(key) for key in _keys()}
    assert len(bound) > 20
    assert bound <= listed


def _keys() -> Iterator[str]:
    """The keys of the app and of its screens, and of every binding that is written out in a pane."""
    from brvtui.app import keymap
    from brvtui.app.app import BrvTui

    for binding in (*BrvTui.BINDINGS, *keymap.FRAME, *keymap.QUERY_SCREEN, *keymap.NOTES_SCREEN):
        assert isinstance(binding, Binding)
        yield from binding.key.split(",")
    for name, text in sources(".py").items():
        for node in ast.walk(ast.parse(text)) if name.startswith("brvtui/app/") else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Binding":
                key = node.args[0]
                if isinstance(key, ast.Constant):
                    yield from str(key.value).split(",")


def _written(key: str) -> str:
    if len(key) == 1:
        return key
    return KEY_NAMES.get(key, "+".join(part.capitalize() for part in key.split("+")))
