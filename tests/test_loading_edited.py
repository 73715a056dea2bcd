"""A snapshot with an edit is the one that a reload makes after the edit was written."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.loading import EditedFile
from brvtui.loading.revised import UNPUBLISHED, edited
from brvtui.snapshot import Snapshot
from tests.support.examples import seeds
from tests.support.generated import generated, prose, query, signals
from tests.support.trees import BRV3, DAY_MS, NOW_MS, READS_FRONTMATTER, SUMMARY, Tree, changed

WIDE = changed(READS_FRONTMATTER, out_of_domain={"min_notes": 10_000}, search={"gap_ratio": 0.0})
HOUR_MS = 3_600_000


def same(made: Snapshot, real: Snapshot, profile: Profile, now_ms: float, pick: random.Random) -> None:
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
    """An edit of any file of the tree, or a new one; mostly of now, else with the time that the file has."""
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
def test_it_is_as_reloaded_after_writing(seed: int, tmp_path: Path) -> None:
    """Compared with ``==``, to the last bit of every score; also when the clock went on since the snapshot."""
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
        made = edited(snapshot, profile, now_ms, edit)
        assert (snapshot.notes, dict(snapshot.parsed), snapshot.postings.ids.terms) == before
        assert made.generation == UNPUBLISHED
        write(tree, edit)
        same(made, tree.snapshot(profile, now_ms=now_ms), profile, now_ms, random.Random(seed))


@pytest.mark.parametrize("path", [".hidden/n.md", "a/.n.md", "a/n.txt", "a/N.MD"])
def test_what_the_engine_does_not_walk_to_changes_nothing(path: str, tree: Tree) -> None:
    tree.note("a/n.md", "N")
    snapshot = tree.snapshot()
    made = edited(snapshot, BRV3, NOW_MS, EditedFile(path, b"# M", NOW_MS * 1_000_000))
    assert (made.notes, made.parsed, made.generation) == (snapshot.notes, snapshot.parsed, UNPUBLISHED)


def test_nothing_is_written(tree: Tree) -> None:
    tree.note("a/n.md", "N", days=3)
    snapshot = tree.snapshot()
    made = edited(snapshot, BRV3, NOW_MS, EditedFile("a/n.md", b"# Edited\n", NOW_MS * 1_000_000))
    assert made.text("a/n.md") == "# Edited\n"
    assert made.notes[0].title == "Edited"
    assert (tree.tree / "a" / "n.md").read_text() == "# N\n\n\n"
    assert snapshot.text("a/n.md") == "# N\n\n\n"


def test_a_note_is_exchanged_and_nothing_else_is_made_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick way is taken for every ordinary edit."""
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
