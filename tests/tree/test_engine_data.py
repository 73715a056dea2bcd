"""Where the engine keeps its data, and how its folder for a project is called."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from brvtui.tree.engine_files.sidecar import (
    data_folder,
    project_data,
    project_folder_name,
    read_sidecar,
    read_signals_of,
)
from brvtui.tree.reading.signals import defaults
from tests.support.trees import BRV3, Tree


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"BRV_DATA_DIR": "/d", "XDG_DATA_HOME": "/x"}, "/d"),
        ({"BRV_DATA_DIR": "", "XDG_DATA_HOME": "/x"}, "/x/brv"),
    ],
)
def test_the_data_folder(environment: dict[str, str], folder: str) -> None:
    assert data_folder(environment) == Path(folder)


def test_the_data_folder_by_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_folder({}) == Path("/home/me/.local/share/brv")
    monkeypatch.setattr("sys.platform", "darwin")
    assert data_folder({}) == Path("/home/me/Library/Application Support/brv")
    monkeypatch.setattr("sys.platform", "win32")
    assert data_folder({"LOCALAPPDATA": "/local"}) == Path("/local/brv")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/nowhere/me/project", "nowhere--me--project"),
        ("/nowhere/a--b/c", "nowhere--a%2D%2Db--c"),
        ("/nowhere/100%/c", "nowhere--100%25--c"),
        ("/nowhere/a:b*c?", "nowhere--a%3Ab%2Ac%3F"),
        ('/nowhere/"<>|', "nowhere--%22%3C%3E%7C"),
        ("/nowhere/a---b", "nowhere--a%2D%2D-b"),
    ],
)
def test_a_project_folder_is_its_path_escaped_and_joined(path: str, name: str) -> None:
    assert project_folder_name(Path(path)) == name


def test_long_names_end_in_a_digest() -> None:
    long = "/nowhere/" + "/".join(["x" * 40] * 5)
    joined = "nowhere--" + "--".join(["x" * 40] * 5)
    digest = hashlib.sha256(joined.encode()).hexdigest()[:12]
    assert project_folder_name(Path(long)) == f"{joined[:185]}---{digest}"
    exactly = "/nowhere/" + "x" * (200 - len("nowhere--"))
    assert len(project_folder_name(Path(exactly))) == 200
    assert "---" not in project_folder_name(Path(exactly))


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    assert project_folder_name(tmp_path / "caf\udce9").endswith("caf\udce9")
    assert len(project_folder_name(tmp_path / ("caf\udce9" + "x" * 220))) == 185 + 3 + 12


def test_the_real_path_counts(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert project_folder_name(tmp_path / "link") == project_folder_name(tmp_path / "real")


def test_signals_lie_below_the_project_data(tree: Tree) -> None:
    assert tree.sidecar == project_data(tree.root) / "keystore" / "signals"
    place = tree.sidecar_file("a/b/n.md", {"importance": 77})
    assert place == tree.sidecar / "a" / "b" / "n.md.json"
    tree.sidecar_file("root.md", {"importance": 66})
    (tree.sidecar / "other.txt").write_text("x")
    found = read_sidecar(tree.sidecar, defaults(BRV3.signals))
    assert {path: signals.importance for path, signals in found.signals.items()} == {"a/b/n.md": 77, "root.md": 66}
    assert found.broken == frozenset()


def test_no_sidecar_is_an_empty_one(tree: Tree) -> None:
    assert read_sidecar(tree.sidecar, defaults(BRV3.signals)).signals == {}


def test_the_signals_of_one_note(tree: Tree) -> None:
    base = defaults(BRV3.signals)
    tree.sidecar_file("a/b/n.md", {"importance": 77})
    tree.sidecar_file("a/b/junk.md", "no JSON")
    tree.sidecar_file("a/b/odd.md", {"importance": 900})
    found = read_signals_of(tree.sidecar, "a/b/n.md", base)
    assert found == read_sidecar(tree.sidecar, base).signals["a/b/n.md"]
    for note in ("a/b/junk.md", "a/b/odd.md", "a/b/gone.md"):
        assert read_signals_of(tree.sidecar, note, base) is None
