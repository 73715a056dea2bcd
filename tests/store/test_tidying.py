"""What is done to the tool's own folders of a tree when it is opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from brvtui.disk import writing
from brvtui.store.drafts import DraftStore
from brvtui.store.folders import config_folder, data_folder, tree_cache, tree_folder
from brvtui.store.kept_index import KeptIndex
from brvtui.store.tidying import tidy
from tests.support.trees import BRV3, NOW_MS, Tree

DEAD = 2**22 + 1


def open_to_others(folder: Path) -> list[str]:
    """Files and folders below ``folder`` that others may read, write or enter."""
    places = [folder, *folder.rglob("*")]
    return [str(place) for place in places if stat.S_IMODE(place.lstat().st_mode) & 0o077]


def test_nothing_that_holds_text_of_notes_is_open_to_others(tree: Tree, own_data_folders: Path) -> None:
    """Neither what is made now, under the usual mask, nor what an earlier version made open."""
    before = os.umask(0o022)
    try:
        tree.notes(600)
        tree.note("x/n.md", "Quokka", "all about the quokka")
        session = tree.session(now_ms=None)
        session.recording = True
        trace = session.run("quokka")
        session.logbook.add(trace, NOW_MS, 1.0)
        session.history.add("quokka")
        session.layouts.write({"Query": {}})
        assert session.keep()
        session.close()
        DraftStore(tree.tree).keep("x/n.md", b"text", None, NOW_MS)
        assert open_to_others(own_data_folders / "tool") == []
        own = [tree_folder(tree.tree), tree_cache(tree.tree)]
        assert all(len(list(folder.rglob("*"))) >= 3 for folder in own)
        for folder in own:
            for place in (folder.parent, folder, *folder.rglob("*")):
                place.chmod(0o777 if place.is_dir() else 0o666)
        tree.session().close()
        assert [open_to_others(folder.parent) for folder in own] == [[], []]
        assert KeptIndex(tree.tree).read(BRV3) is not None
    finally:
        os.umask(before)


def test_what_killed_processes_were_writing_is_removed(tree: Tree) -> None:
    folders = (
        tree_folder(tree.tree), tree_folder(tree.tree) / "feedback", tree_folder(tree.tree) / "drafts",
        tree_cache(tree.tree) / "vectors", data_folder(), config_folder(),
    )  # fmt: skip
    left = []
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for process, is_left in ((DEAD, False), (os.getpid(), True)):
            (folder / f".brv-tui-{process}-01234567.part").write_bytes(b"{")
            left += [folder / f".brv-tui-{process}-01234567.part"] if is_left else []
    assert tidy(tree.tree, 0) == ()
    assert sorted(file for folder in folders for file in folder.glob(".brv-tui-*")) == sorted(left)


def test_the_index_removes_what_a_killed_process_was_writing(tree: Tree) -> None:
    index = KeptIndex(tree.tree)
    index.folder.mkdir(parents=True)
    (index.folder / f".brv-tui-{DEAD}-01234567.part").write_bytes(b"x")
    tree.notes(3)
    assert index.write(tree.snapshot(), BRV3)
    index.close()
    assert sorted(file.name for file in index.folder.iterdir()) == ["kept", "lock"]


def test_a_whole_draft_that_was_not_put_into_place_is_listed(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    drafts.keep("a.md", b"typed", None, NOW_MS)
    (file,) = drafts.folder.iterdir()
    file.rename(drafts.folder / f".brv-tui-{DEAD}-01234567.part")
    writing.write(drafts.folder / "of another.txt", b"")
    tree.note("a.md", "A")
    tree.session()
    assert [draft.data for draft in drafts.all()] == [b"typed"]
