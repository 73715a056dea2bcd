"""The examples of all pages print what they show, and README.md names keys that exist."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.keys.bindings import canonical, split
from tests.docs.pages import PAGES, page, script, section

README = page("README.md")


KEY_NAMES = {
    "escape": "Esc",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "colon": ":",
    "pagedown": "PgDn",
    "backspace": "Backspace",
    "pageup": "PgUp",
    "space": "Space",
}


@pytest.fixture
def maker() -> ModuleType:
    """tools/make_examples.py."""
    return script("tools/make_examples.py")


@pytest.mark.parametrize("name", [name for name in PAGES if "\n```console\n" in page(name)])
def test_examples_print_the_documented_output(name: str, maker: ModuleType, tmp_path: Path) -> None:
    text = page(name)
    assert maker.differing(text, maker.fresh(text, tmp_path)) == [], "run make examples and look at the difference"


@pytest.mark.parametrize(
    ("printed", "shown"),
    [("a\\nb\\nc\\n", "a\nb\n…\n"), ("a\\nb\\n", "a\nb\n"), ("a\\n", "a\n")],
    ids=["longer", "as long", "shorter"],
)
def test_example_ends_with_an_ellipsis_only_if_it_is_cut(
    printed: str, shown: str, maker: ModuleType, tmp_path: Path
) -> None:
    command = f"```console\n$ printf '{printed}'\n"
    assert maker.fresh(f"{command}old\nold\n…\n```\n", tmp_path) == f"{command}{shown}```\n"


def test_every_key_in_the_readme_exists() -> None:
    table = section(README, "Screens and keys")
    named = set(re.findall(r"`([^`]+)`", "".join(re.findall(r"^\|[^|]+\|", table, re.MULTILINE))))
    bound = {_written(canonical(key)) for action in ACTIONS.values() for key in split(action.keys)}
    assert len(named) >= 10
    assert named - bound == set()


def _written(key: str) -> str:
    if len(key) == 1:
        return key
    return KEY_NAMES.get(key, "+".join(part.capitalize() for part in key.split("+")))
