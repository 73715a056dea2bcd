"""Trees that are reached by a link, in which ByteRover 3.14 finds nothing (recorded by its own service)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.loading import load
from brvtui.loading.incremental import update
from brvtui.loading.revised import UNCHANGED, difference_to, revision_of
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.project import ProjectError, find_project
from brvtui.typed_tables import lowered, overlay
from tests.support.trees import BRV3, NOW_MS

READS_LINKED = overlay(BRV3, {"name": "brv-3*", "limits": {"linked_trees": True}}, "test")
EMPTY, NOT_INITIALIZED = "Context tree is empty", "Context tree not initialized"


def notes_in(tree: Path) -> Path:
    (tree / "dom" / "topic").mkdir(parents=True)
    (tree / "dom" / "topic" / "a.md").write_text("# Harbor rules\n\nharbor\n")
    return tree


def project(root: Path) -> Path:
    (root / ".brv").mkdir(parents=True)
    (root / ".brv" / "config.json").write_text("{}")
    return root


def whole(root: Path) -> Path:
    notes_in(project(root) / ".brv" / "context-tree")
    return root


def brv_of_another(at: Path) -> Path:
    whole(at / "other")
    (at / "p").mkdir()
    (at / "p" / ".brv").symlink_to("../other/.brv")
    return at / "p"


def tree_of_another(at: Path) -> Path:
    other, made = whole(at / "other"), project(at / "p")
    (made / ".brv" / "context-tree").symlink_to(other / ".brv" / "context-tree")
    return made


def tree_inside(at: Path) -> Path:
    made = project(at / "p")
    notes_in(made / "docs")
    (made / ".brv" / "context-tree").symlink_to("../docs")
    return made


def brv_inside(at: Path) -> Path:
    made = whole(at / "p")
    (made / ".brv").rename(made / "real")
    (made / ".brv").symlink_to("real")
    return made


def chain_inside(at: Path) -> Path:
    made = project(at / "p")
    notes_in(made / "docs")
    (made / "hop").symlink_to("docs")
    (made / ".brv" / "context-tree").symlink_to("../hop")
    return made


def parent(at: Path) -> Path:
    made = project(at / "p")
    notes_in(made / "x")
    (made / ".brv" / "context-tree").symlink_to("..")
    return made


def beside_itself(at: Path) -> Path:
    made = whole(at / "p")
    (made / ".brv" / "context-tree").rename(made / ".brv" / "Context-Tree")
    (made / ".brv" / "context-tree").symlink_to("Context-Tree")
    return made


def pointer_to_linked(at: Path) -> Path:
    linked = tree_inside(at)
    (at / "w").mkdir()
    (at / "w" / ".brv").write_text(str(linked))
    return at / "w"


LINKED = [
    (brv_of_another, NOT_INITIALIZED), (tree_of_another, NOT_INITIALIZED), (tree_inside, EMPTY), (brv_inside, EMPTY),
    (chain_inside, EMPTY), (parent, EMPTY), (beside_itself, EMPTY), (pointer_to_linked, EMPTY),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), LINKED, ids=[make.__name__ for make, _ in LINKED])
def test_nothing_is_found_and_a_notice_says_why(make: Callable[[Path], Path], message: str, tmp_path: Path) -> None:
    found = find_project(make(tmp_path))
    snapshot = load(found, BRV3, NOW_MS)
    assert not snapshot.notes
    notice = next(line for line in snapshot.notices if "is a link" in line)
    assert f"(it says “{message}”)" in notice
    assert "limits.linked_trees = true" in notice
    read = load(found, READS_LINKED, NOW_MS)
    assert [note.title for note in read.notes] == ["Harbor rules"]


def through_a_link(at: Path) -> Path:
    (at / "link").symlink_to(whole(at / "p"))
    return at / "link"


def pointer(at: Path) -> Path:
    whole(at / "p")
    (at / "w").mkdir()
    (at / "w" / ".brv").write_text(str(at / "p"))
    return at / "w"


def linked_configuration(at: Path) -> Path:
    made = whole(at / "p")
    (made / ".brv" / "config.json").rename(made / "c.json")
    (made / ".brv" / "config.json").symlink_to("../c.json")
    return made


def linked_folder_below(at: Path) -> Path:
    made = whole(at / "p")
    (made / ".brv" / "context-tree" / "more").symlink_to(notes_in(at / "elsewhere"))
    return made


@pytest.mark.parametrize("make", [through_a_link, pointer, linked_configuration, linked_folder_below])
def test_other_links_do_not_hide_the_tree(make: Callable[[Path], Path], tmp_path: Path) -> None:
    snapshot = load(find_project(make(tmp_path)), BRV3, NOW_MS)
    assert [note.path for note in snapshot.notes] == ["dom/topic/a.md"]
    assert not any("is a link that leads" in line for line in snapshot.notices)


@pytest.mark.parametrize("target", ["nowhere", "context-tree"])
def test_a_link_to_nothing_is_named(target: str, tmp_path: Path) -> None:
    made = project(tmp_path / "p")
    (made / ".brv" / "context-tree").symlink_to(target)
    with pytest.raises(ProjectError, match="a link that leads to no context tree"):
        find_project(made)


def test_a_change_in_the_linked_tree_is_not_read(tmp_path: Path) -> None:
    made = tree_inside(tmp_path)
    found = find_project(made)
    before = load(found, BRV3, NOW_MS)
    (made / "docs" / "dom" / "b.md").write_text("# Harbor two\n")
    assert update(before, ["dom/b.md", "dom/"], BRV3, NOW_MS, before.stored) is None
    after = load(found, BRV3, NOW_MS, previous=before)
    assert not after.notes


LINKED = (brv_of_another, tree_of_another, tree_inside, brv_inside, chain_inside, parent)


def committed(folder: Path) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "-m", "notes")):
        subprocess.run(("git", "-C", str(folder), *words), check=True, capture_output=True)


@pytest.mark.parametrize("make", LINKED)
@pytest.mark.parametrize("profile", [BRV3, READS_LINKED], ids=["usual", "reads links"])
def test_the_history_of_a_linked_tree_is_read_like_its_notes(
    make: Callable[[Path], Path], profile: TreeConstants, tmp_path: Path
) -> None:
    found = find_project(make(tmp_path))
    committed(found.tree)
    snapshot = load(found, profile, NOW_MS)
    assert snapshot is not None
    if profile is READS_LINKED:
        assert difference_to(snapshot, revision_of(snapshot, "HEAD")) == UNCHANGED
    else:
        with pytest.raises(RevisionError, match="is a link that leads"):
            revision_of(snapshot, "HEAD")


def test_a_profile_of_the_projects_cannot_allow_it() -> None:
    """A project's profile is lowered to the built-in one and the user's own (``config.profile_choice``)."""
    assert READS_LINKED.limits.linked_trees
    assert lowered(READS_LINKED, BRV3).limits.linked_trees is False
