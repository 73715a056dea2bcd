"""README.md and docs/configuration.md: their examples print and do what they say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from brvtui.app.actions.action import Place, PlaceKind
from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.keys.bindings import canonical, split
from brvtui.config import PROJECT_FILE, configure, user_file
from brvtui.config.profile_choice import chosen_profile
from brvtui.config.schema import entries
from brvtui.engines.byterover.profile import load
from brvtui.engines.registry import PROFILES
from brvtui.tree.reading.signals import defaults, read_signals_file
from tests.docs.pages import ROOT, page, script, section, sources
from tests.support.trees import Tree

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
    """docs/make_examples.py."""
    return script("docs/make_examples.py")


def test_the_examples_print_what_they_show(maker: ModuleType, tmp_path: Path) -> None:
    assert maker.differing(README, maker.fresh(README, tmp_path)) == [], "run make examples and look at the difference"


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
"""Places of docs/keys.md alone: fields, the editor and the settings, whose key bars name their keys."""


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


PAGE = page("docs/configuration.md")
EXAMPLES = ROOT / "docs" / "examples"
_VARIABLE = re.compile(r"\"((?:BRV|XDG|NO)_[A-Z_]*[A-Z])\"")


def _shown() -> Iterator[tuple[str, str]]:
    """Each example file that the page names, with the block that it shows for it."""
    shown = PAGE.replace(section(PAGE, "Settings"), "")
    names = re.findall(r"\[examples/([\w.-]+)\]\(examples/\1\)", shown)
    blocks = re.findall(r"^```(?:toml|json)\n(.*?)^```$", shown, re.DOTALL | re.MULTILINE)
    return zip(names, blocks, strict=True)


@pytest.mark.parametrize(("name", "block"), list(_shown()))
def test_the_page_shows_its_example_files(name: str, block: str) -> None:
    assert (EXAMPLES / name).read_text(encoding="utf-8") == block


def test_every_example_file_is_shown() -> None:
    assert sorted(file.name for file in EXAMPLES.iterdir()) == sorted(name for name, _ in _shown())


def test_a_profile_of_your_own() -> None:
    profile, base = load(EXAMPLES / "easier-tier-2.toml"), load("brv-3")
    assert profile.name == "easier-tier-2"
    assert (profile.direct.min_top, profile.direct.min_gap, profile.direct.sure_top) == (
        0.8,
        0.05,
        base.direct.sure_top,
    )
    assert profile.score.boost == {"draft": 1.0, "validated": 1.0, "core": 1.15}


def test_a_profile_for_a_project(tree: Tree) -> None:
    shutil.copy(EXAMPLES / PROJECT_FILE, tree.root / ".brv" / PROJECT_FILE)
    profile = chosen_profile(configure(tree.root))
    assert profile.name == "docs*"
    assert (profile.out_of_domain.min_notes, profile.decay.recency_days, profile.score.local_bonus) == (500, 90, 0)
    assert chosen_profile(configure(tree.root, {"profile": "brv-3"})) == load("brv-3")


def test_tantivy_relevance(tree: Tree) -> None:
    tree.note("a/b/rotation.md", "Token rotation")
    tree.note("a/b/tokenizer.md", "Tokenizer")
    found = tree.session(str(EXAMPLES / "tantivy.toml")).search("token", 5)
    assert [hit.title for hit in found.hits] == ["Token rotation"]


def test_signals() -> None:
    found = read_signals_file(EXAMPLES / "signals.json", defaults(load().signals))
    for path in found:
        assert (ROOT / "sample-tree" / ".brv" / "context-tree" / path).is_file()
    assert {signals.maturity for signals in found.values()} == {"core", "draft"}


def test_the_built_in_profiles_are_listed() -> None:
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", section(PAGE, "Profiles"), re.MULTILINE)) == PROFILES


def test_every_variable_that_the_code_reads_is_listed() -> None:
    read = {name for text in sources(".py").values() for name in _VARIABLE.findall(text)}
    named = "".join(re.findall(r"^\| ([^|]+) \|", section(PAGE, "Environment"), re.MULTILINE))
    listed = set(re.findall(r"`([A-Z_]+)`", named)) | {entry.variable for entry in entries().values()}
    assert "BRV_TUI_DATA_DIR" in read
    assert read <= listed


def test_the_settings_that_are_shown_can_be_used() -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", section(PAGE, "Settings"), re.DOTALL | re.MULTILINE)
    user_file().parent.mkdir(parents=True)
    for text, names in zip(
        shown, ({"theme", "recording", "editor.keep_mtime", "keys"}, {"signals.frontmatter"}), strict=True
    ):
        user_file().write_text(text, encoding="utf-8")
        made = configure(environ={})
        assert made.problems == ()
        assert set(made.values) == names
