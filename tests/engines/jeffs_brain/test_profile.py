"""Profiles of one's own for Jeffs Brain: constants, another path of global memory, and who may name a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brvtui.config import configure
from brvtui.config.profile_choice import profile_of_engine
from brvtui.config.schema import UnusableSetting
from brvtui.engines.contract import Query
from brvtui.engines.jeffs_brain.engine import JeffsBrain
from brvtui.engines.jeffs_brain.profile import load
from brvtui.engines.profile_files import profiles_of
from brvtui.ranking.fusion import Candidate, fuse, positive_k, ranked
from brvtui.session import Session
from brvtui.store.folders import config_folder
from brvtui.typed_tables import ProfileError
from tests.support.hybrid import JEFFS
from tests.support.trees import Tree


def written(folder: Path, text: str, name: str = "mine.toml") -> str:
    """The path of a profile file with this text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return str(folder / name)


def test_file_extends_the_built_in_profile(tmp_path: Path) -> None:
    made = load(written(tmp_path, "[options]\ntop_k = 3\n"))
    assert (made.name, made.options.top_k, made.intent) == ("mine", 3, JEFFS.intent)
    assert load() == load("jeffs_brain") == JEFFS


def test_kept_profile_is_found_by_its_name() -> None:
    written(config_folder(), 'extends = "jeffs_brain"\n[intent]\nglobal_path = "team/"\n', "brain.toml")
    assert profiles_of("jeffs_brain") == ("jeffs_brain", "brain")
    assert load("brain").intent.global_path == "team/"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[fusion]\nkk = 1", "unknown key fusion.kk"),
        ("[intent]\nglobal_path = 3", "intent.global_path = 3 must be of type str"),
        ('extends = "docs"', "only jeffs_brain can be extended"),
        ("[fusion", "cannot be read as a profile"),
        ("[fusion]\nk = inf", "fusion.k must"),
    ],
)
def test_wrong_file_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ProfileError, match=says) as refused:
        load(written(tmp_path, text))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["nowhere", "soleri", "docs", "/no/such.toml", "."])
def test_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(ProfileError, match=r"no profile|is an engine"):
        load(name)


def test_global_path_of_a_profile_counts_for_intent(tree: Tree, tmp_path: Path) -> None:
    tree.note("team/tea.md", "Tea", "We prefer green tea leaves")
    tree.note("other/tea.md", "Tea", "We prefer green tea leaves")
    file = written(tmp_path, '[intent]\nglobal_path = "team/"\n')
    factors = {}
    for profile in ("", file):
        session = Session.open(tree.root, profile or None, engine="jeffs_brain")
        session.load()
        hits = session.probe("recommend tea").hits
        factors[profile] = {hit.path: [part.factor for part in hit.parts if part.name == "intent"] for hit in hits}
    assert factors[""] == {"team/tea.md": [], "other/tea.md": []}
    assert factors[file] == {"team/tea.md": [2.1], "other/tea.md": []}


@pytest.mark.parametrize("place", ["{above}/zq_outside/", "../zq_outside/", "~/zq_outside/", "team/../../zq_outside/"])
def test_global_path_of_a_profile_reads_no_folder(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """It is compared with the paths of notes, so no file or folder of that name is opened, listed or looked at."""
    above = tree.root.parent
    written(above / "zq_outside", "# Tea\n\nWe prefer green tea leaves\n", "tea.md")
    tree.note("team/tea.md", "Tea", "We prefer green tea leaves")
    file = written(tmp_path, f'[intent]\nglobal_path = "{place.format(above=above)}"\n')
    seen: list[str] = []
    for name in ("open", "scandir", "listdir", "stat", "lstat"):
        original = getattr(os, name)

        def watched(*values: Any, original: Callable[..., Any] = original, **more: Any) -> Any:
            seen.extend(str(value) for value in values[:1])
            return original(*values, **more)

        monkeypatch.setattr(os, name, watched)
    session = Session.open(tree.root, file, engine="jeffs_brain")
    session.load()
    assert [hit.path for hit in session.probe("recommend tea").hits] == ["team/tea.md"]
    assert any("team" in path for path in seen)
    assert [path for path in seen if "zq_outside" in path] == []


def test_index_follows_the_profile(tree: Tree, tmp_path: Path) -> None:
    tree.note("a/one.md", "Tea", "green")
    tree.note("a/two.md", "Leaves", "tea tea tea")
    tree.notes(8)
    session = Session.open(tree.root, None, engine="jeffs_brain")
    session.load()
    engine = JeffsBrain()
    first = session.engines.context("jeffs_brain")
    other = type(first)(first.snapshot, load(written(tmp_path, "[columns]\ntitle = 0\n")), first.now_ms)
    orders = [[hit.path for hit in engine.answer(one, Query("tea")).hits] for one in (first, other, first)]
    assert orders == [["a/one.md", "a/two.md"], ["a/two.md", "a/one.md"], ["a/one.md", "a/two.md"]]


@pytest.mark.parametrize("profile", ["../outside.toml", "/etc/hosts", "mine.toml", ".brv/mine.toml"])
def test_projects_settings_cannot_name_a_file(tree: Tree, profile: str) -> None:
    """A project names profiles that come with the program, or that the user keeps; its file is for ByteRover alone."""
    written(tree.root.parent, "[intent]\nglobal_path = 'x/'\n", "outside.toml")
    written(tree.root / ".brv", "[intent]\nglobal_path = 'x/'\n", "mine.toml")
    tree.settings(f'engine = "jeffs_brain"\nprofile = "{profile}"\n')
    configuration = configure(tree.root, {}, {})
    assert configuration.settings.profile == profile
    assert profile_of_engine(configuration, profiles_of("jeffs_brain")) == ""
    with pytest.raises(UnusableSetting):
        Session.open(tree.root)


@pytest.mark.parametrize(("k", "used"), [(0, 60), (-1, 60), (-60, 60), (-0.5, 60), (0.5, 0.5), (1, 1), (60, 60)])
def test_k_that_is_not_positive_stands_for_60(tmp_path: Path, k: float, used: float) -> None:
    lists = [[Candidate("a", "a"), Candidate("b", "b")], [Candidate("b", "b")]]
    assert positive_k(k) == used
    assert [one.score for one in ranked(lists[0], k)] == [1 / (used + 1), 1 / (used + 2)]
    assert {one.candidate.id: one.score for one in fuse(lists, k)} == {
        "a": 1 / (used + 1),
        "b": 1 / (used + 2) + 1 / (used + 1),
    }
    assert load(written(tmp_path, f"[fusion]\nk = {k}\n")).fusion.k == k


def test_fallen_back_k_is_the_one_in_the_parts(tree: Tree, tmp_path: Path) -> None:
    tree.note("a/tea.md", "Tea", "green leaves")
    tree.notes(3)
    session = Session.open(tree.root, written(tmp_path, "[fusion]\nk = -3\n"), engine="jeffs_brain")
    session.load()
    (hit,) = session.probe("tea").hits
    assert [(part.value, part.note) for part in hit.parts] == [(1 / 61, "1 / (60 + 1)")]
