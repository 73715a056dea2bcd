"""Loading again reads what changed, and gives what a fresh load would give."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from brvtui.engines.byterover.route.manifest import manifest_of
from brvtui.loading import load, update
from brvtui.text import segment
from brvtui.text.segment import TOO_MANY_WORDS
from brvtui.tree.engine_files.sidecar import read_sidecar
from brvtui.tree.reading import contents
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, defaults
from tests.support.comparing import same
from tests.support.examples import seeds
from tests.support.generated import age, generated, prose, signals
from tests.support.trees import BRV3, DOCS, NOW_MS, Tree, changed


def edit(tree: Tree, pick: random.Random) -> None:
    """One random change of the tree on disk."""
    notes = sorted(path.relative_to(tree.tree).as_posix() for path in tree.tree.rglob("*.md"))
    what = pick.randrange(6)
    chosen = pick.choice(notes)
    if what == 0:
        tree.file(f"ops/new_{pick.randrange(10**6)}.md", f"# New\n{prose(pick)}", age(pick))
    elif what == 1 and len(notes) > 4:
        (tree.tree / chosen).unlink()
    elif what == 2:
        tree.file(chosen, f"# Edited {pick.randrange(100)}\n{prose(pick)}", age(pick) + 0.001)
    elif what == 3:
        (tree.tree / chosen).rename(tree.tree / f"moved_{pick.randrange(10**6)}.md")
    elif what == 4:
        tree.age(chosen, age(pick) + 0.001)
    else:
        tree.summary(pick.choice(("ops", "auth", "new")), prose(pick), order=pick.randrange(4), days=age(pick))


@pytest.mark.parametrize("seed", seeds(2, 6))
def test_again_is_as_fresh_after_random_edits(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    tree = generated(tmp_path / "project", seed)
    snapshot = tree.snapshot()
    generation = snapshot.generation
    for _ in range(6):
        for _ in range(pick.randint(1, 4)):
            edit(tree, pick)
        snapshot = tree.snapshot(previous=snapshot)
        same(snapshot, tree.snapshot(), pick)
    assert snapshot.generation == generation + 6


def on_disk(tree: Tree) -> dict[str, tuple[int, int, int]]:
    """What tells that a file changed, by its path below the tree."""
    found = {}
    for path in tree.tree.rglob("*"):
        stat = path.lstat()
        if not path.is_dir():
            found[path.relative_to(tree.tree).as_posix()] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    return found


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_following_is_as_fresh_after_random_edits(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    tree = generated(tmp_path / "project", seed)
    snapshot, now = tree.snapshot(), NOW_MS
    snapshot.warm()
    _ = snapshot.hierarchy, snapshot.abstracts, snapshot.summary_files
    followed = 0
    for _ in range(12):
        before = on_disk(tree)
        for _ in range(pick.randint(1, 4)):
            edit(tree, pick)
        if pick.random() < 0.5:
            tree.signals[pick.choice(snapshot.notes).path] = signals(pick)
        now += pick.choice((0, 1, 3_600_000, 90_000_000))
        after = on_disk(tree)
        places = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        made = update(snapshot, places, BRV3, now, tree.layers())
        fresh = tree.snapshot(now_ms=now)
        followed += made is not None
        snapshot = made if made is not None else fresh
        snapshot.warm()
        same(snapshot, fresh, pick, now)
        assert (snapshot.abstracts, snapshot.summary_files) == (fresh.abstracts, fresh.summary_files)
        assert (snapshot.notices, snapshot.engine_failure) == (fresh.notices, fresh.engine_failure)
    assert followed > 6


def test_a_folder_that_moves_is_followed(tmp_path: Path) -> None:
    pick = random.Random(1)
    tree = generated(tmp_path / "project", 1)
    before = tree.snapshot()
    (tree.tree / "ops").rename(tree.tree / "operations")
    made = update(before, ["ops", "operations"], BRV3, NOW_MS, tree.layers())
    assert made is not None
    same(made, tree.snapshot(), pick, NOW_MS)


def test_what_is_not_followed_is_read_as_a_whole(tree: Tree) -> None:
    tree.notes(4)
    before = tree.snapshot()
    (tree.tree / "link.md").symlink_to(tree.tree / "pad" / "p001.md")
    (tree.tree / ".hidden").mkdir()
    for place in ("UPPER.MD", ".dot.md", "a:b.md"):
        (tree.tree / place).write_text("x")
    for place in ("link.md", ".hidden", "UPPER.MD", ".dot.md", "", "a:b.md"):
        assert update(before, [place], BRV3, NOW_MS, tree.layers()) is None, place
    assert update(before, [], BRV3, NOW_MS - 1, tree.layers()) is None
    assert update(before, [], changed(BRV3, limits={"max_files": 3}), NOW_MS, tree.layers()) is None


def test_a_note_that_comes_with_broken_signals_is_read_as_a_whole(tree: Tree) -> None:
    tree.note("x/a.md", "A")
    tree.sidecar_file(
        "x/a.md", {"importance": 90, "recency": 1, "maturity": "core", "accessCount": 1, "updateCount": 0}
    )
    tree.sidecar_file("x/b.md", "no JSON")
    stored = SignalLayers((), read_sidecar(tree.sidecar, defaults(BRV3.signals)).broken)
    before = load(find_project(tree.root), BRV3, NOW_MS, stored)
    assert before.notices == before.project.notices
    tree.note("x/b.md", "B")
    assert update(before, ["x/b.md"], BRV3, NOW_MS, stored) is None
    after = load(find_project(tree.root), BRV3, NOW_MS, stored, before)
    assert "x/b.md are no JSON" in after.notices[-1]


def test_following_nothing_is_the_same_snapshot(tree: Tree) -> None:
    tree.notes(3)
    before = tree.snapshot()
    (tree.tree / "notes.csv").write_text("no markdown")
    (tree.tree / ".git").mkdir()
    places = ["pad/p001.md", "notes.csv", ".git/index.md", "pad/", "gone.md"]
    assert update(before, places, BRV3, NOW_MS, tree.layers()) is before


def test_only_what_changed_is_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(5)
    first = tree.snapshot()
    read: list[str] = []
    read_regular = contents.read_regular

    def counting(path: Path, most: int) -> bytes:
        read.append(path.name)
        return read_regular(path, most)

    monkeypatch.setattr(contents, "read_regular", counting)
    second = tree.snapshot(previous=first)
    assert read == []
    assert all(second.parsed[path] is first.parsed[path] for path in first.parsed)
    tree.file("pad/p002.md", "other", 1)
    tree.snapshot(previous=second)
    assert read == ["p002.md"]


def test_a_text_of_the_same_size_under_a_kept_time_is_read(tree: Tree) -> None:
    tree.note("auth/jwt/a.md", "Anchor")
    first = tree.snapshot()
    file = tree.tree / "auth/jwt/a.md"
    was = file.stat()
    while file.stat().st_ctime_ns == was.st_ctime_ns:  # clocks of file systems tick every few milliseconds
        with file.open("r+b") as opened:
            opened.write(b"# Ankers")
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (was.st_mtime_ns, was.st_ino)
    assert [note.title for note in tree.snapshot(previous=first).notes] == ["Ankers"]


def test_other_limits_read_everything_again(tree: Tree) -> None:
    tree.file("a/n.md", "one\ntwo\nthree")
    first = tree.snapshot()
    tight = changed(BRV3, limits={"max_lines": 2})
    assert tree.snapshot(tight, previous=first).notes[0].cut_lines == 1


def test_progress(tree: Tree) -> None:
    tree.notes(5)
    seen: list[tuple[int, int]] = []
    load(find_project(tree.root), BRV3, NOW_MS, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 5)
    assert seen[-1] == (5, 5)


def test_a_file_that_goes_while_it_is_read(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.note("a/gone.md", "Gone")
    tree.note("a/stays.md", "Stays")
    read_regular = contents.read_regular

    def vanishing(path: Path, most: int) -> bytes:
        if path.name == "gone.md":
            raise FileNotFoundError(2, "No such file or directory")
        return read_regular(path, most)

    monkeypatch.setattr(contents, "read_regular", vanishing)
    snapshot = tree.snapshot()
    assert [note.path for note in snapshot.notes] == ["a/stays.md"]
    assert [(file.path, file.reason) for file in snapshot.unseen] == [
        ("a/gone.md", "cannot be read: No such file or directory")
    ]


def test_field_lengths_of_the_texts_as_read(tree: Tree) -> None:
    """Content ``alpha beta`` is 2 long, with a final newline 3; an empty file is 1."""
    for name, text in (("a", "alpha beta"), ("b", "alpha beta\n"), ("c", ""), ("d", "w\n" * 2000), ("e", "w\n" * 1999)):
        tree.file(f"x/{name}.md", text, days=5)
    snapshot = tree.snapshot()
    lengths = {note.path: snapshot.postings.note(place).lengths[1] for place, note in enumerate(snapshot.notes)}
    assert lengths == {"x/a.md": 2, "x/b.md": 3, "x/c.md": 1, "x/d.md": 1, "x/e.md": 2}
    assert [note.title for note in snapshot.notes] == ["a", "b", "c", "d", "e"]


def test_the_manifest_of_a_followed_snapshot_is_that_of_a_fresh_one(tmp_path: Path) -> None:
    pick = random.Random(5)
    tree = generated(tmp_path / "project", 5)
    for path in ("auth/a.abstract.md", "ops/b.abstract.md"):
        tree.file(path, prose(pick), 3)
    snapshot = tree.snapshot()
    _ = snapshot.orders
    for _ in range(8):
        manifest_of(snapshot, BRV3.manifest)
        before = on_disk(tree)
        edit(tree, pick)
        tree.file(f"auth/{pick.choice('abc')}{pick.choice(('.md', '.abstract.md'))}", prose(pick), age(pick))
        after = on_disk(tree)
        places = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        made = update(snapshot, places, BRV3, NOW_MS, tree.layers())
        assert made is not None
        snapshot, fresh = made, tree.snapshot()
        for limits in (BRV3.manifest, DOCS.manifest):
            one, other = manifest_of(snapshot, limits), manifest_of(fresh, limits)
            assert one.entries == other.entries
            assert one.lanes == other.lanes


@pytest.mark.parametrize("limit", ["MOST_ENTRIES", "MOST_WORDS"])
def test_a_tree_of_too_many_words_is_read_up_to_a_limit(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pick = random.Random(5)
    tree = generated(tmp_path / "project", 5)
    whole = tree.snapshot()
    size = int(whole.postings.sizes.sum()) if limit == "MOST_ENTRIES" else len(whole.postings.ids)
    monkeypatch.setattr(segment, limit, size // 2)
    cut = tree.snapshot()
    assert 0 < len(cut.notes) < len(whole.notes)
    left = {file.path for file in cut.unseen if file.reason == TOO_MANY_WORDS}
    searched = {note.path for note in cut.notes}
    assert {note.path for note in whole.notes} - searched <= left  # which may name files that hold no text
    assert left.isdisjoint(searched)
    assert any("words" in notice for notice in cut.notices)
    same(tree.snapshot(previous=cut), cut, pick)
    for _ in range(4):  # what is searched is the same, however the tree came to be as it is
        edit(tree, pick)
        cut = tree.snapshot(previous=cut)
        same(cut, tree.snapshot(), pick)


def test_words_that_are_gone_leave_no_note_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = generated(tmp_path / "project", 6)
    tree.file("ops/long.md", "# Long\n" + " ".join(f"word{number}" for number in range(50)))
    now = tree.snapshot()
    monkeypatch.setattr(segment, "MOST_WORDS", len(now.postings.ids) + 20)
    for turn in range(4):
        tree.file("ops/long.md", f"# Long {turn}\n" + " ".join(f"word{turn}x{number}" for number in range(50)), turn)
        made = update(now, ["ops/long.md"], BRV3, NOW_MS, tree.layers())
        now = made or tree.snapshot(previous=now)
        same(now, tree.snapshot(), random.Random(turn))
        assert not any(file.reason == TOO_MANY_WORDS for file in now.unseen)
