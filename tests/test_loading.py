"""Reloads, updates and edits give the same snapshot as a fresh load."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.manifest import manifest_of
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.loading import EditedFile, load, update
from brvtui.loading.revised import UNPUBLISHED, Difference, edited, revised
from brvtui.snapshot import Snapshot
from brvtui.text import segment
from brvtui.text.segment import TOO_LARGE, TOO_MANY_WORDS
from brvtui.tree.engine_files.sidecar import read_sidecar
from brvtui.tree.reading import contents
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, defaults
from tests.support.comparing import same
from tests.support.examples import seeds
from tests.support.generated import age, generated, prose, query, signals
from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, READS_FRONTMATTER, SUMMARY, Tree, changed


def edit(tree: Tree, pick: random.Random) -> None:
    """One random change to the tree on disk."""
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
def test_reload_equals_a_fresh_load_after_random_edits(tmp_path: Path, seed: int) -> None:
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
    """The values that reveal changes to files, keyed by the path below the tree."""
    found = {}
    for path in tree.tree.rglob("*"):
        stat = path.lstat()
        if not path.is_dir():
            found[path.relative_to(tree.tree).as_posix()] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    return found


@pytest.mark.parametrize("seed", seeds(4, 12))
def test_update_equals_a_fresh_load_after_random_edits(tmp_path: Path, seed: int) -> None:
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
        result = update(snapshot, places, BRV3, now, tree.layers())
        fresh = tree.snapshot(now_ms=now)
        followed += result is not None
        snapshot = result if result is not None else fresh
        snapshot.warm()
        same(snapshot, fresh, pick, now)
        assert (snapshot.abstracts, snapshot.summary_files) == (fresh.abstracts, fresh.summary_files)
        assert (snapshot.notices, snapshot.engine_failure) == (fresh.notices, fresh.engine_failure)
    assert followed > 6


def test_update_follows_a_moved_folder(tmp_path: Path) -> None:
    pick = random.Random(1)
    tree = generated(tmp_path / "project", 1)
    before = tree.snapshot()
    (tree.tree / "ops").rename(tree.tree / "operations")
    result = update(before, ["ops", "operations"], BRV3, NOW_MS, tree.layers())
    assert result is not None
    same(result, tree.snapshot(), pick, NOW_MS)


def test_unsupported_changes_cause_a_full_load(tree: Tree) -> None:
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


def test_new_note_with_broken_signals_causes_a_full_load(tree: Tree) -> None:
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
    assert "x/b.md are not JSON" in after.notices[-1]


def test_update_without_changes_returns_the_same_snapshot(tree: Tree) -> None:
    tree.notes(3)
    before = tree.snapshot()
    (tree.tree / "notes.csv").write_text("no markdown")
    (tree.tree / ".git").mkdir()
    places = ["pad/p001.md", "notes.csv", ".git/index.md", "pad/", "gone.md"]
    assert update(before, places, BRV3, NOW_MS, tree.layers()) is before


def test_reload_reads_only_changed_files(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_text_changed_with_equal_size_and_time_is_read(tree: Tree) -> None:
    tree.note("auth/jwt/a.md", "Anchor")
    first = tree.snapshot()
    file = tree.tree / "auth/jwt/a.md"
    was = file.stat()
    while file.stat().st_ctime_ns == was.st_ctime_ns:  # file system clocks advance only every few milliseconds
        with file.open("r+b") as opened:
            opened.write(b"# Ankers")
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (was.st_mtime_ns, was.st_ino)
    assert [note.title for note in tree.snapshot(previous=first).notes] == ["Ankers"]


def test_changed_limits_reread_every_file(tree: Tree) -> None:
    tree.file("a/n.md", "one\ntwo\nthree")
    first = tree.snapshot()
    tight = changed(BRV3, limits={"max_lines": 2})
    assert tree.snapshot(tight, previous=first).notes[0].cut_lines == 1


def test_loading_reports_its_progress(tree: Tree) -> None:
    tree.notes(5)
    seen: list[tuple[int, int]] = []
    load(find_project(tree.root), BRV3, NOW_MS, progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 5)
    assert seen[-1] == (5, 5)


def test_file_removed_while_loading_is_skipped(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_field_lengths_count_distinct_pieces_of_the_text(tree: Tree) -> None:
    """The content ``alpha beta`` has length 2, or 3 with a final newline; an empty file has length 1."""
    for name, text in (("a", "alpha beta"), ("b", "alpha beta\n"), ("c", ""), ("d", "w\n" * 2000), ("e", "w\n" * 1999)):
        tree.file(f"x/{name}.md", text, days=5)
    snapshot = tree.snapshot()
    lengths = {note.path: snapshot.postings.note(place).lengths[1] for place, note in enumerate(snapshot.notes)}
    assert lengths == {"x/a.md": 2, "x/b.md": 3, "x/c.md": 1, "x/d.md": 1, "x/e.md": 2}
    assert [note.title for note in snapshot.notes] == ["a", "b", "c", "d", "e"]


def test_manifest_after_updates_equals_a_fresh_one(tmp_path: Path) -> None:
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
        result = update(snapshot, places, BRV3, NOW_MS, tree.layers())
        assert result is not None
        snapshot, fresh = result, tree.snapshot()
        for limits in (BRV3.manifest, DOCS.manifest):
            one, other = manifest_of(snapshot, limits), manifest_of(fresh, limits)
            assert one.entries == other.entries
            assert one.lanes == other.lanes


@pytest.mark.parametrize(
    ("limit", "reason"),
    [("MOST_BYTES", TOO_LARGE), ("MOST_ENTRIES", TOO_MANY_WORDS), ("MOST_WORDS", TOO_MANY_WORDS)],
)
def test_oversized_tree_is_read_up_to_a_limit(
    limit: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pick = random.Random(5)
    tree = generated(tmp_path / "project", 5)
    whole = tree.snapshot()
    sizes = {
        "MOST_BYTES": sum(file.size for file in whole.files),
        "MOST_ENTRIES": int(whole.postings.sizes.sum()),
        "MOST_WORDS": len(whole.postings.ids),
    }
    monkeypatch.setattr(segment, limit, sizes[limit] // 2)
    cut = tree.snapshot()
    assert 0 < len(cut.notes) < len(whole.notes)
    left = {file.path for file in cut.unseen if file.reason == reason}
    searched = {note.path for note in cut.notes}
    assert {note.path for note in whole.notes} - searched <= left  # this set may also contain files without text
    assert left.isdisjoint(searched)
    assert [notice.rpartition(": ")[2] for notice in cut.limit_notices] == [reason]
    same(tree.snapshot(previous=cut), cut, pick)
    tree.file("ops/more.md", "# More\n")
    assert update(cut, ["ops/more.md"], BRV3, NOW_MS, tree.layers()) is None, "left to the full load"
    for _ in range(4):  # the searched notes must not depend on how the tree reached its state
        edit(tree, pick)
        cut = tree.snapshot(previous=cut)
        same(cut, tree.snapshot(), pick)


def test_removed_words_free_room_for_new_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = generated(tmp_path / "project", 6)
    tree.file("ops/long.md", "# Long\n" + " ".join(f"word{number}" for number in range(50)))
    now = tree.snapshot()
    monkeypatch.setattr(segment, "MOST_WORDS", len(now.postings.ids) + 20)
    for turn in range(4):
        tree.file("ops/long.md", f"# Long {turn}\n" + " ".join(f"word{turn}x{number}" for number in range(50)), turn)
        result = update(now, ["ops/long.md"], BRV3, NOW_MS, tree.layers())
        now = result or tree.snapshot(previous=now)
        same(now, tree.snapshot(), random.Random(turn))
        assert not any(file.is_past_limit for file in now.unseen)


def test_file_too_large_to_read_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = generated(tmp_path / "project", 6)
    limits = BRV3.limits
    tree.file("ops/large.md", "a " * limits.max_file_bytes)
    monkeypatch.setattr(segment, "MOST_BYTES", limits.max_file_bytes)
    before = tree.snapshot()
    assert not before.limit_notices
    tree.file("ops/new.md", "# New\n")
    after = update(before, ["ops/new.md"], BRV3, NOW_MS, tree.layers())
    assert after is not None
    assert after.notes == tree.snapshot().notes


WIDE = changed(READS_FRONTMATTER, out_of_domain={"min_notes": 10_000}, search={"gap_ratio": 0.0})
HOUR_MS = 3_600_000


def same_snapshots(made: Snapshot, real: Snapshot, profile: Profile, now_ms: float, pick: random.Random) -> None:
    for name in ("notes", "signals", "summary_signals", "summaries", "notices", "engine_failure"):
        assert getattr(made, name) == getattr(real, name), name
    assert sorted(made.unseen, key=str) == sorted(real.unseen, key=str)
    assert made.parsed.keys() == real.parsed.keys()
    assert {file.path: (file.size, file.mtime_ns) for file in made.files} == {
        file.path: (file.size, file.mtime_ns) for file in real.files
    }
    assert made.columns.updated_ms.tolist() == pytest.approx(real.columns.updated_ms.tolist(), nan_ok=True)
    assert made.fingerprint == real.fingerprint
    assert made.postings.averages == real.postings.averages
    assert len(made.postings.vocabulary) == len(real.postings.vocabulary)
    for _ in range(6):
        text = query(pick)
        one, two = (search(Context(snapshot, profile, now_ms), text, SearchOptions(50)) for snapshot in (made, real))
        assert one.hits == two.hits
        assert (one.stages, one.near_misses, one.lint) == (two.stages, two.near_misses, two.lint)
    for path in made.edited:
        if path in made.by_path:
            assert made.text(path) == real.text(path)


def write(tree: Tree, edit: EditedFile) -> None:
    tree.file(edit.path, edit.data)
    os.utime(tree.tree / edit.path, ns=(edit.mtime_ns, edit.mtime_ns))


def random_edit(tree: Tree, pick: random.Random, now_ms: int) -> EditedFile:
    """An edit of any file of the tree, or a new file; mostly at the current time, otherwise with the file's time."""
    files = sorted(path.relative_to(tree.tree).as_posix() for path in tree.tree.rglob("*.md"))
    folder = pick.choice(("ops", "auth/jwt", "new/one", "_archived/ops"))
    name = pick.choice(("context.md", "_index.md", f"n_{pick.randrange(10**6)}.md", "x.abstract.md", "y.stub.md"))
    path = pick.choice((*files, f"{folder}/{name}"))
    head = pick.choice(("", "", "---\nimportance: 77\nmaturity: core\n---\n", "---\nupdatedAt: 2026-01-02\n---\n"))
    body = f"{head}# {pick.choice(('Harbor', 'Token straße'))} {pick.randrange(99)}\n\n{prose(pick)}\n"
    data = pick.choice((body, body, body, SUMMARY.format(order=2, tokens=9, text=prose(pick)), "\0", "", "\ufffd"))
    known = tree.tree / path
    keeps = known.exists() and pick.random() < 0.4
    mtime_ns = known.stat().st_mtime_ns if keeps else (now_ms + 1) * 1_000_000
    return EditedFile(path, data.encode(), mtime_ns)


@pytest.mark.parametrize("seed", seeds(10, 40))
def test_edited_snapshot_equals_a_reload_after_saving(seed: int, tmp_path: Path) -> None:
    """All scores are identical, even if the clock has advanced since the snapshot."""
    pick = random.Random(seed)
    shared = generated(tmp_path / "shared", seed + 1000, 6) if seed % 4 == 0 else None
    tree = generated(tmp_path / "project", seed, source=shared)
    profile = changed(WIDE, limits={"max_files": 28}) if seed % 5 == 0 else WIDE
    for _ in range(5):
        snapshot = tree.snapshot(profile)
        if pick.random() < 0.5:
            snapshot.warm()
        now_ms = NOW_MS + pick.choice((0, 0, 0, 5 * HOUR_MS, 20 * DAY_MS))
        edit = random_edit(tree, pick, now_ms)
        if pick.random() < 0.2:
            tree.signals[edit.path] = signals(pick)  # type: ignore[assignment]
            snapshot = tree.snapshot(profile, snapshot)
        before = (snapshot.notes, dict(snapshot.parsed), list(snapshot.postings.ids.terms))
        result = edited(snapshot, profile, now_ms, edit)
        assert (snapshot.notes, dict(snapshot.parsed), snapshot.postings.ids.terms) == before
        assert result.generation == UNPUBLISHED
        write(tree, edit)
        same_snapshots(result, tree.snapshot(profile, now_ms=now_ms), profile, now_ms, random.Random(seed))


@pytest.mark.parametrize("changes", [Difference({}, frozenset()), Difference({}, frozenset({"pad/p003.md"}))])
def test_other_default_signals_apply_to_all_notes(tree: Tree, changes: Difference) -> None:
    tree.notes(5)
    profile = changed(BRV3, signals={"importance": 77.0})
    result = revised(tree.snapshot(BRV3), profile, NOW_MS, changes)
    assert {one.importance for one in result.signals} == {77.0}


@pytest.mark.parametrize("seed", seeds(10, 40))
def test_snapshot_with_several_changes_equals_a_reload_after_saving(seed: int, tmp_path: Path) -> None:
    pick = random.Random(seed)
    tree = generated(tmp_path / "project", seed)
    profile = changed(WIDE, limits={"max_files": 28}) if seed % 5 == 0 else WIDE
    for _ in range(5):
        snapshot = tree.snapshot(profile)
        now_ms = NOW_MS + pick.choice((0, 0, 5 * HOUR_MS, 20 * DAY_MS))
        edits = {edit.path: edit for edit in (random_edit(tree, pick, now_ms) for _ in range(pick.randrange(4)))}
        removed = frozenset(pick.sample(sorted(snapshot.parsed), pick.randrange(4))) - edits.keys()
        result = revised(snapshot, profile, now_ms, Difference(edits, removed))
        assert result.generation == UNPUBLISHED
        for edit in edits.values():
            write(tree, edit)
        for path in removed:
            (tree.tree / path).unlink()
        same_snapshots(result, tree.snapshot(profile, now_ms=now_ms), profile, now_ms, random.Random(seed))


@pytest.mark.parametrize("path", [".hidden/n.md", "a/.n.md", "a/n.txt", "a/N.MD"])
def test_editing_an_unread_file_changes_nothing(path: str, tree: Tree) -> None:
    tree.note("a/n.md", "N")
    snapshot = tree.snapshot()
    result = edited(snapshot, BRV3, NOW_MS, EditedFile(path, b"# M", NOW_MS * 1_000_000))
    assert (result.notes, result.parsed, result.generation) == (snapshot.notes, snapshot.parsed, UNPUBLISHED)


def test_editing_a_snapshot_writes_no_file(tree: Tree) -> None:
    tree.note("a/n.md", "N", days=3)
    snapshot = tree.snapshot()
    result = edited(snapshot, BRV3, NOW_MS, EditedFile("a/n.md", b"# Edited\n", NOW_MS * 1_000_000))
    assert result.text("a/n.md") == "# Edited\n"
    assert result.notes[0].title == "Edited"
    assert (tree.tree / "a" / "n.md").read_text() == "# N\n\n\n"
    assert snapshot.text("a/n.md") == "# N\n\n\n"


def test_edit_replaces_one_note_without_a_rebuild(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ordinary edit takes this fast path. The other notes are shared and need no memory."""
    tree.notes(20, days=40)
    tree.file("pad/context.md", "# Pad", 40)
    snapshot = tree.snapshot()

    def refuse(*_: object) -> None:
        raise AssertionError("every file is looked at")

    monkeypatch.setattr("brvtui.loading.revised.load", refuse)
    for path in ("pad/p003.md", "pad/new.md", "pad/context.md", "other/context.md", "_archived/a/n.stub.md"):
        kept = (NOW_MS - 40 * DAY_MS) * 1_000_000
        edited(snapshot, BRV3, NOW_MS, EditedFile(path, b"# Now", NOW_MS * 1_000_000))
        if path in snapshot.parsed:
            edited(snapshot, BRV3, NOW_MS, EditedFile(path, b"# Kept", kept))
    edits = {path: EditedFile(path, b"# Then", NOW_MS * 1_000_000) for path in ("pad/p003.md", "pad/new.md")}
    before = revised(snapshot, BRV3, NOW_MS, Difference(edits, frozenset(("pad/p004.md",))))
    assert len({*map(id, before.notes)} - {*map(id, snapshot.notes)}) == len(edits)
    assert len({*map(id, before.files)} - {*map(id, snapshot.files)}) == len(edits)
