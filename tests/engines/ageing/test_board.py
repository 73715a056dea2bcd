"""The board of every note: against single notes as searches score them, and against time passing for real."""

from __future__ import annotations

import random
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from brvtui.engines.ageing.board import Board
from brvtui.engines.ageing.events import ARCHIVE, LEAVES_PROMPT, LEAVES_TIER_2, OF_NOTES, PRUNING
from brvtui.engines.ageing.forecast import after_hits
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search.scoring import path_hits
from brvtui.ranking.maturity import LEVELS
from brvtui.tree.reading.signals import Source
from tests.support.generated import generated
from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, Tree, changed, stored

DATED = "---\nupdatedAt: 2026-11-13T12:00:00Z\n---\n# Dated\n"
"""Seven days before the tests' clock."""


def board_of(tree: Tree, profile: Profile = BRV3, now_ms: float = NOW_MS) -> Board:
    return Board(tree.snapshot(profile), profile.ageing, now_ms)


def place(board: Board, path: str) -> int:
    return board.snapshot.by_path[path]


def random_board(folder: Path, seed: int, profile: Profile = BRV3) -> Board:
    pick = random.Random(seed)
    tree = generated(folder / "project", seed)
    for path in sorted(file.relative_to(tree.tree).as_posix() for file in tree.tree.rglob("*.md")):
        date = pick.choice(
            ("", "updatedAt: soon\n", f"updatedAt: 20{pick.randrange(20, 28)}-0{pick.randrange(1, 10)}-11\n")
        )
        if date and not path.endswith("_index.md"):
            age = (NOW_MS - (tree.tree / path).stat().st_mtime_ns / 1e6) / DAY_MS
            tree.file(path, f"---\n{date}---\n{(tree.tree / path).read_text(errors='replace')}", age)
    return board_of(tree, profile)


def test_a_row(tree: Tree) -> None:
    tree.note("a/n.md", "Named", days=10, importance=60, maturity="validated", recency=0.5, access_count=4)
    row = board_of(tree).row(0)
    assert (row.path, row.title, row.maturity, row.source) == ("a/n.md", "Named", "validated", str(Source.FILE))
    assert (row.importance_stored, row.recency_stored, row.days) == (60, 0.5, 10)
    assert row.importance == pytest.approx(60 * 0.995**10)
    assert row.recency == pytest.approx(np.exp(-1 / 3))
    assert (row.access_count, row.update_count, row.updated_days) == (4, 0, None)
    assert (row.promoted_from, row.demoted_below, row.to_promotion, row.to_demotion) == (85, 35, 25, 25)
    assert (row.hits_to_promotion, row.after_one_hit, row.has_come) == (9, "validated", ())


def test_the_ends_of_the_ladder(tree: Tree) -> None:
    tree.note("a/core.md", "Core", maturity="core", importance=50)
    tree.note("a/draft.md", "Draft", importance=70)
    board = board_of(tree)
    core, draft = (board.row(place(board, f"a/{name}.md")) for name in ("core", "draft"))
    assert (core.promoted_from, core.to_promotion, core.hits_to_promotion) == (None, None, None)
    assert (core.to_demotion, core.after_one_hit) == (-10, "validated")
    assert (draft.demoted_below, draft.to_demotion) == (None, None)
    assert (draft.to_promotion, draft.hits_to_promotion, draft.after_one_hit) == (0, 1, "validated")


def test_an_empty_tree(tree: Tree) -> None:
    board = board_of(tree)
    assert len(board) == 0
    assert board.hits_to_promotion.size == 0
    assert all(not come.size for come in board.today.has_come.values())
    assert all(not days.size for days in board.days_until.values())


@pytest.mark.parametrize("seed", range(4))
def test_signals_and_ceilings_are_those_of_hits(seed: int, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    for position, note in enumerate(board.snapshot.notes):
        [hit] = path_hits(Context(board.snapshot, BRV3, NOW_MS), [note], 1.0, "x")
        row = board.row(position)
        assert row.importance == hit.signals.importance
        assert row.recency == hit.signals.recency
        assert row.days == hit.signals.days
        assert row.ceiling == hit.ceiling.score
        left = [board.days_until[event][position] for event in (LEAVES_TIER_2, LEAVES_PROMPT)]
        assert left == [np.inf if one.days_left is None else one.days_left for one in hit.ceiling.horizons]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("profile", [BRV3, DOCS, changed(BRV3, decay={"importance_base": 1.0})])
def test_an_event_comes_on_its_day(seed: int, profile: Profile, tmp_path: Path) -> None:
    """Just before it the note stands as it did, just after it does not; what never comes has not come in ten years."""
    board = random_board(tmp_path, seed, profile)
    steady = (board.snapshot.columns.recency == 1) | (board.today.days > 0)
    for event, days in board.days_until.items():
        come = board.today.has_come[event]
        assert ((days == 0) == come)[steady].all(), event
        late = board.after(3_000).has_come[event]
        assert (late == (days <= 3_000))[steady].all(), event
        for position in np.flatnonzero((days > 0.02) & np.isfinite(days) & steady).tolist():
            day = float(days[position])
            assert not board.after(day - 0.01).has_come[event][position]
            assert board.after(day + 0.01).has_come[event][position]


@pytest.mark.parametrize("seed", range(4))
def test_a_day_ahead_is_as_a_later_clock(seed: int, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    ahead, later = board.after(40), Board(board.snapshot, BRV3.ageing, NOW_MS + 40 * DAY_MS).today
    assert (ahead.importance == later.importance).all()
    assert (ahead.ceiling == later.ceiling).all()
    assert all((ahead.has_come[event] == later.has_come[event]).all() for event in OF_NOTES)


@pytest.mark.parametrize("seed", range(4))
def test_hits_to_promotion_are_counted(seed: int, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    for position, before in enumerate(board.snapshot.signals):
        row, level = board.row(position), LEVELS.index(before.maturity)
        levels = (LEVELS.index(after_hits(before, 0, True, n, BRV3.ageing).signals.maturity) for n in range(1, 41))
        first = next(levels)
        assert LEVELS.index(row.after_one_hit) == first
        higher = (n for n, then in enumerate(chain([first], levels), start=1) if then > level)
        assert row.hits_to_promotion == next(higher, None)


class TestArchive:
    def test_a_note_without_a_date_keeps_its_importance(self, tree: Tree) -> None:
        tree.note("a/old.md", "Old", days=300)
        tree.note("a/low.md", "Low", days=300, importance=34)
        board = board_of(tree)
        days = board.days_until[ARCHIVE]
        assert days[place(board, "a/old.md")] == np.inf
        assert days[place(board, "a/low.md")] == 0

    def test_the_date_counts_and_not_the_file(self, tree: Tree) -> None:
        tree.file("a/n.md", DATED, days=300)
        board = board_of(tree)
        assert board.row(0).updated_days == 7
        assert board.days_until[ARCHIVE][0] == pytest.approx(np.log(35 / 50) / np.log(0.995) - 7)
        assert board.today.archive_importance[0] == pytest.approx(50 * 0.995**7)

    def test_a_vague_date_is_never_one(self, tree: Tree) -> None:
        tree.file("a/n.md", "updatedAt: soon\n# N\n")
        tree.signals["a/n.md"] = stored(importance=1)
        board = board_of(tree)
        assert board.days_until[ARCHIVE][0] == np.inf
        assert not board.after(365).has_come[ARCHIVE][0]

    @pytest.mark.parametrize("path", ["_archived/a/n.stub.md", "_archived/n.md", "a/_archived/n.md"])
    def test_the_archive_is_not_archived(self, path: str, tree: Tree) -> None:
        tree.note(path, "N", importance=1)
        board = board_of(tree)
        assert board.days_until[ARCHIVE][0] == np.inf
        assert board.days_until[PRUNING][0] == np.inf

    def test_validated_and_core_stay(self, tree: Tree) -> None:
        for maturity in LEVELS:
            tree.note(f"a/{maturity}.md", "N", days=500, importance=1, maturity=maturity)
        board = board_of(tree)
        offered = {
            event: {board.row(position).maturity for position in np.flatnonzero(come).tolist()}
            for event, come in board.today.has_come.items()
        }
        assert offered[ARCHIVE] == {"draft"}
        assert offered[PRUNING] == {"draft", "validated"}

    def test_the_documents_know_no_pruning(self, tree: Tree) -> None:
        tree.note("a/n.md", "N", days=500)
        assert board_of(tree, DOCS).days_until[PRUNING][0] == np.inf

    def test_shared_notes_are_left_alone(self, tree: Tree) -> None:
        other = Tree(tree.root.parent / "other")
        other.note("b/n.md", "Shared", days=500)
        tree.source(("lib", other))
        board = board_of(tree)
        assert board.snapshot.notes[0].alias == "lib"
        assert board.days_until[ARCHIVE][0] == board.days_until[PRUNING][0] == np.inf
