"""docs/reference/settings.md: its examples load and do what they say, and it names every variable that the code
reads."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest

from brvtui.config import PROJECT_FILE, configure, user_file
from brvtui.config.profile_choice import chosen_profile
from brvtui.config.schema import entries
from brvtui.engines.byterover.profile import load
from brvtui.engines.registry import PROFILES
from brvtui.tree.reading.signals import defaults, read_signals_file
from tests.docs.pages import ROOT, page, section, sources
from tests.support.trees import Tree

PAGE = page("docs/reference/settings.md")


EXAMPLES = ROOT / "docs" / "examples"


_VARIABLE = re.compile(r"\"((?:BRV|XDG|NO)_[A-Z_]*[A-Z])\"")


def _shown() -> Iterator[tuple[str, str]]:
    """Yields each example file that the page names, with the block in which the page shows it."""
    shown = PAGE.replace(section(PAGE, "Settings"), "")
    names = re.findall(r"\[(?:\.\./)?examples/([\w.-]+)\]\(\.\./examples/\1\)", shown)
    blocks = re.findall(r"^```(?:toml|json)\n(.*?)^```$", shown, re.DOTALL | re.MULTILINE)
    return zip(names, blocks, strict=True)


@pytest.mark.parametrize(("name", "block"), list(_shown()))
def test_page_shows_the_example_files_verbatim(name: str, block: str) -> None:
    assert (EXAMPLES / name).read_text(encoding="utf-8") == block


def test_every_example_file_is_shown() -> None:
    assert sorted(file.name for file in EXAMPLES.iterdir()) == sorted(name for name, _ in _shown())


def test_documented_user_profile_loads() -> None:
    profile, base = load(EXAMPLES / "easier-tier-2.toml"), load("brv-3")
    assert profile.name == "easier-tier-2"
    assert (profile.direct.min_top, profile.direct.min_gap, profile.direct.sure_top) == (
        0.8,
        0.05,
        base.direct.sure_top,
    )
    assert profile.score.boost == {"draft": 1.0, "validated": 1.0, "core": 1.15}


def test_documented_project_profile_loads(tree: Tree) -> None:
    shutil.copy(EXAMPLES / PROJECT_FILE, tree.root / ".brv" / PROJECT_FILE)
    profile = chosen_profile(configure(tree.root))
    assert profile.name == "docs*"
    assert (profile.out_of_domain.min_notes, profile.decay.recency_days, profile.score.local_bonus) == (500, 90, 0)
    assert chosen_profile(configure(tree.root, {"profile": "brv-3"})) == load("brv-3")


def test_documented_tantivy_profile_searches(tree: Tree) -> None:
    tree.note("a/b/rotation.md", "Token rotation")
    tree.note("a/b/tokenizer.md", "Tokenizer")
    found = tree.session(str(EXAMPLES / "tantivy.toml")).search("token", 5)
    assert [hit.title for hit in found.hits] == ["Token rotation"]


def test_documented_signals_file_loads() -> None:
    found = read_signals_file(EXAMPLES / "signals.json", defaults(load().signals))
    for path in found:
        assert (ROOT / "sample-tree" / ".brv" / "context-tree" / path).is_file()
    assert {signals.maturity for signals in found.values()} == {"core", "draft"}


def test_built_in_profiles_are_listed() -> None:
    assert tuple(re.findall(r"^\| `([\w-]+)` \|", section(PAGE, "Profiles"), re.MULTILINE)) == PROFILES


def test_every_variable_read_by_the_code_is_documented() -> None:
    read = {name for text in sources(".py").values() for name in _VARIABLE.findall(text)}
    named = "".join(re.findall(r"^\| ([^|]+) \|", section(PAGE, "Environment"), re.MULTILINE))
    listed = set(re.findall(r"`([A-Z_]+)`", named)) | {entry.variable for entry in entries().values()}
    assert "BRV_TUI_DATA_DIR" in read
    assert read <= listed


def test_documented_settings_are_valid() -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", section(PAGE, "Settings"), re.DOTALL | re.MULTILINE)
    user_file().parent.mkdir(parents=True)
    for text, names in zip(
        shown, ({"theme", "recording", "editor.keep_mtime", "keys"}, {"signals.frontmatter"}), strict=True
    ):
        user_file().write_text(text, encoding="utf-8")
        result = configure(environ={})
        assert result.problems == ()
        assert set(result.values) == names
