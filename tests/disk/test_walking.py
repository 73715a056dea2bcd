"""Walks over folders: their order, the depth limit, and folders that cannot be entered."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui.disk.scratch import copy_folder
from brvtui.disk.walking import MOST_DEPTH, TOO_DEEP, walk
from brvtui.tree.reading.files import NeedsFullWalk, limit_notices, list_files, stat_file
from brvtui.tree.saving.folders import is_empty_folder
from brvtui.tree.saving.leftovers import ClearedLeftovers, clear_leftovers
from brvtui.tree.spaces.contents import list_topics, read_signals
from brvtui.tree.watching.watch import Polling
from tests.attacks.folders import nest


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file below 1,000 others; pytest could not remove it on Python 3.11."""
    nest(tmp_path / "deep", 1_000, "n.md", "# Deep\n")
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", tmp_path / "deep"], check=True)


def test_walk_yields_files_by_name_and_folders_in_reverse(tmp_path: Path) -> None:
    for path in ("b/x", "a/y", "a/z/w", "c"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "link").symlink_to("a")
    assert [path for _, path in walk(tmp_path)] == ["c", "link", "b/x", "a/y", "a/z/w"]
    assert [path for _, path in walk(tmp_path, with_folders=True)] == [
        "a",
        "b",
        "c",
        "link",
        "b/x",
        "a/y",
        "a/z",
        "a/z/w",
    ]
    assert [path for _, path in walk(tmp_path, enters=lambda folder, _: folder.name != "a")] == ["c", "link", "b/x"]


@pytest.mark.parametrize(("depth", "is_found"), [(MOST_DEPTH, True), (MOST_DEPTH + 1, False)])
def test_walk_stops_at_the_depth_limit(tmp_path: Path, depth: int, is_found: bool) -> None:
    nest(tmp_path, depth, "n.md", "")
    refused: list[tuple[str, str]] = []
    found = [path for _, path in walk(tmp_path, lambda path, why: refused.append((path, why)))]
    assert found == ([f"{'d/' * depth}n.md"] if is_found else [])
    assert refused == ([] if is_found else [("/".join("d" * depth), TOO_DEEP)])


def test_walk_reports_a_missing_folder_and_skips_a_vanished_one(tmp_path: Path) -> None:
    refused: list[str] = []
    assert list(walk(tmp_path / "gone", lambda path, why: refused.append(why))) == []
    assert refused == ["the folder cannot be read: No such file or directory"]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()

    def remove_b(folder: os.DirEntry[str], _: str) -> bool:
        if folder.name == "b":
            (tmp_path / "b" / "file").unlink()
            (tmp_path / "b").rmdir()
        return True

    assert [path for _, path in walk(tmp_path, enters=remove_b)] == ["a/file"]


def test_note_below_1000_folders_is_reported_as_unread(tmp_path: Path, deep: Path) -> None:
    near = list_files(deep.parent)
    assert near.files == ()
    assert [(file.path, file.reason, file.is_past_limit) for file in near.unseen] == [
        ("deep/" + "/".join("d" * MOST_DEPTH), TOO_DEEP, True)
    ]
    assert [*limit_notices(near.unseen)] == [f"not read: deep/{'d/' * 57}…: {TOO_DEEP}"]
    assert next(limit_notices([*near.unseen] * 3)).count("…, and 2 more: ") == 1
    nest(tmp_path / "near", 50, "n.md", "# Near\n")
    assert [file.path for file in list_files(tmp_path / "near").files] == ["d/" * 50 + "n.md"]


def test_every_walk_survives_1000_nested_folders(deep: Path, tmp_path: Path) -> None:
    assert clear_leftovers(deep, 0, lambda _: True) == ClearedLeftovers()
    assert list_topics(deep).files == ()
    assert read_signals(deep) == {}
    assert len(Polling([deep])._known) == MOST_DEPTH + 2
    assert not is_empty_folder(tmp_path, "deep")
    copy_folder(deep, tmp_path / "copy")
    assert len(list(walk(tmp_path / "copy", with_folders=True))) == MOST_DEPTH + 1
    with pytest.raises(NeedsFullWalk):
        stat_file(deep, "d/" * 201 + "n.md")
