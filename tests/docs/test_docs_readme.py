"""README.md and docs/reference/settings.md: their examples print and do what they say."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from brvtui.app.actions.action import Place, PlaceKind
from brvtui.app.actions.registry import ACTIONS, PLACES
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
def test_the_examples_print_what_they_show(name: str, maker: ModuleType, tmp_path: Path) -> None:
    text = page(name)
    assert maker.differing(text, maker.fresh(text, tmp_path)) == [], "run make examples and look at the difference"


def test_every_key_that_is_named_exists() -> None:
    table = section(README, "Keys")
    named = set(re.findall(r"`([^`]+)`", "".join(re.findall(r"^\|[^|]+\|", table, re.MULTILINE))))
    bound = {_written(canonical(key)) for action in ACTIONS.values() for key in split(action.keys)}
    assert len(named) > 20
    assert named - bound == set()


ROWS = [
    (set(re.findall(r"`([^`]+)`", keys)), where)
    for keys, where in re.findall(r"^\|([^|]+)\|([^|]+)\|[^|]*\|$", section(README, "Keys"), re.MULTILINE)
]
"""The keys of each row, and where they act."""


WHERE = {
    "about": ("about",), "ageing": ("maturity",), "answer": ("answer",), "column": ("maturity",), "graph": ("graph",),
    "judged": ("lab",), "lab": ("lab", "everywhere"), "log list": ("log",), "maturity": ("maturity", "everywhere"),
    "fleet": ("fleet", "everywhere"), "fleet field": ("fleet",), "fleet members": ("fleet",),
    "fleet results": ("fleet",),
    "note": ("note,",), "notes": ("otes", "everywhere"),
    "notes tree": ("tree",), "query field": ("query",), "results": ("results",), "retry": ("retry",),
    "route": ("route",), "scope tree": ("tree",), "tree": ("tree",), "what if": ("what if",),
}  # fmt: skip
"""In which rows the actions of a place are looked for; those of the others act in panes, or everywhere."""


ELSEWHERE = {
    "drafts", "edit", "filter", "find", "migrated", "migration", "options", "problems", "remedies", "settings list",
    "text",
}  # fmt: skip
"""Places of docs/reference/keys.md alone: fields, the editor and the settings, whose key bars name their keys."""


@pytest.mark.parametrize(
    "place", [place for place in PLACES if place.kind is not PlaceKind.DIALOG], ids=lambda place: place.name
)
def test_every_key_of_the_screens_is_named(place: Place) -> None:
    if place.name in ELSEWHERE:
        return
    rows = WHERE.get(place.name, ("panes", "everywhere", "query", "results"))
    named = {key for keys, where in ROWS for key in keys if any(part in where for part in rows)}
    missing = [
        action.name for action in place.actions if not {_written(canonical(key)) for key in split(action.keys)} & named
    ]
    assert missing == [], "the table of keys in README.md lacks these"


def _written(key: str) -> str:
    if len(key) == 1:
        return key
    return KEY_NAMES.get(key, "+".join(part.capitalize() for part in key.split("+")))
