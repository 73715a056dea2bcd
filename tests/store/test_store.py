"""The tool's own folders: written whole or not at all, broken files are empty ones."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

import pytest

from brvtui.store.app_state import History, LayoutStore
from brvtui.store.folders import data_folder, tree_folder
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from tests.support.trees import BRV3, Tree, stored

BASE = defaults(BRV3.signals)


def test_the_data_folder_can_be_set(own_data_folders: Path) -> None:
    assert data_folder() == own_data_folders / "tool"


def test_trees_have_folders_of_their_own(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / ".brv" / "context-tree", tmp_path / "b" / "a" / ".brv" / "context-tree"
    for folder in (one, two):
        folder.mkdir(parents=True)
    assert tree_folder(one) != tree_folder(two)
    assert tree_folder(one).name.startswith("a-")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert tree_folder(tmp_path / "link" / ".brv" / "context-tree") == tree_folder(one)
    assert not tree_folder(one).exists()


def test_history_keeps_each_query_once_newest_last(tree: Tree) -> None:
    history = History(tree.tree, 500)
    assert history.read() == []
    assert not history.path.exists()
    for query in ("one", "two é\n", "one", "\udcff"):
        history.add(query)
    assert history.read() == ["two é\n", "one", "\udcff"]
    assert History(tree.tree, 500).read() == history.read()


def test_history_keeps_the_newest_500(tree: Tree) -> None:
    history = History(tree.tree, 500)
    history.path.parent.mkdir(parents=True)
    history.path.write_text(json.dumps([f"q{number}" for number in range(600)]))
    assert history.add("new")[-2:] == ["q599", "new"]
    assert len(history.read()) == 500


@pytest.mark.parametrize("text", ["", "junk", "{}", "3", "[" * 100, pytest.param("[" * 200_000, id="deep"), "\xff"])
def test_a_broken_history_is_an_empty_one(tree: Tree, text: str) -> None:
    history = History(tree.tree, 500)
    history.path.parent.mkdir(parents=True)
    history.path.write_bytes(text.encode("latin-1"))
    assert history.read() == []
    assert history.add("new") == ["new"]


def test_history_of_other_things_than_strings(tree: Tree) -> None:
    history = History(tree.tree, 500)
    history.path.parent.mkdir(parents=True)
    history.path.write_text('["a", 3, null, ["b"], "c"]')
    assert history.read() == ["a", "c"]


def test_an_overlay_comes_back(tree: Tree) -> None:
    overlay = Overlay(tree.tree)
    assert overlay.read(BASE) == {}
    overlay.write({"a/n.md": stored(importance=77.5, maturity="core", access_count=3), "caf\udce9.md": stored()})
    found = overlay.read(BASE)
    assert found["a/n.md"] == stored(importance=77.5, maturity="core", access_count=3, source=Source.OVERLAY)
    assert set(found) == {"a/n.md", "caf\udce9.md"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        "[]",
        "3",
        '{"a": 3, "b": {"importance": 900}, "c": {"importance": 9}}',
        pytest.param("[" * 200_000, id="deep"),
    ],
)
def test_a_broken_overlay_is_an_empty_one(tree: Tree, text: str) -> None:
    overlay = Overlay(tree.tree)
    overlay.path.parent.mkdir(parents=True)
    overlay.path.write_text(text)
    assert overlay.read(BASE) == {}


def test_an_overlay_is_edited_whole_or_not_at_all(tree: Tree) -> None:
    overlay = Overlay(tree.tree)
    signals = stored(importance=77, source=Source.OVERLAY)
    overlay.edit(BASE, lambda held: held.update({"a/n.md": signals}))
    assert overlay.read(BASE) == {"a/n.md": signals}

    def refused(held: dict[str, NoteSignals]) -> None:
        held.clear()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        overlay.edit(BASE, refused)
    assert overlay.read(BASE) == {"a/n.md": signals}


def test_edits_from_many_threads_lose_none(tree: Tree) -> None:
    overlay = Overlay(tree.tree)

    def record(note: str, held: dict[str, NoteSignals]) -> None:
        held[note] = stored()

    def work(number: int) -> None:
        for turn in range(5):
            overlay.edit(BASE, partial(record, f"a/{number}x{turn}.md"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(overlay.read(BASE)) == 20


def test_layouts_come_back_and_nothing_remains_of_none(tmp_path: Path) -> None:
    layouts = LayoutStore(tmp_path)
    assert layouts.read() == {}
    layouts.write({"Query": {"hidden": ["tree"], "shares": {}}})
    assert LayoutStore(tmp_path).read() == {"Query": {"hidden": ["tree"], "shares": {}}}
    assert LayoutStore(tmp_path / "other").read() == {}
    layouts.path.write_text("[")
    assert layouts.read() == {}
    layouts.write({})
    layouts.write({})
    assert not layouts.path.exists()
