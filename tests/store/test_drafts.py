"""Drafts: written atomically, found after a crash, and deleted after use."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from brvtui.disk.locks import identity_of, own_identity
from brvtui.store.drafts import Draft, DraftStore
from brvtui.store.state_file import read_state, write_state
from brvtui.tree.saving.note_files import Saved, read_note_file, save
from tests.support.trees import NOW_MS, Tree

NOTE = "auth/jwt/a.md"
TEXT = "# Tokens é 😀\r\n".encode() + b"\xff"


def test_draft_is_read_back(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    assert drafts.all() == ()
    assert drafts.read(NOTE) is None
    assert not drafts.folder.exists()
    drafts.keep(NOTE, b"first", "abc", NOW_MS)
    drafts.keep(NOTE, TEXT, "abc", NOW_MS + 1)
    kept = Draft(NOTE, TEXT, "abc", NOW_MS + 1, os.getpid(), own_identity())
    assert DraftStore(tree.tree).read(NOTE) == kept
    assert drafts.all() == (kept,)
    assert not kept.is_being_edited


def test_newest_draft_is_listed_first(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    for number, path in enumerate(("b.md", "caf\udce9.md", "a/new.md")):
        drafts.keep(path, b"", None, NOW_MS + number)
    assert [draft.path for draft in drafts.all()] == ["a/new.md", "caf\udce9.md", "b.md"]
    drafts.drop("caf\udce9.md")
    drafts.drop("caf\udce9.md")
    assert [draft.path for draft in drafts.all()] == ["a/new.md", "b.md"]


def test_each_tree_has_its_own_drafts(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = Tree(tmp_path_factory.mktemp("other"))
    DraftStore(tree.tree).keep(NOTE, b"", None, NOW_MS)
    assert DraftStore(other.tree).all() == ()


def test_draft_reports_whether_its_note_has_changed(tree: Tree) -> None:
    tree.note(NOTE, "Tokens")
    seen = read_note_file(tree.tree, NOTE)[1]
    drafts = DraftStore(tree.tree)
    drafts.keep(NOTE, TEXT, seen.sha256, NOW_MS)
    draft = drafts.read(NOTE)
    assert draft
    assert draft.is_on(read_note_file(tree.tree, NOTE)[1].sha256)
    saved = save(tree.tree, NOTE, b"other", seen)
    assert isinstance(saved, Saved)
    assert saved.version
    assert not draft.is_on(saved.version.sha256)
    assert not draft.is_on(None)


def test_draft_of_a_new_note_has_no_base_version(tree: Tree) -> None:
    DraftStore(tree.tree).keep(NOTE, TEXT, None, NOW_MS)
    draft = DraftStore(tree.tree).read(NOTE)
    assert draft
    assert draft.is_on(None)
    assert not draft.is_on("abc")


def test_draft_of_another_process_is_not_replaced_or_deleted(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = DraftStore(tree.tree)
    with monkeypatch.context() as another:
        another.setattr("brvtui.store.drafts.os.getpid", os.getppid)
        drafts.keep(NOTE, b"theirs", None, NOW_MS + 5)
    theirs = drafts.read(NOTE)
    assert theirs
    assert theirs.is_being_edited
    drafts.drop(NOTE)
    drafts.keep(NOTE, b"mine", None, NOW_MS)
    drafts.keep(NOTE, b"mine too", None, NOW_MS + 1)
    mine = drafts.read(NOTE)
    assert mine
    assert mine.data == b"mine too"
    assert drafts.all() == (theirs, mine)
    drafts.drop(NOTE)
    drafts.drop(NOTE)
    assert drafts.all() == (theirs,)


def test_drafts_left_by_several_processes_are_offered_in_turn(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = DraftStore(tree.tree)
    drafts.keep(NOTE, b"0", None, NOW_MS)
    first = next(drafts.folder.iterdir())
    held = {**read_state(first), "started": "gone"}
    for number in (1, 2):
        gone = {**held, "process": 2**22 + number, "text": str(number), "at_ms": NOW_MS + number}
        first.with_name(f"{first.stem}-{gone['process']}.json").write_text(json.dumps(gone))
    first.write_text(json.dumps({**held, "process": 2**22}))
    for expected in (b"2", b"1", b"0"):
        draft = drafts.read(NOTE)
        assert draft
        assert (draft.data, draft.is_being_edited) == (expected, False)
        drafts.drop(NOTE)
    assert drafts.all() == ()


def test_draft_belongs_to_its_process(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    drafts.keep(NOTE, TEXT, None, NOW_MS)
    file = next(drafts.folder.iterdir())
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        write_state(file, {**read_state(file), "process": other.pid, "started": identity_of(other.pid)})
        assert drafts.all()[0].is_being_edited
        started = {**read_state(file), "started": "another boot:1"}
        write_state(file, started)
        assert not drafts.all()[0].is_being_edited, "a later process with its id"
        del started["started"]
        write_state(file, started)
        assert drafts.all()[0].is_being_edited, "of a version that did not know"
        other.communicate(b"\n")
    assert not drafts.all()[0].is_being_edited


def test_draft_survives_a_killed_process(tree: Tree) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from brvtui.store.drafts import DraftStore\n"
        "drafts = DraftStore(Path(sys.argv[1]))\n"
        "for number in range(3): drafts.keep('a.md', b'text %d' % number, None, number)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tree.tree)], timeout=60)
    assert done.returncode < 0
    (draft,) = DraftStore(tree.tree).all()
    assert (draft.path, draft.data, draft.at_ms) == ("a.md", b"text 2", 2)
    assert not draft.is_being_edited


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        "{}",
        '{"path": 3, "base": null, "at_ms": 1, "process": 1, "text": ""}',
        '{"path": "a.md", "base": 3, "at_ms": 1, "process": 1, "text": ""}',
        '{"path": "a.md", "base": null, "at_ms": "x", "process": 1, "text": ""}',
        '{"path": "a.md", "base": null, "at_ms": 1, "process": 1e999, "text": ""}',
        '{"path": "a.md", "base": null, "at_ms": 1, "process": 1, "text": "\\ud800"}',
        '{"path": "a.md", "base": null, "at_ms": 1, "process": 1, "text": null}',
        pytest.param("[" * 200_000, id="deep"),
    ],
)
def test_broken_draft_is_ignored(tree: Tree, text: str) -> None:
    drafts = DraftStore(tree.tree)
    drafts.keep("a.md", b"", None, 0)
    next(drafts.folder.iterdir()).write_text(text)
    assert drafts.all() == ()
    assert drafts.read("a.md") is None


def _left(note: str, text: bytes, at_ms: float = NOW_MS) -> Draft:
    """A draft from a process that has ended."""
    return Draft(note, text, None, at_ms, 2**22 + 1, "gone")


def test_keeping_a_draft_never_replaces_another_draft(tree: Tree) -> None:
    """The current draft replaces neither the draft of an earlier process nor a text whose save failed."""
    drafts = DraftStore(tree.tree)
    drafts.add(_left(NOTE, b"left", NOW_MS - 1))
    drafts.add(_left(NOTE, b"left", NOW_MS))
    drafts.keep(NOTE, b"typed", None, NOW_MS + 1)
    drafts.add(Draft(NOTE, b"saved in vain", None, NOW_MS + 2, os.getpid(), own_identity()))
    drafts.keep(NOTE, b"typed on", None, NOW_MS + 3)
    assert [draft.data for draft in drafts.all()] == [b"typed on", b"saved in vain", b"left"]
    for expected in (b"typed on", b"saved in vain", b"left"):
        draft = drafts.read(NOTE)
        assert draft
        assert draft.data == expected
        drafts.drop(NOTE)
    drafts.drop(NOTE)
    assert drafts.all() == ()


def test_adopted_draft_is_not_duplicated(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    drafts.add(_left(NOTE, b"left"))
    drafts.keep(NOTE, b"left", None, NOW_MS + 1)
    assert [(draft.data, draft.is_own) for draft in drafts.all()] == [(b"left", True)]


def test_completely_written_partial_draft_is_recovered(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    drafts.add(_left(NOTE, b"older"))
    drafts.add(_left("b.md", b"newer", NOW_MS + 10))
    whole = {"newer": _left(NOTE, b"newer", NOW_MS + 1), "older": _left("b.md", b"old")}
    for number, (_, draft) in enumerate(whole.items()):
        other = DraftStore(tree.root / str(number))
        other.add(draft)
        (file,) = other.folder.iterdir()
        file.rename(drafts.folder / f".brv-tui-{2**22 + 1}-0000000{number}.part")
    torn = drafts.folder / f".brv-tui-{2**22 + 1}-00000009.part"
    torn.write_bytes(b'{\n "path": "auth')
    drafts.recover()
    assert [(draft.path, draft.data) for draft in drafts.all()] == [
        ("b.md", b"newer"), (NOTE, b"newer"), (NOTE, b"older")
    ]  # fmt: skip
    assert not list(drafts.folder.glob(".*"))
