"""The text index on disk: after any damage and with any writer, its answers equal those of a new index."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import socket
import stat
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.disk.sealing import sealed, unsealed
from brvtui.snapshot import Snapshot
from brvtui.snapshot.texts import text_document
from brvtui.store import text_index
from brvtui.store.text_index import KeptTextIndex
from brvtui.text.full_text import FullTextView, TextDocument
from tests.support.generated import generated
from tests.support.trees import BRV3, Tree, changed
from tests.test_loading import edit

QUERIES = (
    "anchor", "anchors", "token*", "title:harbor", '"the of"', "tokne~2", "cafe", "日本", "a -the", "auth OR ops",
    "refresh-token", "new", "e*", "edited",
)  # fmt: skip


def answers(full_text: FullTextView) -> list[object]:
    return [full_text.find(query, 1_000) for query in QUERIES]


def fresh(snapshot: Snapshot) -> list[object]:
    """The answers of a new index in memory."""
    index = KeptTextIndex(snapshot.project.tree, Path("/nowhere"))
    index._can_write = False
    return answers(index.full_text(snapshot))


def index_of(tree: Tree) -> KeptTextIndex:
    return text_index.text_index(tree.tree)


@pytest.fixture(autouse=True)
def always_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "WORTH_KEEPING", 1)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of notes whose texts are read."""
    paths: list[str] = []

    def reading(snapshot: Snapshot, path: str) -> object:
        paths.append(path)
        return text_document(snapshot, path)

    monkeypatch.setattr(text_index, "text_document", reading)
    return paths


def test_next_process_reads_only_changed_notes(tree: Tree, reads: list[str]) -> None:
    tree.notes(5, "alpha")
    first = index_of(tree)
    first.full_text(tree.snapshot())
    first.close()
    assert len(reads) == 5
    tree.file("pad/p001.md", "beta", 1)
    (tree.tree / "pad/p002.md").unlink()
    del reads[:]
    second = index_of(tree)
    found = second.full_text(tree.snapshot())
    assert reads == ["pad/p001.md"]
    assert (found.find("alpha", 9)[1], found.find("beta", 9)[1]) == (3, 1)
    assert second.keep(tree.snapshot())
    assert not second.keep(tree.snapshot())
    del reads[:]
    third = index_of(tree).full_text(tree.snapshot())
    assert reads == []
    assert (third.find("alpha", 9)[1], third.find("beta", 9)[1], second.problem) == (3, 1, "")


def test_index_is_private_and_can_be_removed(tree: Tree) -> None:
    tree.notes(3)
    index = index_of(tree)
    index.full_text(tree.snapshot())
    modes = {stat.S_IMODE(file.stat().st_mode) for file in index.folder.rglob("*") if file.is_file()}
    assert (modes, stat.S_IMODE(index.folder.stat().st_mode)) == ({0o600}, 0o700)
    assert index.clear() > 0
    assert index.bytes() == 0
    other = index_of(tree)
    assert answers(other.full_text(tree.snapshot())) == fresh(tree.snapshot())
    assert other.bytes() > 0


def test_small_tree_has_no_index_on_disk(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "WORTH_KEEPING", 10)
    tree.notes(3, "alpha")
    index = index_of(tree)
    assert index.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    tree.file("pad/p001.md", "beta", 1)
    assert index.full_text(tree.snapshot()).find("alpha", 9)[1] == 2
    assert not index.folder.exists()


def test_changed_limits_reread_the_notes(tree: Tree) -> None:
    tree.file("long.md", "alpha\nbeta\n")
    index = index_of(tree)
    assert index.full_text(tree.snapshot()).find("beta", 9)[1] == 1
    cut = tree.snapshot(changed(BRV3, limits={"max_lines": 1}))
    assert index.full_text(cut).find("beta", 9)[1] == 0
    assert index.problem == ""


PUT_IN_PLACE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": lambda place: (place.mkdir(), (place / "file").touch()),
    "socket": lambda place: socket_at(place),
    "dangling link": lambda place: place.symlink_to(tree_folder(place) / "outside"),
}


def socket_at(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as result:
            result.bind(place.name)
    finally:
        os.chdir(here)


def tree_folder(place: Path) -> Path:
    """The folder ``text`` of the index that contains ``place``."""
    return next(parent for parent in place.parents if parent.name == "text")


@pytest.mark.parametrize("seed", range(3))
def test_index_follows_edits(tmp_path: Path, seed: int) -> None:
    follow(generated(tmp_path / "project", seed), random.Random(seed), 12)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_index_follows_a_thousand_edits(tmp_path: Path) -> None:
    follow(generated(tmp_path / "project", 1, notes=200), random.Random(1), 1_000)


def follow(tree: Tree, pick: random.Random, edits: int) -> None:
    """Edits the tree, and compares the answers of a writer, of a second process and of a fresh index."""
    writer, reader, snapshot = index_of(tree), index_of(tree), tree.snapshot()
    assert writer.full_text(snapshot)
    for number in range(edits):
        edit(tree, pick)
        snapshot = tree.snapshot(previous=snapshot)
        if pick.random() < 0.5:
            writer.keep(snapshot)
            assert not reader.keep(snapshot)
        if number % 25 == 24 or edits < 100:
            expected = fresh(snapshot)
            assert answers(writer.full_text(snapshot)) == expected
            assert answers(reader.full_text(snapshot)) == expected
    writer.close()
    assert answers(index_of(tree).full_text(snapshot)) == fresh(snapshot)
    assert (writer.problem, reader.problem) == ("", "")


def flip(folder: Path, pick: random.Random) -> Path:
    """Flips one bit in an index file."""
    file = pick.choice([file for file in sorted(folder.rglob("*")) if file.is_file() and file.stat().st_size])
    data = bytearray(file.read_bytes())
    data[pick.randrange(len(data))] ^= 1 << pick.randrange(8)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize("flips", [8, pytest.param(100, marks=pytest.mark.long)])
def test_damaged_index_is_rebuilt(tmp_path: Path, flips: int) -> None:
    tree, pick = generated(tmp_path / "project", 3), random.Random(3)
    snapshot = tree.snapshot()
    expected = fresh(snapshot)
    for _ in range(flips):
        index = index_of(tree)
        assert answers(index.full_text(snapshot)) == expected
        index.close()
        file = flip(index.folder, pick)
        again = index_of(tree)
        assert answers(again.full_text(snapshot)) == expected
        assert bool(again.problem) or file.name == ".managed.json"
        again.close()


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"junk",
        None,
        sealed(b"junk"),
        sealed(zlib.compress(b"[" * 100_000)),
        sealed(zlib.compress(b'{"format": []}')),
    ],
)
def test_broken_state_file_is_rebuilt(tree: Tree, junk: bytes | None) -> None:
    tree.notes(3, "alpha")
    index = index_of(tree)
    index.full_text(tree.snapshot())
    index.close()
    state = index.folder / "state"
    state.unlink()
    if junk is None:
        state.mkdir()
    else:
        state.write_bytes(junk)
    again = index_of(tree)
    assert again.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert again.problem


@pytest.mark.timeout(30)
@pytest.mark.parametrize("make", PUT_IN_PLACE.values(), ids=PUT_IN_PLACE)
@pytest.mark.parametrize("name", [".managed.json", ".tantivy-meta.lock", "meta.json", "other.lock", "other"])
def test_irregular_index_files_are_not_opened(tree: Tree, name: str, make: Callable[[Path], object]) -> None:
    tree.notes(3, "alpha")
    index = index_of(tree)
    index.full_text(tree.snapshot())
    index.close()
    (folder,) = (entry for entry in index.folder.iterdir() if entry.is_dir())
    (folder / name).unlink(missing_ok=True)
    make(folder / name)
    again = index_of(tree)
    assert again.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert str(folder / name) in again.problem
    assert not folder.exists()
    again.close()
    assert index_of(tree).full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert not (index.folder / "outside").exists()


def test_symlinked_index_folder_is_not_used(tree: Tree) -> None:
    tree.notes(3, "alpha")
    index = index_of(tree)
    index.full_text(tree.snapshot())
    index.close()
    (folder,) = (entry for entry in index.folder.iterdir() if entry.is_dir())
    folder.rename(tree.root / "elsewhere")
    folder.symlink_to(tree.root / "elsewhere")
    again = index_of(tree)
    assert again.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert str(folder) in again.problem
    assert sorted((tree.root / "elsewhere").iterdir())


@pytest.mark.timeout(30)
@pytest.mark.parametrize("make", PUT_IN_PLACE.values(), ids=PUT_IN_PLACE)
def test_state_that_is_not_a_regular_file_is_replaced(
    tree: Tree, make: Callable[[Path], object], reads: list[str]
) -> None:
    tree.notes(3, "alpha")
    index = index_of(tree)
    index.full_text(tree.snapshot())
    index.close()
    (index.folder / "state").unlink()
    make(index.folder / "state")
    again = index_of(tree)
    assert again.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    again.close()
    del reads[:]
    third = index_of(tree)
    assert third.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert (reads, third.problem) == ([], "")


def test_unwritable_index_causes_no_wait(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(3, "alpha")
    index = index_of(tree)
    (index.folder / "lock").mkdir(parents=True)
    (index.folder / "state").mkdir()
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("waited"))
    for _ in range(2):
        assert index.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert str(index.folder / "lock") in index.problem


def long_text(word: str) -> str:
    return "\n".join([f"{word} " * 150] * 1_500)


def test_few_but_long_notes_are_stored_on_disk(tree: Tree, monkeypatch: pytest.MonkeyPatch, reads: list[str]) -> None:
    monkeypatch.setattr(text_index, "WORTH_KEEPING", 10)
    tree.file("a.md", long_text("alpha"))
    tree.file("b.md", "beta")
    first = index_of(tree)
    assert first.full_text(tree.snapshot()).find("alpha", 9)[1] == 1
    assert first.place == "on disk"
    first.close()
    tree.file("a.md", long_text("gamma"), 1)
    changed = index_of(tree)
    assert changed.full_text(tree.snapshot()).find("gamma", 9)[1] == 1
    changed.close()
    del reads[:]
    again = index_of(tree).full_text(tree.snapshot())
    assert [again.find(word, 9)[1] for word in ("alpha", "beta", "gamma")] == [0, 1, 1]
    assert reads == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("keys", [10**15, 1, 2]), ("keys", [-1, 1, 2]), ("keys", ["0", 1, 2]), ("next", 10**15), ("next", "x"),
     ("paths", 3), ("name", "../../etc"), ("name", 7), ("files", [["meta.json"]]), ("files", []),
     ("limits", {}), ("stamps", [])],
)  # fmt: skip
def test_forged_state_file_is_rebuilt(tree: Tree, name: str, value: object) -> None:
    tree.notes(3, "alpha")
    index = index_of(tree)
    index.full_text(tree.snapshot())
    index.close()
    state = index.folder / "state"
    held = json.loads(zlib.decompress(unsealed(state.read_bytes())))
    state.write_bytes(sealed(zlib.compress(json.dumps({**held, name: value}).encode())))
    again = index_of(tree)
    assert again.full_text(tree.snapshot()).find("alpha", 9)[1] == 3
    assert again.problem


@pytest.mark.parametrize("what", ["FORMAT", "__version__"])
def test_another_version_rebuilds_the_index(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, what: str, reads: list[str]
) -> None:
    tree.notes(3)
    index = index_of(tree)
    index.full_text(tree.snapshot())
    index.close()
    monkeypatch.setattr(text_index, what, "other")
    del reads[:]
    again = index_of(tree)
    again.full_text(tree.snapshot())
    assert len(reads) == 3
    assert len([entry for entry in again.folder.iterdir() if entry.is_dir()]) == 1


@pytest.mark.parametrize("kills", [5, pytest.param(100, marks=pytest.mark.long)])
def test_killed_writer_leaves_correct_answers(tmp_path: Path, kills: int) -> None:
    tree, pick = generated(tmp_path / "project", 5, notes=60), random.Random(5)
    index_of(tree).full_text(tree.snapshot())
    for _ in range(kills):
        for _ in range(pick.randint(1, 4)):
            edit(tree, pick)
        snapshot = tree.snapshot()
        child = os.fork()
        if child == 0:
            index = index_of(tree)
            index.full_text(snapshot)
            index.keep(snapshot)
            os._exit(0)
        time.sleep(pick.uniform(0, 0.12))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        after = index_of(tree)
        assert answers(after.full_text(snapshot)) == fresh(snapshot)
        after.close()
    last = index_of(tree)
    last.full_text(snapshot)
    last.keep(snapshot)
    assert len([entry for entry in last.folder.iterdir() if entry.is_dir()]) <= 2


def in_child(act: Callable[[], bool]) -> bool:
    """Returns whether ``act`` is true in a separate process."""
    child = os.fork()
    if child == 0:
        result = False
        try:
            result = act()
        finally:
            os._exit(0 if result else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("limit", [0, 10, 300, 2_000])
@pytest.mark.parametrize("is_kept", [False, True])
def test_full_disk_is_reported_in_one_line(tmp_path: Path, limit: int, is_kept: bool) -> None:
    """A file size limit in a child process simulates the full disk."""
    tree = generated(tmp_path / "project", 7, notes=80)
    if is_kept:
        first = index_of(tree)
        first.full_text(tree.snapshot())
        first.close()
        edit(tree, random.Random(1))
    snapshot = tree.snapshot()
    expected = fresh(snapshot)

    def act() -> bool:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        index = index_of(tree)
        found = answers(index.full_text(snapshot))
        index.keep(snapshot)
        again = answers(index.full_text(snapshot))
        is_one_line = bool(index.problem) and "\n" not in index.problem
        return found == again == expected and is_one_line and index.place == ("read-only" if is_kept else "in memory")

    assert in_child(act)
    after = index_of(tree)
    assert answers(after.full_text(snapshot)) == expected
    after.keep(snapshot)
    assert not after.problem.startswith("the text index cannot be written"), after.problem
    assert not after.keep(snapshot)


def test_second_process_follows_the_writer(tree: Tree, reads: list[str]) -> None:
    tree.notes(4, "alpha")
    writer, reader = index_of(tree), index_of(tree)
    assert writer.place == "in memory"
    writer.full_text(tree.snapshot())
    reader.full_text(tree.snapshot())
    tree.file("pad/new.md", "alpha", 1)
    snapshot = tree.snapshot()
    assert not reader.keep(snapshot)
    assert writer.keep(snapshot)
    assert (writer.place, reader.place) == ("on disk", "read-only")
    del reads[:]
    assert reader.full_text(snapshot).find("alpha", 9)[1] == 5
    assert reads == []
    writer.close()
    tree.file("pad/newer.md", "alpha", 1)
    assert reader.keep(tree.snapshot())
    assert reader.place == "on disk"


def test_unreadable_note_is_indexed_later(tree: Tree) -> None:
    tree.notes(3, "alpha")
    snapshot = tree.snapshot()
    (tree.tree / "pad/p001.md").rename(tree.root / "away.md")
    index = index_of(tree)
    assert index.full_text(snapshot).find("alpha", 9)[1] == 2
    (tree.root / "away.md").rename(tree.tree / "pad/p001.md")
    index.close()
    assert index_of(tree).full_text(snapshot).find("alpha", 9)[1] == 3


def test_title_headings_tags_and_body_are_searchable(tree: Tree) -> None:
    front = "---\ntags: [one, two]\nkeywords: three\ntitle: Other\nimportance: 61\n---\n"
    body = "# Title\n\n```\n# not a heading\n```\n### Deep ones\n"
    tree.file("a.md", front + body)
    tree.file("b.md", f"---\nno: yaml: at all\n---\n{body}")
    documents = [text_document(tree.snapshot(), path) for path in ("a.md", "b.md")]
    assert documents[0] == TextDocument("a.md", "Title\nOther", "Title\nDeep ones", "one\ntwo\nthree", body, 7)
    assert (documents[1].text[:9], documents[1].first_line) == ("---\nno: y", 1)
