"""The app's texts name the keys that the user has set."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import brvtui.app
from brvtui.app.actions.registry import ACTIONS
from brvtui.app.app import BrvTui
from brvtui.app.services import _NAMED
from brvtui.config import user_file
from tests.app.driving import HUGE, WIDE, MakeApp, ask, press, settled
from tests.app.looking import flat, shown, text_of, toast_text
from tests.support.trees import Tree

OWN = """[keys]
"note.undo" = "ctrl+t"
"note.edit" = "é"
"note.signals" = "%"
"answer.pin" = "&"
"cache.clear" = "f10"
"results.why" = "!"
"board.only" = "~"
"app.themes" = "µ"
"layout.reset" = "f11"
"""
_LETTER_THAT_ACTS = re.compile(
    r"(?:^|[;:(,] |and )(?:[b-zA-HJ-Z]|I|F\d+|[Cc]trl\+\w|\^\w)\)? (?:then )?[a-z]+s\b|\bF[2-9]\b"
)
"""Matches a key and its action at the beginning of a clause: ``u undoes it``."""
_ELSEWHERE = ("actions", "keys")


@pytest.fixture
def own_keys(garden: Tree, make_app: MakeApp) -> BrvTui:
    """The app for a user who changed some keys."""
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(OWN)
    return make_app(garden.root)


@cache
def _texts() -> tuple[tuple[Path, str], ...]:
    """The strings of the app, without docstrings."""
    (root,) = brvtui.app.__path__
    texts: list[tuple[Path, str]] = []
    for file in Path(root).rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text())))
        bodies = (getattr(node, "body", None) for node in nodes)
        first = {
            id(body[0].value) for body in bodies if isinstance(body, list) and body and isinstance(body[0], ast.Expr)
        }
        texts += [
            (file.relative_to(root), node.value)
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in first
        ]
    return tuple(texts)


def test_keys_in_texts_belong_to_actions() -> None:
    named = {found[1] for _, text in _texts() for found in _NAMED.finditer(text)}
    assert len(named) > 30
    assert named <= set(ACTIONS)


def test_no_text_hard_codes_a_changeable_key() -> None:
    literal = [
        (str(file), text)
        for file, text in _texts()
        if file.parts[0] not in _ELSEWHERE and " " in text and _LETTER_THAT_ACTS.search(text)
    ]
    assert literal == []


async def test_messages_name_the_users_keys(own_keys: BrvTui) -> None:
    async with own_keys.run_test(size=WIDE) as pilot:
        await settled(pilot)
        for key, message in (
            ("t", "keep it with µ"),
            ("ampersand", "& then pins its answer"),
            ("é", "select a note first: é edits it, E opens it"),
            ("%", "select a note first: % sets"),
            ("!", "! then explains why"),
        ):
            await press(pilot, "escape", key)
            assert message in toast_text(pilot), key


async def test_panes_and_their_help_name_the_users_keys(own_keys: BrvTui) -> None:
    async with own_keys.run_test(size=HUGE) as pilot:
        await ask(pilot, "rollback", "escape")
        own_keys.select("billing/invoices/numbering.md")
        await settled(pilot)
        assert "nor a near miss: ! says why" in flat(pilot, "#score")
        await press(pilot, "f6", "f1")
        assert "Press F10 to clear" in flat(pilot)
        await press(pilot, "escape", "3")
        assert "~ selects one event" in text_of(pilot, "#forecast")


async def test_first_screens_name_the_users_keys(garden: Tree, make_app: MakeApp) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(
        '[keys]\n"query.run" = "f10"\n"panes.route" = "f11"\n"forecast.next" = "ctrl+y"\n"tree.aside" = ";"\n'
    )
    garden.read_frontmatter()
    garden.file("auth/store.md", "---\nimportance: [\n---\n# Token store\n\nWhere tokens are.\n")  # a warning
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        for message in ("Query · typing previews, F10 runs", "F10 runs the query"):
            assert message in shown(pilot), message
        assert "Enter" not in shown(pilot)
        await ask(pilot, "token store")
        assert "1 warning: F11" in shown(pilot)
        await press(pilot, "escape", "2")
        assert re.search(r" ; \d+ stubs, derived files", shown(pilot))
        await press(pilot, "3")
        assert "^y +1 day" in text_of(pilot, "#keys")
